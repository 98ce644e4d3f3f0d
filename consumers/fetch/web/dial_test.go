package web

import (
	"net"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestPrivateAddressesAreNotDialled: the check is on the dialled address, so no spelling and no DNS
// trick gets past it.
func TestPrivateAddressesAreNotDialled(t *testing.T) {
	o := quick()
	o.AllowPrivate = false
	reached := make(chan struct{}, 16)
	_, port, _ := net.SplitHostPort(listen(t, func(net.Conn) { reached <- struct{}{} }))
	o.Ports = append(o.Ports, portNumber(t, port))
	c, err := newClient(o, &book{names: map[string][]string{
		"inside.test": {"127.0.0.1"}, "meta.test": {"169.254.169.254"}, "mixed.test": {"10.0.0.1", "::1"},
		"mapped.test": {"::ffff:127.0.0.1"}, "nat64.test": {"64:ff9b::7f00:1"}, "ula.test": {"fd00::1"}, "cgnat.test": {"100.100.100.200"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for _, host := range []string{
		"127.0.0.1", "[::1]", "[::ffff:7f00:1]", "0.0.0.0", "10.1.2.3", "192.168.0.1", "169.254.169.254",
		"inside.test", "meta.test", "mixed.test", "mapped.test", "nat64.test", "ula.test", "cgnat.test",
	} {
		res := c.Do(t.Context(), Request{URL: "http://" + host + ":" + port + "/"})
		if res.Err == nil || res.Err.Kind != KindSSRF {
			t.Errorf("%s: %v", host, res.Err)
		}
	}
	// 2130706433 and 0x7f.1 are 127.0.0.1 to some resolvers; here they are names like any other.
	for _, host := range []string{"2130706433", "0x7f.1", "017700000001"} {
		if res := c.Do(t.Context(), Request{URL: "http://" + host + "/"}); res.Err == nil || res.Err.Kind != KindDNS {
			t.Errorf("%s: %v", host, res.Err)
		}
	}
	if res := c.Do(t.Context(), Request{URL: "http://8.8.8.8:22/"}); res.Err == nil || res.Err.Kind != KindPort {
		t.Errorf("port 22: %v", res.Err)
	}
	select {
	case <-reached:
		t.Error("the server inside was reached")
	default:
	}
}

func portNumber(t *testing.T, s string) uint16 {
	t.Helper()
	a, err := netip.ParseAddrPort("127.0.0.1:" + s)
	if err != nil {
		t.Fatal(err)
	}
	return a.Port()
}

func TestMappedHostsAreDialledWhereTheOperatorSays(t *testing.T) {
	addr := listen(t, func(c net.Conn) {
		if readRequest(c) {
			sayAndClose(c, []byte("HTTP/1.1 200 OK\r\n\r\nmapped"))
		}
	})
	o := quick()
	o.AllowPrivate = false
	o.Resolve = []string{"*.test=" + addr, "one.example=" + addr}
	c, err := newClient(o, &book{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for url, want := range map[string]bool{
		"http://a.b.test/": true, "http://A.TEST/": true, "http://one.example/": true,
		"http://two.example/": false, "http://test/": false, "http://127.0.0.1/": false,
	} {
		res := c.Do(t.Context(), Request{URL: url})
		if (res.Err == nil && string(res.Body) == "mapped") != want {
			t.Errorf("%s: %v", url, res.Err)
		}
	}
}

func TestTheMostSpecificMappingWins(t *testing.T) {
	m, err := parseMapping([]string{"*=any:1", "*.a.test=sub:1", "*.test=test:1", "x.a.test=exact:1"})
	if err != nil {
		t.Fatal(err)
	}
	for host, want := range map[string]string{"x.a.test": "exact:1", "y.a.test": "sub:1", "b.test": "test:1", "c.org": "any:1"} {
		if got := m.find(host); got != want {
			t.Errorf("%s: %s, want %s", host, got, want)
		}
	}
	for _, bad := range []string{"a", "a=b", "=b:1", "a=:1", "*a=b:1", "a.*.b=c:1"} {
		if _, err := parseMapping([]string{bad}); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
}

func TestOneAddressOnly(t *testing.T) {
	url := raw(t, func(c net.Conn) { sayAndClose(c, []byte("HTTP/1.1 200 OK\r\n\r\nok")) })
	c := client(t, quick())
	if res := c.Do(t.Context(), Request{URL: url, Addr: netip.MustParseAddr("127.0.0.1")}); res.Err != nil {
		t.Error(res.Err)
	}
	res := c.Do(t.Context(), Request{URL: url, Addr: netip.MustParseAddr("127.0.0.2")})
	if res.Err == nil || res.Err.Kind != KindConnect || res.Written {
		t.Errorf("another address was dialled: %v", res.Err)
	}
}

func TestNamesAreAskedOncePerTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := &book{names: map[string][]string{"a.test": {"192.0.2.1"}}, gate: make(chan struct{})}
		n := newNames(b, DefaultOptions())
		var wg sync.WaitGroup
		for range 50 {
			wg.Go(func() {
				if a, err := n.lookup(t.Context(), "a.test"); err != nil || len(a) != 1 {
					t.Errorf("%v %v", a, err)
				}
			})
		}
		synctest.Wait()
		close(b.gate)
		wg.Wait()
		if b.asked["a.test"] != 1 {
			t.Fatalf("asked %d times by 50 callers at once", b.asked["a.test"])
		}
		time.Sleep(DefaultOptions().DNSKeep + time.Second)
		_, _ = n.lookup(t.Context(), "a.test")
		for range 3 {
			_, _ = n.lookup(t.Context(), "none.test")
		}
		if b.asked["a.test"] != 2 || b.asked["none.test"] != 1 {
			t.Fatalf("asked %v", b.asked)
		}
	})
}

func TestTheNameCacheIsBounded(t *testing.T) {
	o := DefaultOptions()
	o.DNSEntries = 10
	n := newNames(&book{}, o)
	for i := range 200 {
		_, _ = n.lookup(t.Context(), strings.Repeat("a", i+1)+".test")
	}
	if len(n.entries) > o.DNSEntries {
		t.Fatalf("%d entries", len(n.entries))
	}
}
