package web

import (
	"context"
	"crypto/tls"
	"net"
	"net/http/httptrace"
	"net/netip"
	"sync"
	"time"
)

// exchange observes one request in net/http, whose goroutines may call it at any time until finish.
type exchange struct {
	request Request
	cancel  context.CancelCauseFunc

	mu     sync.Mutex
	done   bool
	sent   bool // the call that wrote the request has returned
	result *Result
}

func (x *exchange) trace(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn:              x.gotConn,
		GotFirstResponseByte: x.answered,
	})
}

// gotConn runs before the request is handed to the connection.
func (x *exchange) gotConn(info httptrace.GotConnInfo) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.done {
		return
	}
	x.result.Reused = x.result.Reused || info.Reused
	if a, err := netip.ParseAddrPort(info.Conn.RemoteAddr().String()); err == nil {
		x.result.Addr = a.Addr().Unmap()
	}
	if c := inner(info.Conn); c != nil {
		c.arm(x.mayWrite, x.wrote)
	}
}

// mayWrite is called inside the Write call. An error also cancels the request, because net/http
// would try another connection.
func (x *exchange) mayWrite() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	err := x.verdict()
	if err != nil {
		x.cancel(err)
		return err
	}
	x.result.Written = true
	x.result.Started = time.Now()
	return nil
}

func (x *exchange) verdict() error {
	switch {
	case x.done:
		return context.Canceled
	case x.result.Written:
		return &Error{KindReset, errTwice}
	case x.request.Addr.IsValid() && x.request.Addr.Unmap() != x.result.Addr:
		return &Error{KindConnect, ErrOtherAddr}
	case x.request.MayWrite == nil:
		return nil
	}
	if err := x.request.MayWrite(); err != nil {
		return &Error{KindRefused, err}
	}
	return nil
}

// wrote sets Started to the moment at which the bytes were handed to the kernel. It runs when the
// Write call of the connection has returned: WroteRequest of net/http comes before the bytes leave
// its buffer, which can take a while on a busy machine.
func (x *exchange) wrote() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.done && x.result.Written {
		x.sent = true
		x.result.Started = time.Now()
	}
}

// answered runs at the first byte of an answer, also of one with status 100.
func (x *exchange) answered() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.done && x.result.Answered.IsZero() {
		x.result.Answered = time.Now()
	}
}

// finish ends the observation: after it the result belongs to the caller alone. If the Write call
// has not returned yet, Started is set to Answered, or to now.
func (x *exchange) finish() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.done = true
	if !x.result.Written || x.sent {
		return
	}
	if x.result.Started = x.result.Answered; x.result.Started.IsZero() {
		x.result.Started = time.Now()
	}
}

// inner returns our connection below TLS; nil if there is none.
func inner(c net.Conn) *conn {
	if t, ok := c.(*tls.Conn); ok {
		c = t.NetConn()
	}
	own, _ := c.(*conn)
	return own
}
