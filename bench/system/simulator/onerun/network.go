package onerun

import (
	"context"
	"errors"
	"net"
	"sync"
)

// errUnreachable is the error of dialling an address where nothing answers.
var errUnreachable = errors.New("simulated: unreachable")

type dial = func(ctx context.Context, network, address string) (net.Conn, error)

// gate stands between a process and its servers. Frozen, nothing passes, and what waits passes when
// it thaws. Dead, everything fails, for ever.
type gate struct {
	mu    sync.Mutex
	thaw  chan struct{} // nil: open; else closed when the gate opens
	dead  bool
	down  bool // nothing passes, and whoever tries is told so
	conns map[*conn]struct{}
	lost  *losses // of answers; nil: not to brokers
}

func newGate() *gate { return &gate{conns: map[*conn]struct{}{}} }

func newBrokerGate() *gate { return &gate{conns: map[*conn]struct{}{}, lost: &losses{}} }

func (g *gate) freeze() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.thaw == nil && !g.dead {
		g.thaw = make(chan struct{})
	}
}

func (g *gate) open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.thaw != nil {
		close(g.thaw)
		g.thaw = nil
	}
}

// setDown says whether the network is gone. What is under way then ends.
func (g *gate) setDown(down bool) {
	g.mu.Lock()
	g.down = down
	g.mu.Unlock()
	if down {
		g.cut()
	}
}

// cut ends all connections; the other side sees them end.
func (g *gate) cut() {
	g.mu.Lock()
	var all []*conn
	for c := range g.conns {
		all = append(all, c)
	}
	g.mu.Unlock()
	for _, c := range all {
		_ = c.Close()
	}
}

// kill lets nothing pass any more.
func (g *gate) kill() {
	g.mu.Lock()
	g.dead = true
	g.mu.Unlock()
	g.open()
	g.cut()
}

// pass waits while the gate is frozen. It fails if the gate is dead.
func (g *gate) pass(done <-chan struct{}) error {
	for {
		g.mu.Lock()
		thaw, dead := g.thaw, g.dead || g.down
		g.mu.Unlock()
		if dead {
			return errUnreachable
		}
		if thaw == nil {
			return nil
		}
		select {
		case <-thaw:
		case <-done:
			return net.ErrClosed
		}
	}
}

// through dials through the gate.
func (g *gate) through(d dial) dial {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		if err := g.pass(ctx.Done()); err != nil {
			return nil, err
		}
		inner, err := d(ctx, network, address)
		if err != nil {
			return nil, err
		}
		c := &conn{Conn: inner, g: g, closed: make(chan struct{})}
		if g.lost != nil {
			c.said = newExchange(g.lost)
		}
		g.mu.Lock()
		defer g.mu.Unlock()
		if g.dead || g.down {
			return nil, errors.Join(errUnreachable, inner.Close())
		}
		g.conns[c] = struct{}{}
		return c, nil
	}
}

// conn is a connection through a gate.
type conn struct {
	net.Conn
	g      *gate
	said   *exchange // nil: not to a broker
	once   sync.Once
	closed chan struct{}
}

// Read gives what was read only while the gate is open.
func (c *conn) Read(b []byte) (int, error) {
	if err := c.g.pass(c.closed); err != nil {
		return 0, err
	}
	n, err := c.receive(b)
	if e := c.g.pass(c.closed); e != nil {
		return 0, e
	}
	return n, err
}

func (c *conn) receive(b []byte) (int, error) {
	if c.said == nil {
		return c.Conn.Read(b)
	}
	return c.said.read(c.Conn, b)
}

// Write implements net.Conn.
func (c *conn) Write(b []byte) (int, error) {
	if err := c.g.pass(c.closed); err != nil {
		return 0, err
	}
	if c.said != nil {
		c.said.wrote(b)
	}
	return c.Conn.Write(b)
}

// Close implements net.Conn.
func (c *conn) Close() error {
	c.once.Do(func() {
		close(c.closed)
		c.g.mu.Lock()
		delete(c.g.conns, c)
		c.g.mu.Unlock()
	})
	return c.Conn.Close()
}
