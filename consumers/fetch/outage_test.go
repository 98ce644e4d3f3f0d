package fetch

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"

	"millrace/consumers/fetch/web"
	"millrace/schema"
)

// planner asks for one URL of each of many hosts again and again, as schedule does: after an answer
// when it is due, else when the outcome says.
type planner struct {
	w    *world
	due  map[string]time.Time // host → next
	rev  int64
	ok   map[string]time.Time // the last answer
	bad  map[string]int       // outcomes that are neither an answer nor given back, by error
	back int                  // given back because of the outage
}

func newPlanner(w *world, hosts int) *planner {
	p := &planner{w: w, due: map[string]time.Time{}, ok: map[string]time.Time{}, bad: map[string]int{}}
	for n := range hosts {
		p.due[fmt.Sprintf("h%d.test", n)] = time.Now()
	}
	return p
}

// run lets time pass.
func (p *planner) run(d time.Duration, interval time.Duration) {
	for end := time.Now().Add(d); time.Now().Before(end); p.w.wait(5 * time.Second) {
		for _, o := range p.w.outcomes() {
			p.take(schema.RowKey(o.RowKey).Host().Name(), o, interval)
		}
		p.w.sent = nil // all that came is taken
		for host, due := range p.due {
			if !due.IsZero() && !due.After(time.Now()) {
				p.due[host] = time.Time{} // in hand
				p.rev++
				p.w.schedule("https://"+host+"/feed", func(s *schema.Scheduled) { s.Rev, s.Kind = p.rev, schema.Kind_FEED })
			}
		}
	}
}

func (p *planner) take(host string, o *schema.Outcome, interval time.Duration) {
	switch {
	case o.Result == schema.Outcome_OK:
		p.ok[host] = time.Now()
		p.due[host] = time.Now().Add(interval)
	case o.Result == schema.Outcome_DEFERRED:
		if o.ErrorKind == errorOffline {
			p.back++
		}
		p.due[host] = time.UnixMilli(max(o.Until, time.Now().UnixMilli()))
	default:
		p.bad[o.ErrorKind]++
		p.due[host] = time.UnixMilli(max(o.Until, o.GetHostNotice().GetBlockedUntil(), time.Now().Add(time.Minute).UnixMilli()))
	}
}

// TestAnOutageOfOursIsNobodysFailure: the network is gone for six hours, with a restart in the
// middle. Nearly nothing is reported as a host's trouble, the log is not flooded, and all is
// fetched again a few minutes after it ends.
func TestAnOutageOfOursIsNobodysFailure(t *testing.T) {
	for _, k := range []struct {
		name  string
		hosts int
		fail  func(w *world)
	}{
		{"no route", 100, func(w *world) { w.origin.connect = func(netip.Addr) error { return errors.New("no route") } }},
		{"no DNS", 100, func(w *world) { w.origin.lookup = errors.New("server misbehaving") }},
		{"DNS that knows no name", 100, func(w *world) { w.origin.lookup = &net.DNSError{Err: "no such host", IsNotFound: true} }},
		{"three hosts", 3, func(w *world) { w.origin.connect = func(netip.Addr) error { return errors.New("no route") } }},
	} {
		inWorld(t, nil, func(w *world) {
			p := newPlanner(w, k.hosts)
			p.run(30*time.Minute, 5*time.Minute)
			if len(p.bad) > 0 || len(p.ok) != k.hosts || !w.f.OfflineSince().IsZero() {
				t.Fatalf("%s: before: %v, %d hosts", k.name, p.bad, len(p.ok))
			}
			w.origin.set(func() { k.fail(w) })
			p.run(3*time.Hour, 5*time.Minute)
			if w.f.OfflineSince().IsZero() {
				t.Errorf("%s: the outage is not known", k.name)
			}
			w.shut(false)
			w.collect()
			w.boot(w.f.o)
			for host := range p.due {
				p.due[host] = time.Now()
			}
			p.run(3*time.Hour, 5*time.Minute)
			w.origin.set(func() { w.origin.connect, w.origin.lookup = nil, nil })
			p.run(15*time.Minute, 5*time.Minute)
			for host := range p.due {
				if time.Since(p.ok[host]) > 12*time.Minute {
					t.Errorf("%s: %s was answered last %v ago, due %v", k.name, host, time.Since(p.ok[host]), time.Until(p.due[host]))
				}
			}
			n := 0
			for _, c := range p.bad {
				n += c
			}
			if n > 12 {
				t.Errorf("%s: reported as trouble of hosts: %v", k.name, p.bad)
			}
			if p.back == 0 || p.back > k.hosts*100 {
				t.Errorf("%s: %d given back", k.name, p.back)
			}
			if !w.f.OfflineSince().IsZero() {
				t.Errorf("%s: still offline", k.name)
			}
		})
	}
}

// TestDeadHostsAreNoOutage: of 500 new names nearly all are dead; five hosts that answer are
// fetched as fast as ever.
func TestDeadHostsAreNoOutage(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		w.origin.connect = func(a netip.Addr) error {
			if a == netip.MustParseAddr("192.0.2.1") {
				return errors.New("refused")
			}
			return nil
		}
		w.origin.where = func(host string) netip.Addr {
			if strings.HasPrefix(host, "dead") {
				return netip.MustParseAddr("192.0.2.1")
			}
			return netip.Addr{}
		}
		w.f.o.Bench.AddressGap = 0
		for n := range 500 {
			w.schedule(urlN(fmt.Sprintf("dead%d.test", n), n))
		}
		for n := range 250 {
			w.schedule(urlN(fmt.Sprintf("live%d.test", n%5), n))
		}
		w.wait(50 * time.Second)
		if n := w.pagesOf("live"); n < 5*45 {
			t.Errorf("%d pages of live hosts", n)
		}
		if !w.f.OfflineSince().IsZero() {
			t.Error("offline")
		}
	})
}

// TestWhatCountsAsReached: errors that only a server can cause are an answer too.
func TestWhatCountsAsReached(t *testing.T) {
	for kind, want := range map[web.Kind]string{
		web.KindTLSUntrusted: "reached", web.KindProtocol: "reached", web.KindTooBig: "reached",
		web.KindConnect: "missed", web.KindDNS: "missed", web.KindTimeout: "missed",
		web.KindSSRF: "neither", web.KindReset: "neither",
	} {
		res := broken(kind)
		got := "neither"
		switch {
		case arrived(&res):
			got = "reached"
		case unreached(&res, false):
			got = "missed"
		}
		if got != want {
			t.Errorf("%s: %s, want %s", kind, got, want)
		}
	}
}

// TestAStopDuringTheWriteIsCounted: the one exception to the delay that no check can prevent.
func TestAStopDuringTheWriteIsCounted(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		stop := time.Duration(0)
		w.origin.writing = func() { time.Sleep(stop) }
		w.schedule("https://a.test/1")
		w.wait(5 * time.Second)
		if n := w.f.Requests().Early; n != 0 {
			t.Errorf("%d counted of a process that ran", n)
		}
		stop = pulseGap + time.Second
		w.schedule("https://a.test/2")
		w.wait(10 * time.Second)
		if n := w.f.Requests().Early; n != 1 {
			t.Errorf("%d counted", n)
		}
	})
}
