package web

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/netip"
	"slices"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

// answerDNS answers a question with one address that holds for a number of seconds, behind an alias
// that holds for longer.
func answerDNS(t *testing.T, question []byte, seconds uint32) []byte {
	t.Helper()
	var m dnsmessage.Message
	if err := m.Unpack(question); err != nil {
		t.Error(err)
		return nil
	}
	q := m.Questions[0]
	m.Response, m.Additionals = true, nil
	if q.Type == dnsmessage.TypeA {
		alias := dnsmessage.MustNewName("alias.test.")
		m.Answers = []dnsmessage.Resource{
			{Header: dnsmessage.ResourceHeader{Name: q.Name, Class: q.Class, TTL: 9000}, Body: &dnsmessage.CNAMEResource{CNAME: alias}},
			{Header: dnsmessage.ResourceHeader{Name: alias, Class: q.Class, TTL: seconds}, Body: &dnsmessage.AResource{A: [4]byte{192, 0, 2, 1}}},
		}
	}
	b, err := m.Pack()
	if err != nil {
		t.Error(err)
	}
	return b
}

// TestAnswersAreKeptForAsLongAsTheyHold, over UDP and over TCP.
func TestAnswersAreKeptForAsLongAsTheyHold(t *testing.T) {
	for _, network := range []string{"udp", "tcp"} {
		for seconds, want := range map[uint32]time.Duration{1: 30 * time.Second, 120: 2 * time.Minute, 86400: time.Hour} {
			s := newSystem()
			dial := s.r.Dial
			s.r.Dial = func(ctx context.Context, _, _ string) (net.Conn, error) {
				if network == "udp" {
					return dial(ctx, "udp", serveUDP(t, seconds))
				}
				return dial(ctx, "tcp", listen(t, func(c net.Conn) { serveTCP(t, c, seconds) }))
			}
			o := quick()
			n := newNames(s, o)
			list, err := n.lookup(t.Context(), "host.test")
			if err != nil || !slices.Equal(list, []netip.Addr{netip.MustParseAddr("192.0.2.1")}) {
				t.Fatalf("%s: %v, %v", network, list, err)
			}
			if left := time.Until(n.entries["host.test"].expires).Round(10 * time.Second); left != want {
				t.Errorf("%s: an answer that holds for %d s is kept for %v", network, seconds, left)
			}
		}
	}
}

func serveUDP(t *testing.T, seconds uint32) string {
	t.Helper()
	c, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	t.Cleanup(func() { c.Close(); <-done })
	go func() {
		defer close(done)
		b := make([]byte, 4096)
		for {
			n, from, err := c.ReadFrom(b)
			if err != nil {
				return
			}
			_, _ = c.WriteTo(answerDNS(t, b[:n], seconds), from)
		}
	}()
	return c.LocalAddr().String()
}

func serveTCP(t *testing.T, c net.Conn, seconds uint32) {
	for {
		var size [2]byte
		if _, err := io.ReadFull(c, size[:]); err != nil {
			return
		}
		b := make([]byte, binary.BigEndian.Uint16(size[:]))
		if _, err := io.ReadFull(c, b); err != nil {
			return
		}
		out := answerDNS(t, b, seconds)
		_, _ = c.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(out))), out...))
	}
}

// TestFamiliesTakeTurns: three dead addresses of one family do not hide the other.
func TestFamiliesTakeTurns(t *testing.T) {
	parse := func(list ...string) (out []netip.Addr) {
		for _, s := range list {
			out = append(out, netip.MustParseAddr(s))
		}
		return out
	}
	six := parse("2001:db8::1", "2001:db8::2", "2001:db8::3", "2001:db8::4", "192.0.2.1", "192.0.2.2")
	if got := alternate(six); !slices.Equal(got, parse("2001:db8::1", "192.0.2.1", "2001:db8::2", "192.0.2.2")) {
		t.Errorf("%v", got)
	}
	if got := alternate(nil); len(got) != 0 {
		t.Errorf("%v", got)
	}
}

func FuzzTTL(f *testing.F) {
	f.Add([]byte{0, 1, 0x80, 0, 0, 1, 0, 1, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, message []byte) {
		if heard := (&ttl{}); heard.least() != 0 {
			t.Error("heard before anything was said")
		} else if heard.hear(message); heard.least() < 0 {
			t.Error("a negative time")
		}
	})
}
