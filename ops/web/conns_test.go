package web

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
)

// A flood of connections takes no more descriptors than the bound; those behind it wait, and all
// get their answer.
func TestConnectionsAboveTheBoundWait(t *testing.T) {
	const bound, clients = 2, 12
	var now, most atomic.Int64
	release := make(chan struct{})
	s := newSite(t)
	s.o.MaxConns = bound
	s.d.Search = func(context.Context, Question) (Results, error) {
		if n := now.Add(1); n > most.Load() {
			most.Store(n)
		}
		defer now.Add(-1)
		<-release
		return Results{}, nil
	}
	srv := s.running()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- srv.Run(ctx) }()

	var asked, answered sync.WaitGroup
	asked.Add(clients)
	for range clients {
		answered.Go(func() {
			resp, err := askOverOwnConnection(srv.Addr(), &asked)
			if err != nil || resp.StatusCode != http.StatusOK {
				t.Errorf("%v %v", resp, err)
			}
		})
	}
	asked.Wait()
	close(release)
	answered.Wait()
	if n := most.Load(); n > bound {
		t.Errorf("%d requests at once over %d connections", n, bound)
	}
	stop()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// askOverOwnConnection searches over a connection that nobody else uses, and is done with asked
// once the request is written.
func askOverOwnConnection(addr string, asked *sync.WaitGroup) (*http.Response, error) {
	c, err := net.Dial("tcp", addr)
	if err == nil {
		defer c.Close()
		_, err = fmt.Fprintf(c, "GET /api/v1/search?q=word HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n", addr)
	}
	asked.Done()
	if err != nil {
		return nil, err
	}
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return nil, err
	}
	return resp, resp.Body.Close()
}
