package web

import (
	"io"
	"net"
	"net/http/httptrace"
	"testing"
	"time"
)

func inPipe(t *testing.T) (*exchange, *conn, net.Conn) {
	t.Helper()
	here, there := net.Pipe()
	t.Cleanup(func() { here.Close(); there.Close() })
	x := &exchange{result: &Result{}, cancel: func(error) {}}
	c := &conn{Conn: here}
	x.gotConn(httptrace.GotConnInfo{Conn: c})
	return x, c, there
}

// A request starts when its last byte is out, however long that takes: the delay to the next one
// counts from there (I4).
func TestARequestStartsWhenItsBytesAreOut(t *testing.T) {
	x, c, server := inPipe(t)
	request := []byte("GET / HTTP/1.1\r\n\r\n")
	done := make(chan error)
	go func() {
		_, err := c.Write(request)
		done <- err
	}()
	if _, err := io.ReadFull(server, make([]byte, len(request)-1)); err != nil {
		t.Fatal(err)
	}
	unfinished := time.Now()
	if _, err := io.ReadFull(server, make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	x.finish()
	if !x.result.Written || x.result.Started.Before(unfinished) {
		t.Errorf("written %t, started %s before its last byte was out", x.result.Written, unfinished.Sub(x.result.Started))
	}
}

// The answer may be here before the call that wrote the request has returned, and a request may be
// given up meanwhile.
func TestARequestIsOverBeforeItsWriteReturns(t *testing.T) {
	for name, answered := range map[string]bool{"answered": true, "given up": false} {
		t.Run(name, func(t *testing.T) {
			x, c, server := inPipe(t)
			done := make(chan struct{})
			go func() {
				_, _ = c.Write([]byte("GET"))
				close(done)
			}()
			if _, err := io.ReadFull(server, make([]byte, 1)); err != nil { // it is in the call now
				t.Fatal(err)
			}
			inside := time.Now()
			if answered {
				x.answered()
			}
			x.finish()
			if x.result.Started.Before(inside) || answered && !x.result.Started.Equal(x.result.Answered) {
				t.Errorf("started %s, answered %s", x.result.Started, x.result.Answered)
			}
			started := x.result.Started
			server.Close()
			<-done
			if x.result.Started != started {
				t.Error("a result that is over was changed")
			}
		})
	}
}
