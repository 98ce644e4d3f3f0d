package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"millrace/ops/simweb"
	"millrace/ops/simweb/world"
)

// measure starts a server as a process of its own, asks it for random pages at
// a rate, and prints what they cost it. The client speaks bare HTTP/1.1 over
// kept connections and never parses, so that on few cores it leaves time to the
// server; its cost is not counted.
func measure(ctx context.Context, args []string, out io.Writer) error {
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	name := f.String("profile", "fast", "profile")
	hosts := f.Int("hosts", 0, "number of hosts; 0 takes the profile's")
	rate := f.Int("rate", 5000, "pages a second")
	length := f.Duration("time", 10*time.Second, "how long")
	clients := f.Int("clients", 32, "connections")
	gzip := f.Bool("gzip", false, "accept gzip")
	floor := f.Bool("floor", false, "ask for the same 20,000 bytes every time: what net/http alone costs")
	busy := f.Bool("busy", false, "let no processor sleep, as none does beside a crawler at work")
	prof := f.String("cpuprofile", "", "file for a CPU profile of the server")
	if err := f.Parse(args); err != nil {
		return err
	}
	s, err := startServer(ctx, *name, *hosts, *prof)
	if err != nil {
		return err
	}
	defer s.stop()
	b, err := newLoad(s, *name, *rate, *gzip)
	if err != nil {
		return err
	}
	if *floor {
		b.addr = strings.TrimPrefix(s.admin, "http://")
		b.requests = [][]byte{[]byte("GET /floor HTTP/1.1\r\nHost: floor\r\n\r\n")}
	}
	if err := b.run(ctx, *clients, 2*time.Second); err != nil { // warm up
		return err
	}
	if *busy {
		stop, err := keepBusy(ctx)
		if err != nil {
			return err
		}
		defer stop()
	}
	before, err := s.usage(ctx)
	if err != nil {
		return err
	}
	b.pages.Store(0)
	b.bytes.Store(0)
	began := time.Now()
	if err := b.run(ctx, *clients, *length); err != nil {
		return err
	}
	took := time.Since(began)
	after, err := s.usage(ctx)
	if err != nil {
		return err
	}
	pages := b.pages.Load()
	fmt.Fprintf(out, "profile %s, %d hosts, gzip %v, floor %v, busy %v: %d pages in %v = %.0f pages/s (asked for %d), %.1f KB a page on the wire\n",
		*name, s.hosts, *gzip, *floor, *busy, pages, took.Round(time.Millisecond), float64(pages)/took.Seconds(), *rate, float64(b.bytes.Load())/float64(pages)/1000)
	fmt.Fprintf(out, "server: %.1f us CPU a page, %d MB RSS at most\n",
		float64((after.CPU-before.CPU).Microseconds())/float64(pages), after.RSS>>20)
	return nil
}

type server struct {
	cmd        *exec.Cmd
	web, admin string
	hosts      int
}

// startServer runs this program's serve and reads the addresses it prints.
func startServer(ctx context.Context, profile string, hosts int, cpuProfile string) (*server, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	s := &server{}
	s.cmd = exec.CommandContext(ctx, self, "serve", "--profile", profile, "--hosts", fmt.Sprint(hosts),
		"--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0", "--cpuprofile", cpuProfile, "--no-latency")
	s.cmd.Stderr = os.Stderr
	lines, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	r := bufio.NewReader(lines)
	first, err1 := r.ReadString('\n')
	second, err2 := r.ReadString('\n')
	if err := errors.Join(err1, err2); err != nil {
		s.stop()
		return nil, fmt.Errorf("server did not start: %w", err)
	}
	_, first, _ = strings.Cut(first, ": ")
	if _, err := fmt.Sscanf(first, "%d hosts at http://%s", &s.hosts, &s.web); err != nil {
		s.stop()
		return nil, err
	}
	s.admin = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(second), "reports at "), "/report")
	return s, nil
}

