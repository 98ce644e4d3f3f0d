package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"runtime"
	"runtime/pprof"
	"time"

	"millrace/ops/simweb"
	"millrace/ops/simweb/clock"
)

// serveSeed is the seed of a web that was given none.
const serveSeed = 1

// admin answers the requests of the commands judge, truth, page and items.
type admin struct {
	w   *simweb.World
	srv *simweb.Server
	log *slog.Logger
}

func serve(ctx context.Context, args []string, out io.Writer) error {
	f := flag.NewFlagSet("serve", flag.ContinueOnError)
	name := f.String("profile", "fast", "profile, or a .yaml file")
	seed := f.Uint64("seed", serveSeed, "seed of the web")
	hosts := f.Int("hosts", 0, "number of hosts; 0 takes the profile's")
	listen := f.String("listen", "127.0.0.1:8080", "address of the web (loopback)")
	adminAt := f.String("admin", "127.0.0.1:8081", "address of reports (loopback)")
	addresses := f.Int("addresses", 1, "loopback addresses to spread hosts over")
	scale := f.Float64("scale", 1, "how much faster than real time the web lives")
	start := f.String("start", "", "time of the web at the start, RFC 3339; default now")
	procs := f.Int("procs", 1, "processors to use; one serves 20,000 pages/s and leaves the others to whom it serves")
	noLatency := f.Bool("no-latency", false, "answer at once, whatever the profile says")
	prof := f.String("cpuprofile", "", "file for a CPU profile")
	if err := f.Parse(args); err != nil {
		return err
	}
	if *procs < 1 {
		return fmt.Errorf("procs: %d is below 1", *procs)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(*procs))
	stopProfile, err := startProfile(*prof)
	if err != nil {
		return err
	}
	defer stopProfile()
	p, err := simweb.Load(*name)
	if err != nil {
		return err
	}
	if *hosts > 0 {
		p.Hosts = *hosts
	}
	opts := simweb.DefaultOptions()
	opts.Start = time.Now().Truncate(time.Second)
	if *start != "" {
		if opts.Start, err = time.Parse(time.RFC3339, *start); err != nil {
			return err
		}
	}
	w, err := simweb.Build(p, *seed, opts)
	if err != nil {
		return err
	}
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	so := simweb.DefaultServe()
	so.Listen, so.Addresses, so.Log = *listen, *addresses, log
	so.NoLatency = *noLatency
	so.Clock = clock.NewScaled(opts.Start, *scale)
	srv, err := simweb.Serve(w, so)
	if err != nil {
		return err
	}
	defer srv.Close()
	fmt.Fprintf(out, "web %s seed %d: %d hosts at http://%s (proxy or Host header), first seed %s\n",
		p.Name, *seed, w.HostCount(), srv.Addr(), w.Seeds(1, "")[0])
	a := &admin{w, srv, log}
	return a.serve(ctx, *adminAt, out)
}

// serve answers until the context ends.
func (a *admin) serve(ctx context.Context, at string, out io.Writer) error {
	if ap, err := netip.ParseAddrPort(at); err != nil || !ap.Addr().IsLoopback() {
		return fmt.Errorf("admin: %s is not a loopback address", at)
	}
	l, err := net.Listen("tcp", at)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "reports at http://%s/report\n", l.Addr())
	h := &http.Server{Handler: a.routes(), ReadHeaderTimeout: 10 * time.Second}
	stop := context.AfterFunc(ctx, func() { h.Close() })
	defer stop()
	if err := h.Serve(l); err != nil && ctx.Err() == nil {
		return err
	}
	return nil
}

func (a *admin) routes() *http.ServeMux {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /report", a.report)
	mux.HandleFunc("GET /truth", a.truth)
	mux.HandleFunc("GET /page", a.page)
	mux.HandleFunc("GET /items", a.items)
	mux.HandleFunc("POST /reset", func(http.ResponseWriter, *http.Request) { a.srv.Judge().Record().Reset() })
	mux.HandleFunc("GET /cpu", func(rw http.ResponseWriter, _ *http.Request) {
		cpu, rss, err := usage()
		a.reply(rw, usageReply{cpu, rss}, err)
	})
	constant := bytes.Repeat([]byte{'x'}, 20_000)
	mux.HandleFunc("GET /floor", func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header()["Content-Length"] = []string{"20000"}
		rw.Write(constant)
	})
	return mux
}

// usageReply is the server's own cost so far.
type usageReply struct {
	CPU time.Duration
	RSS int64 // bytes, the most so far
}

func (a *admin) reply(rw http.ResponseWriter, v any, err error) {
	if err != nil {
		http.Error(rw, err.Error(), http.StatusBadRequest)
		return
	}
	rw.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(rw).Encode(v); err != nil {
		a.log.Warn("report not sent", "error", err)
	}
}

// startProfile records the CPU time of this process into a file, if one is named.
func startProfile(file string) (stop func(), err error) {
	if file == "" {
		return func() {}, nil
	}
	f, err := os.Create(file)
	if err != nil {
		return nil, err
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() {
		pprof.StopCPUProfile()
		f.Close()
	}, nil
}
