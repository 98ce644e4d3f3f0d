package origin

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"sync"

	"millrace/ops/simweb/clock"
	"millrace/ops/simweb/judge"
	"millrace/ops/simweb/world"
)

// Options say where a server listens and by which clock it lives.
type Options struct {
	// Listen is the main address; port 0 takes a free one.
	Listen string
	// Addresses is how many loopback addresses (127.0.0.1 and on) are listened
	// on, all at the same port; a host's address is its number modulo Addresses.
	Addresses int
	Clock     clock.Clock
	// Network takes the place of the machine's; it has one address only.
	Network func(network, address string) (net.Listener, error)
	// Arrivals takes the start of a request from the kernel, where it can say when the
	// request was received: gaps are exact then, however busy the machine is. Reads
	// cost more. Without it a request starts when the server has read its head.
	Arrivals bool
	// NoLatency leaves out the profile's latencies.
	NoLatency bool
	Log       *slog.Logger
}

// DefaultOptions listens on a free port of 127.0.0.1 by the machine's clock.
func DefaultOptions() Options {
	return Options{Listen: "127.0.0.1:0", Addresses: 1, Clock: clock.Real{}, Network: net.Listen, Log: slog.New(slog.DiscardHandler)}
}

// Validate says what is wrong.
func (o Options) Validate() error {
	at, err := netip.ParseAddrPort(o.Listen)
	switch {
	case err != nil:
		return fmt.Errorf("origin: listen: %w", err)
	case !at.Addr().IsLoopback():
		return errors.New("origin: listen: not a loopback address")
	case o.Addresses < 1 || o.Addresses > 250:
		return errors.New("origin: addresses must be within 1..250")
	case o.Addresses > 1 && at.Addr() != netip.AddrFrom4([4]byte{127, 0, 0, 1}):
		return errors.New("origin: several addresses start at 127.0.0.1")
	case o.Clock == nil || o.Log == nil || o.Network == nil:
		return errors.New("origin: clock, log or network missing")
	}
	return nil
}

// Server is a running origin.
//
// It is large because it holds all that one running server owns: listeners, connections,
// certificates, records.
type Server struct {
	w         *world.World
	opts      Options
	overrides *overrides
	record    *judge.Record
	judge     *judge.Judge
	ca        *authority
	listeners []*sniffer
	port      int
	addresses map[netip.Addr]uint16 // their numbers in the record
	buffers   pool
	gzips     gzips
	stop      context.CancelFunc
	stopped   context.Context
	wg        sync.WaitGroup

	mu    sync.Mutex
	conns map[net.Conn]bool // nil once closed
}

// Serve starts a server; it listens when this returns.
func Serve(w *world.World, opts Options) (*Server, error) {
	if err := opts.Validate(); err != nil {
		return nil, err
	}
	ca, err := newAuthority()
	if err != nil {
		return nil, err
	}
	s := &Server{w: w, opts: opts, record: judge.NewRecord(), ca: ca, addresses: map[netip.Addr]uint16{}, conns: map[net.Conn]bool{}}
	s.overrides = newOverrides(w)
	s.judge = judge.New(w, s.overrides, s.record)
	s.stopped, s.stop = context.WithCancel(context.Background())
	if err := s.listen(); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

func (s *Server) listen() error {
	at := netip.MustParseAddrPort(s.opts.Listen) // Validate parsed it
	ip, port := at.Addr(), int(at.Port())
	for range s.opts.Addresses {
		l, err := s.opts.Network("tcp", net.JoinHostPort(ip.String(), fmt.Sprint(port)))
		if err != nil {
			return err
		}
		if s.opts.Arrivals {
			if l, err = withArrivals(l); err != nil {
				return err
			}
		}
		if a, ok := l.Addr().(*net.TCPAddr); ok {
			port = a.Port
		}
		s.addresses[ip] = s.record.Address(ip)
		sn := newSniffer(l, s.ca.config(), &s.wg)
		s.listeners = append(s.listeners, sn)
		s.wg.Go(func() { s.accept(sn) })
		ip = ip.Next()
	}
	s.port = port
	return nil
}

// Addr is the main address, host:port.
func (s *Server) Addr() string { return s.listeners[0].Addr().String() }

// Port is the port of all addresses.
func (s *Server) Port() int { return s.port }

// AddrOf is the address a host name is served at: what a name server would say.
func (s *Server) AddrOf(host string) string {
	h, _, _, _ := s.w.ParseHost(host)
	return s.listeners[int(h)%len(s.listeners)].Addr().String()
}

// DialContext connects to the address a host is served at, whatever port is
// asked for: an http.Transport with it needs neither names nor ports.
func (s *Server) DialContext(ctx context.Context, network, addr string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	var d net.Dialer
	return d.DialContext(ctx, network, s.AddrOf(host))
}

// CertPool trusts the server's certificates.
func (s *Server) CertPool() *x509.CertPool { return s.ca.pool }

// Judge judges the requests so far.
func (s *Server) Judge() *judge.Judge { return s.judge }

// World returns the web that is served, without overrides.
func (s *Server) World() *world.World { return s.w }

// Clock is the clock of the web.
func (s *Server) Clock() clock.Clock { return s.opts.Clock }

// Close stops listening, ends all connections and waits for them.
func (s *Server) Close() error {
	s.stop()
	var errs []error
	for _, l := range s.listeners {
		if err := l.Close(); !errors.Is(err, net.ErrClosed) {
			errs = append(errs, err)
		}
	}
	s.mu.Lock()
	for c := range s.conns {
		c.Close()
	}
	s.conns = nil
	s.mu.Unlock()
	s.wg.Wait()
	return errors.Join(errs...)
}
