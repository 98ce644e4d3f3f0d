package embedded

import (
	"context"
	"net"
	"sync"
)

// pipes is a net.Listener without a port: dial and Accept get the two ends of a pipe in memory.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func newPipes() *pipes { return &pipes{conns: make(chan net.Conn), closed: make(chan struct{})} }

// listen is called by kfake instead of net.Listen.
func (p *pipes) listen(string, string) (net.Listener, error) { return p, nil }

func (p *pipes) dial(ctx context.Context) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case p.conns <- server:
		return client, nil
	case <-p.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Accept implements net.Listener.
func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

// Addr implements net.Listener. The address is only a name.
func (p *pipes) Addr() net.Addr { return address{} }

type address struct{}

// Network implements net.Addr.
func (address) Network() string { return "pipe" }

// String implements net.Addr.
func (address) String() string { return "in-this-process:9092" }
