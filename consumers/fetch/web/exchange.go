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

// exchange watches one request on its way through net/http, whose goroutines call back at any time until finish.
type exchange struct {
	request Request
	cancel  context.CancelCauseFunc

	mu     sync.Mutex
	done   bool
	result *Result
}

func (x *exchange) trace(ctx context.Context) context.Context {
	return httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GotConn:      x.gotConn,
		WroteRequest: x.wroteRequest,

		GotFirstResponseByte: x.answered,
	})
}

// gotConn runs before the request is handed to the connection's writer.
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
		c.arm(x.mayWrite)
	}
}

// mayWrite is asked inside the Write call. The answer no also cancels the request, since net/http would try another connection.
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

// wroteRequest moves the start to the moment the last byte was handed over.
func (x *exchange) wroteRequest(info httptrace.WroteRequestInfo) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.done && info.Err == nil && x.result.Written {
		x.result.Started = time.Now()
	}
}

// answered runs when the first byte of the answer is here, of one with status 100 too.
func (x *exchange) answered() {
	x.mu.Lock()
	defer x.mu.Unlock()
	if !x.done && x.result.Answered.IsZero() {
		x.result.Answered = time.Now()
	}
}

// finish ends the watching: from now on the result belongs to the caller alone.
func (x *exchange) finish() {
	x.mu.Lock()
	x.done = true
	x.mu.Unlock()
}

// inner finds our connection below TLS.
func inner(c net.Conn) *conn {
	if t, ok := c.(*tls.Conn); ok {
		c = t.NetConn()
	}
	own, _ := c.(*conn)
	return own
}
