package web

import (
	"context"
	"encoding/binary"
	"net"
	"net/netip"
	"sync"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

// system asks the DNS servers of this machine with Go's own resolver. The resolver does not return
// the TTL of an answer, so system reads it from the resolver's connections.
type system struct{ r *net.Resolver }

func newSystem() system {
	var d net.Dialer
	return system{&net.Resolver{PreferGo: true, Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := d.DialContext(ctx, network, address)
		heard, ok := ctx.Value(ttlKey{}).(*ttl)
		if err != nil || !ok {
			return c, err
		}
		if udp, ok := c.(*net.UDPConn); ok { // the resolver checks the type of its connection
			return &udpEar{udp, heard}, nil
		}
		return &tcpEar{Conn: c, heard: heard}, nil
	}}}
}

// lookupTTL returns a host's addresses and how long they are valid; 0 if no DNS server answered
// (the name is in /etc/hosts, for example).
func (s system) lookupTTL(ctx context.Context, host string) ([]netip.Addr, time.Duration, error) {
	heard := &ttl{}
	addrs, err := s.r.LookupNetIP(context.WithValue(ctx, ttlKey{}, heard), "ip", host)
	return addrs, heard.least(), err
}

// LookupNetIP implements resolver.
func (s system) LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error) {
	return s.r.LookupNetIP(ctx, network, host)
}

type ttlKey struct{}

// ttl keeps the shortest TTL of the records in the answers to one question.
type ttl struct {
	mu   sync.Mutex
	some bool
	d    time.Duration
}

func (t *ttl) least() time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.d
}

// hear reads a DNS message. Invalid messages are ignored: the resolver reports them.
func (t *ttl) hear(message []byte) {
	var p dnsmessage.Parser
	h, err := p.Start(message)
	if err != nil || !h.Response || h.RCode != dnsmessage.RCodeSuccess || p.SkipAllQuestions() != nil {
		return
	}
	for {
		r, err := p.AnswerHeader()
		if err != nil {
			return
		}
		switch r.Type {
		case dnsmessage.TypeA, dnsmessage.TypeAAAA, dnsmessage.TypeCNAME:
			t.mu.Lock()
			if d := time.Duration(r.TTL) * time.Second; !t.some || d < t.d {
				t.d, t.some = max(d, time.Nanosecond), true
			}
			t.mu.Unlock()
		}
		if p.SkipAnswer() != nil {
			return
		}
	}
}

// udpEar passes each packet that is read to hear.
type udpEar struct {
	*net.UDPConn
	heard *ttl
}

func (c *udpEar) Read(b []byte) (int, error) {
	n, err := c.UDPConn.Read(b)
	c.heard.hear(b[:n])
	return n, err
}

// tcpEar passes each message of a stream to hear: two bytes of length, then the message.
type tcpEar struct {
	net.Conn
	heard *ttl
	buf   []byte
}

func (c *tcpEar) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.buf = append(c.buf, b[:n]...)
	for len(c.buf) >= 2 {
		size := 2 + int(binary.BigEndian.Uint16(c.buf))
		if len(c.buf) < size {
			break
		}
		c.heard.hear(c.buf[2:size])
		c.buf = c.buf[size:]
	}
	return n, err
}
