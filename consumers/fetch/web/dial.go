package web

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"sync"
	"time"

	"code.dny.dev/ssrf"
)

// dialer connects to hosts: it applies the mapping, asks the DNS cache, and tries each address,
// which is checked.
type dialer struct {
	mapping mapping
	names   *names
	timeout time.Duration
	guarded Dial // refuses private addresses and odd ports
	free    Dial // for mapped hosts: not checked
}

func newDialer(o Options, ask resolver) (*dialer, error) {
	m, err := parseMapping(o.Resolve)
	if err != nil {
		return nil, err
	}
	d := &dialer{mapping: m, names: newNames(ask, o), timeout: o.ConnectTimeout}
	var guarded net.Dialer
	if !o.AllowPrivate {
		guarded.Control = ssrf.New(ssrf.WithPorts(o.Ports...)).Safe
	}
	d.guarded, d.free = guarded.DialContext, (&net.Dialer{}).DialContext
	if o.Dial != nil {
		d.free = o.Dial
	}
	return d, nil
}

// bound is the address and connect time-out of a Request, and the context key for them.
type bound struct {
	addr    netip.Addr
	connect time.Duration
}

func (d *dialer) dial(ctx context.Context, _, address string) (net.Conn, error) {
	timeout := d.timeout
	if b, ok := ctx.Value(bound{}).(bound); ok && b.connect > 0 {
		timeout = min(timeout, b.connect)
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	how := d.guarded
	if to := d.mapping.find(host); to != "" {
		how = d.free
		if host, port, err = net.SplitHostPort(to); err != nil {
			return nil, err
		}
	}
	addrs, err := d.addresses(ctx, host)
	if err != nil {
		return nil, err
	}
	c, err := dialEach(ctx, how, addrs, port)
	if err != nil {
		return nil, err
	}
	return &conn{Conn: c}, nil
}

// addresses resolves a host. If the request is bound to one address it returns only that, or an
// error if the host does not have it.
func (d *dialer) addresses(ctx context.Context, host string) ([]netip.Addr, error) {
	addrs, err := d.names.lookup(ctx, host)
	if err != nil {
		return nil, err
	}
	if b, ok := ctx.Value(bound{}).(bound); ok && b.addr.IsValid() {
		for _, a := range addrs {
			if a.Unmap() == b.addr {
				return []netip.Addr{a}, nil
			}
		}
		return nil, ErrOtherAddr
	}
	return addrs, nil
}

// dialEach tries the addresses in order, at most three, each with an equal part of the time that is
// left.
func dialEach(ctx context.Context, how Dial, addrs []netip.Addr, port string) (net.Conn, error) {
	addrs = addrs[:min(len(addrs), 3)]
	err := error(&net.DNSError{Err: "no addresses", IsNotFound: true})
	for i, a := range addrs {
		var c net.Conn
		c, err = dialShare(ctx, how, net.JoinHostPort(a.Unmap().String(), port), len(addrs)-i)
		if err == nil {
			return c, nil
		}
		if ctx.Err() != nil {
			break
		}
	}
	return nil, err
}

func dialShare(ctx context.Context, how Dial, address string, left int) (net.Conn, error) {
	if end, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Until(end)/time.Duration(left))
		defer cancel()
	}
	return how(ctx, "tcp", address)
}

// conn calls ask before the first write of a request. It is below TLS and so sees handshakes too;
// therefore ask is set only while a request is armed.
type conn struct {
	net.Conn
	mu    sync.Mutex
	ask   func() error
	wrote func()
}

// arm makes the next Write call ask, and that one and every later Write call wrote when it has
// returned.
func (c *conn) arm(ask func() error, wrote func()) {
	c.mu.Lock()
	c.ask, c.wrote = ask, wrote
	c.mu.Unlock()
}

func (c *conn) Write(b []byte) (int, error) {
	c.mu.Lock()
	ask, wrote := c.ask, c.wrote
	c.ask = nil
	c.mu.Unlock()
	if ask != nil {
		if err := ask(); err != nil {
			return 0, err
		}
	}
	n, err := c.Conn.Write(b)
	if wrote != nil {
		wrote()
	}
	return n, err
}

// isSSRF reports whether the address check refused a dial.
func isSSRF(err error) bool {
	return errors.Is(err, ssrf.ErrProhibitedIP) || errors.Is(err, ssrf.ErrProhibitedNetwork)
}
