package origin

import (
	"bufio"
	"crypto/tls"
	"net"
	"sync"
	"time"
)

// tlsHandshake is the first byte of a TLS record that opens a connection.
const tlsHandshake = 0x16

// sniffTime bounds the wait for a connection's first byte.
const sniffTime = time.Minute

// sniffer is a listener whose connections are TLS or not, by their first byte.
// Each is sniffed in a goroutine of its own, so that one that stays silent does
// not hold up the others.
type sniffer struct {
	net.Listener
	config *tls.Config
	ready  chan net.Conn
	done   chan struct{}
	once   sync.Once
	wg     *sync.WaitGroup

	mu      sync.Mutex
	pending map[net.Conn]bool // accepted, not handed on
}

func newSniffer(l net.Listener, config *tls.Config, wg *sync.WaitGroup) *sniffer {
	s := &sniffer{
		Listener: l, config: config, wg: wg,
		ready: make(chan net.Conn), done: make(chan struct{}), pending: map[net.Conn]bool{},
	}
	wg.Go(s.run)
	return s
}

func (s *sniffer) run() {
	for {
		c, err := s.Listener.Accept()
		if err != nil {
			s.Close()
			return
		}
		s.wg.Go(func() { s.offer(c) })
	}
}

// offer reads the first byte and hands the connection on.
func (s *sniffer) offer(c net.Conn) {
	if !s.hold(c) {
		c.Close()
		return
	}
	sniffed, err := sniff(c, s.config)
	s.release(c)
	if err != nil {
		c.Close()
		return
	}
	select {
	case s.ready <- sniffed:
	case <-s.done:
		c.Close()
	}
}

func (s *sniffer) hold(c net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.pending == nil {
		return false
	}
	s.pending[c] = true
	return true
}

func (s *sniffer) release(c net.Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.pending, c)
}

// Accept returns the next sniffed connection.
func (s *sniffer) Accept() (net.Conn, error) {
	select {
	case c := <-s.ready:
		return c, nil
	case <-s.done:
		return nil, net.ErrClosed
	}
}

// Close ends the listener and the connections it still holds.
func (s *sniffer) Close() error {
	s.once.Do(func() { close(s.done) })
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.pending {
		c.Close()
	}
	s.pending = nil
	return s.Listener.Close()
}

// sniff wraps a connection in TLS if it begins like that.
func sniff(c net.Conn, config *tls.Config) (net.Conn, error) {
	if err := c.SetReadDeadline(time.Now().Add(sniffTime)); err != nil {
		return nil, err
	}
	b := bufio.NewReaderSize(c, 16)
	first, err := b.Peek(1)
	if err != nil {
		return nil, err
	}
	if err := c.SetReadDeadline(time.Time{}); err != nil {
		return nil, err
	}
	p := &peeked{Conn: c, r: b}
	if first[0] == tlsHandshake {
		return tls.Server(p, config), nil
	}
	return p, nil
}

// peeked is a connection whose first bytes were read already.
type peeked struct {
	net.Conn
	r *bufio.Reader // nil once it is empty
}

func (p *peeked) Read(b []byte) (int, error) {
	if p.r == nil {
		return p.Conn.Read(b)
	}
	n, err := p.r.Read(b)
	if p.r.Buffered() == 0 {
		p.r = nil
	}
	return n, err
}
