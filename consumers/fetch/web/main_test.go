package web

import (
	"context"
	"io"
	"log"
	"net"
	"net/netip"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// quick are options for servers on this machine: small caps, short times.
func quick() Options {
	o := DefaultOptions()
	o.UserAgent = "millrace/test (+https://example.test/)"
	o.AllowPrivate = true
	o.Deadline = 5 * time.Second
	return o
}

func client(t *testing.T, o Options) *Client {
	t.Helper()
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// raw serves each connection with f, which gets it after the request's header was read, and returns
// the URL.
func raw(t *testing.T, f func(c net.Conn)) string {
	t.Helper()
	return "http://" + listen(t, func(c net.Conn) {
		if readRequest(c) {
			f(c)
		}
	}) + "/x"
}

// listen serves connections with f until the test ends.
func listen(t *testing.T, f func(c net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var (
		wg   sync.WaitGroup
		mu   sync.Mutex
		open []net.Conn
	)
	wg.Go(func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			mu.Lock()
			open = append(open, c)
			mu.Unlock()
			wg.Go(func() {
				defer c.Close()
				f(c)
			})
		}
	})
	t.Cleanup(func() {
		l.Close()
		mu.Lock()
		for _, c := range open {
			c.Close()
		}
		mu.Unlock()
		wg.Wait()
	})
	return l.Addr().String()
}

// readRequest reads up to the empty line.
func readRequest(c net.Conn) bool {
	var tail [4]byte
	b := make([]byte, 1)
	for string(tail[:]) != "\r\n\r\n" {
		if _, err := c.Read(b); err != nil {
			return false
		}
		copy(tail[:], tail[1:])
		tail[3] = b[0]
	}
	return true
}

// sayAndClose sends bytes, ends the stream and waits until the client has gone, so that no RST
// overtakes the bytes.
func sayAndClose(c net.Conn, b []byte) {
	_, _ = c.Write(b)
	_ = c.(*net.TCPConn).CloseWrite()
	_, _ = io.Copy(io.Discard, c)
}

// book is a resolver with fixed answers.
type book struct {
	mu    sync.Mutex
	asked map[string]int
	names map[string][]string
	gate  chan struct{} // if set, answers wait for it
}

func (b *book) LookupNetIP(ctx context.Context, _, host string) ([]netip.Addr, error) {
	b.mu.Lock()
	if b.asked == nil {
		b.asked = make(map[string]int)
	}
	b.asked[host]++
	list, ok := b.names[host]
	b.mu.Unlock()
	if b.gate != nil {
		select {
		case <-b.gate:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	if !ok {
		return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	var out []netip.Addr
	for _, s := range list {
		out = append(out, netip.MustParseAddr(s))
	}
	return out, nil
}

func quietLog() *log.Logger { return log.New(io.Discard, "", 0) }