func (s *server) usage(ctx context.Context) (u usageReply, err error) {
	body, err := ask(ctx, s.admin+"/cpu")
	if err != nil {
		return u, err
	}
	return u, json.Unmarshal(body, &u)
}

func (s *server) stop() {
	s.cmd.Process.Signal(os.Interrupt)
	s.cmd.Wait()
}

// load asks for random tree pages at a fixed rate.
type load struct {
	addr     string
	requests [][]byte
	rate     int
	pages    atomic.Int64
	bytes    atomic.Int64
}

// distinct is how many different pages a load asks for: far more than a cache
// of the processor holds.
const distinct = 20_000

// newLoad writes the requests beforehand.
func newLoad(s *server, profile string, rate int, gzip bool) (*load, error) {
	p, err := simweb.Load(profile)
	if err != nil {
		return nil, err
	}
	p.Hosts = s.hosts
	w, err := simweb.Build(p, serveSeed, simweb.DefaultOptions())
	if err != nil {
		return nil, err
	}
	encoding := ""
	if gzip {
		encoding = "Accept-Encoding: gzip\r\n"
	}
	b := &load{addr: s.web, rate: rate}
	for len(b.requests) < distinct {
		h := world.Host(rand.IntN(s.hosts))
		r := world.Ref{Host: h, Form: w.Main(h), Page: world.ID(world.Tree, rand.Uint64N(w.Pages(h)))}
		if a := w.Answer(world.Request{Ref: r}, w.Start()); a.Role != world.Plain || a.Status != http.StatusOK {
			continue // a page that hangs or breaks off would measure nothing
		}
		_, rest, _ := strings.Cut(w.URL(r, ""), "://")
		host, path, _ := strings.Cut(rest, "/")
		b.requests = append(b.requests, fmt.Appendf(nil, "GET /%s HTTP/1.1\r\nHost: %s\r\nUser-Agent: bench\r\n%s\r\n", path, host, encoding))
	}
	return b, nil
}

func (b *load) run(ctx context.Context, clients int, length time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, length)
	defer cancel()
	errs := make(chan error, clients)
	var wg sync.WaitGroup
	for i := range clients {
		wg.Go(func() { errs <- b.client(ctx, uint64(i), time.Duration(clients)*time.Second/time.Duration(b.rate)) })
	}
	wg.Wait()
	close(errs)
	var all []error
	for err := range errs {
		all = append(all, err)
	}
	return errors.Join(all...)
}

// client sends one request every interval and reads the answer.
func (b *load) client(ctx context.Context, seed uint64, every time.Duration) error {
	c, err := net.Dial("tcp", b.addr)
	if err != nil {
		return err
	}
	defer c.Close()
	random := rand.New(rand.NewPCG(seed, uint64(time.Now().UnixNano())))
	r := bufio.NewReaderSize(c, 64<<10)
	next := time.Now().Add(time.Duration(random.Int64N(int64(every))))
	for ctx.Err() == nil {
		time.Sleep(time.Until(next))
		next = next.Add(every)
		if err := c.SetDeadline(time.Now().Add(10 * time.Second)); err != nil {
			return err
		}
		if _, err := c.Write(b.requests[random.IntN(len(b.requests))]); err != nil {
			return err
		}
		n, err := readAnswer(r)
		if err != nil {
			return err
		}
		b.pages.Add(1)
		b.bytes.Add(int64(n))
	}
	return nil
}

// readAnswer reads a head and a body of Content-Length bytes.
func readAnswer(r *bufio.Reader) (int, error) {
	length := -1
	for {
		line, err := r.ReadSlice('\n')
		if err != nil {
			return 0, err
		}
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 {
			break
		}
		if rest, ok := bytes.CutPrefix(line, []byte("Content-Length: ")); ok {
			if _, err := fmt.Sscan(string(rest), &length); err != nil {
				return 0, err
			}
		}
	}
	if length < 0 {
		return 0, errors.New("an answer without length")
	}
	_, err := r.Discard(length)
	return length, err
}
