package fetch

import (
	"fmt"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"millrace/consumers/fetch/web"
	"millrace/schema"
)

// feeder keeps a number of URLs in hand for each host, as schedule does.
type feeder struct {
	w    *world
	open map[string]int
	seen int
	next int
}

func (f *feeder) feed(host string, most int) {
	for f.open[host] < most {
		f.open[host]++
		f.next++
		f.w.schedule(urlN(host, f.next))
	}
}

// settle takes the outcomes that have come.
func (f *feeder) settle() {
	list := f.w.outcomes()
	for _, o := range list[f.seen:] {
		f.open[schema.RowKey(o.RowKey).Host().Name()]--
	}
	f.seen = len(list)
}

// pagesOf counts the pages asked of hosts with a prefix.
func (w *world) pagesOf(prefix string) (n int) {
	for _, h := range w.origin.all() {
		if strings.HasPrefix(h.host, prefix) && h.path != "/robots.txt" {
			n++
		}
	}
	return n
}

// TestFastHostsBesideTarpits is I13 for servers that are slow themselves: 1,000 hosts that answer
// after 30 s, or whose answer trickles until the client gives up, or whose robots.txt does; of
// sites of their own, of one site, or at one address. 50 others are fetched within 10 % as fast as
// alone.
func TestFastHostsBesideTarpits(t *testing.T) {
	const fast, seconds = 50, 150
	slowPage := func(path string) time.Duration {
		if path == "/robots.txt" {
			return 200 * time.Millisecond
		}
		return 30 * time.Second
	}
	always := func(string) time.Duration { return 30 * time.Second }
	run := func(slow int, name string, addr netip.Addr, took func(path string) time.Duration, err *web.Error) (n int) {
		inWorld(t, nil, func(w *world) {
			w.origin.where = func(host string) netip.Addr {
				if strings.HasPrefix(host, "slow") {
					return addr
				}
				return netip.Addr{}
			}
			w.origin.answer = func(r web.Request, path string) web.Result {
				res := web.Result{Status: 200, Body: []byte("page"), Elapsed: 200 * time.Millisecond}
				if path == "/robots.txt" {
					res.Status = 404
				}
				if strings.Contains(r.URL, "//slow") {
					if res.Elapsed = took(path); res.Elapsed > time.Second {
						res.Err = err
					}
				}
				return res
			}
			f := feeder{w: w, open: map[string]int{}}
			for range seconds {
				f.settle()
				for i := range slow {
					f.feed(fmt.Sprintf(name, i), 1)
				}
				for i := range fast {
					f.feed(fmt.Sprintf("fast%d.test", i), 5)
				}
				w.wait(time.Second)
			}
			n = w.pagesOf("fast")
		})
		return n
	}
	alone := run(0, "", netip.Addr{}, nil, nil)
	one := netip.MustParseAddr("192.0.2.1")
	for _, k := range []struct {
		what, name string
		addr       netip.Addr
		took       func(string) time.Duration
		err        *web.Error
	}{
		{"slow pages", "slow%d.test", netip.Addr{}, slowPage, nil},
		{"slow robots.txt too", "slow%d.test", netip.Addr{}, always, nil},
		{"trickling", "slow%d.test", netip.Addr{}, slowPage, &web.Error{Kind: web.KindSlow, Err: errCut}},
		{"one site", "slow%d.wild.test", netip.Addr{}, always, nil},
		{"one site at one address", "slow%d.wild.test", one, always, nil},
		{"many sites at one address", "slow%d.test", one, always, nil},
	} {
		beside := run(1000, k.name, k.addr, k.took, k.err)
		t.Logf("%d pages of fast hosts alone, %d beside 1,000 slow ones: %s", alone, beside, k.what)
		if float64(beside) < 0.9*float64(alone) {
			t.Errorf("%d pages of fast hosts alone, %d beside 1,000 slow ones: %s", alone, beside, k.what)
		}
	}
}

// checkAddress is the politeness of an address at the origin: gaps between hosts of a site, starts
// a second of different sites.
func (w *world) checkAddress(which func(hit) bool, gap time.Duration, perSecond int) (n int) {
	w.t.Helper()
	var list []time.Time
	for _, h := range w.origin.all() {
		if which(h) {
			list = append(list, h.at)
		}
	}
	for i, from := 1, 0; i < len(list); i++ {
		if d := list[i].Sub(list[i-1]); d < gap {
			w.t.Errorf("a gap of %v, at least %v is due", d, gap)
			break
		}
		for list[i].Sub(list[from]) >= time.Second {
			from++
		}
		if i-from+1 > perSecond {
			w.t.Errorf("%d starts in a second", i-from+1)
			break
		}
	}
	return len(list)
}

// TestWildcardsAreOneServer: endless hosts of one site at one address are asked once a delay
// together, and endless sites at one address ten times a second, the very first request of each
// included.
func TestWildcardsAreOneServer(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		site, many := netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("2001:db8::1")
		w.origin.where = func(host string) netip.Addr {
			if strings.HasSuffix(host, ".wild.test") {
				return site
			}
			return many
		}
		for n := range 1000 {
			w.schedule(urlN(fmt.Sprintf("h%d.wild.test", n), n))
			w.schedule(urlN(fmt.Sprintf("s%d.test", n), n))
		}
		w.wait(50 * time.Second)
		wild := func(h hit) bool { return strings.HasSuffix(h.host, ".wild.test") }
		if n := w.checkAddress(wild, 1005*time.Millisecond, 1); n < 45 {
			t.Errorf("%d requests of the site in 50 s", n)
		}
		if n := w.checkAddress(func(h hit) bool { return !wild(h) }, 100*time.Millisecond, 10); n < 450 {
			t.Errorf("%d requests of the sites in 50 s", n)
		}
	})
}

// TestNobodyIsHitForAnother: the robots.txt of 1,000 hosts redirects to one other host. That host
// is asked in turns of its own key, once for all of them, and for nothing that its own robots.txt
// forbids: then the rules of the 1,000 are not known, and nothing of them is fetched.
func TestNobodyIsHitForAnother(t *testing.T) {
	for _, k := range []struct {
		target, robots string
		asked          string // of the stranger, but for its own page
		result         schema.Outcome_Result
	}{
		{"/robots.txt", "User-agent: *\nCrawl-delay: 2\nDisallow: /p", "/robots.txt", schema.Outcome_ROBOTS},
		{"/expensive?q=1", "User-agent: *\nCrawl-delay: 2\nDisallow: /exp", "/robots.txt", schema.Outcome_ROBOTS},
		{"/shared.txt", "User-agent: *\nCrawl-delay: 2", "/robots.txt /shared.txt", schema.Outcome_ROBOTS},
	} {
		inWorld(t, nil, func(w *world) {
			w.origin.answer = func(r web.Request, path string) web.Result {
				switch {
				case r.URL == "https://stranger.example/robots.txt":
					return web.Result{Status: 200, Body: []byte(k.robots), Elapsed: 100 * time.Millisecond}
				case r.URL == "https://stranger.example/shared.txt":
					return web.Result{Status: 200, Body: []byte("User-agent: *\nDisallow: /p")}
				case path == "/robots.txt":
					return web.Result{Status: 302, Header: header("Location", "https://stranger.example"+k.target)}
				}
				return web.Result{Status: 200}
			}
			w.schedule("https://stranger.example/own")
			for n := range 1000 {
				w.schedule(fmt.Sprintf("https://h%d.test/p", n))
			}
			w.wait(50 * time.Second)
			asked := strings.Fields(w.origin.paths("stranger.example"))
			visits := 0
			for _, p := range asked {
				if p != "/own" {
					visits++
				}
			}
			// its own robots.txt may be asked for once more, by its own page
			if want := len(strings.Fields(k.asked)); visits < want || visits > want+1 {
				t.Errorf("%s: the stranger was asked for %v", k.target, asked)
			}
			if strings.Contains(strings.Join(asked, " "), "/expensive") {
				t.Errorf("%s: the stranger was asked for what it forbids", k.target)
			}
			w.checkGaps("stranger.example", 1005*time.Millisecond)
			n := 0
			for _, o := range w.outcomes() {
				if o.Result == k.result && !strings.HasPrefix(o.RowKey, "example.stranger") {
					n++
				}
			}
			if n != 1000 {
				t.Errorf("%s: %d hosts ended as %v: %.300s", k.target, n, k.result, w.results())
			}
			if c := w.f.away.count(); c == 0 || c > 2 {
				t.Errorf("%s: %d requests for another are counted", k.target, c)
			}
		})
	}
}

// TestADeadStrangerIsAskedOnceADay, by whatever number of hosts.
func TestADeadStrangerIsAskedOnceADay(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		w.origin.answer = func(r web.Request, path string) web.Result {
			if strings.Contains(r.URL, "//dead.example/") {
				return broken(web.KindConnect)
			}
			return web.Result{Status: 302, Header: header("Location", "https://dead.example/robots.txt")}
		}
		for hour := range 48 {
			for n := range 3 {
				w.schedule(urlN(fmt.Sprintf("h%d.test", n), n), func(s *schema.Scheduled) { s.Rev = int64(hour) + 1 })
			}
			w.wait(time.Hour)
		}
		if n := len(strings.Fields(w.origin.paths("dead.example"))); n > 3 {
			t.Errorf("a dead stranger was asked %d times in two days", n)
		}
		if n := len(strings.Fields(w.origin.paths("h0.test"))); n > 4 {
			t.Errorf("the host was asked for its robots.txt %d times in two days", n)
		}
	})
}

// TestTheOtherHostOfASiteIsAskedInItsTurn: robots.txt of the bare domain leads to www, which is
// being crawled.
func TestTheOtherHostOfASiteIsAskedInItsTurn(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		w.origin.answer = func(r web.Request, path string) web.Result {
			switch r.URL {
			case "https://a.test/robots.txt":
				return web.Result{Status: 301, Header: header("Location", "https://www.a.test/robots.txt")}
			case "https://www.a.test/robots.txt":
				return web.Result{Status: 200, Body: []byte("User-agent: *\nDisallow: /x")}
			}
			return web.Result{Status: 200}
		}
		for n := range 10 {
			w.schedule(urlN("www.a.test", n))
		}
		w.schedule("https://a.test/x")
		w.schedule("https://a.test/y")
		w.wait(30 * time.Second)
		w.checkGaps("www.a.test", 1005*time.Millisecond)
		if got := w.origin.paths("a.test"); got != "/robots.txt /y" {
			t.Errorf("asked for %s", got)
		}
	})
}

// TestADeadAddressIsPassedOver: the host's other addresses are tried, and the one that answers is
// remembered.
func TestADeadAddressIsPassedOver(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		good := netip.MustParseAddr("192.0.2.9")
		w.origin.list = []netip.Addr{netip.MustParseAddr("2001:db8::1"), good, netip.MustParseAddr("2001:db8:1::2")}
		tries := 0
		w.origin.connect = func(a netip.Addr) error {
			if tries++; a != good {
				return errCut
			}
			return nil
		}
		for n := range 3 {
			w.schedule(urlN("a.test", n))
		}
		w.wait(20 * time.Second)
		if got := w.results(); got != "OK OK OK" || tries != 5 {
			t.Errorf("results %s after %d connections", got, tries)
		}
		w.checkGaps("a.test", 1005*time.Millisecond)
	})
	inWorld(t, nil, func(w *world) {
		w.origin.list = []netip.Addr{netip.MustParseAddr("2001:db8::1"), netip.MustParseAddr("192.0.2.9")}
		w.origin.connect = func(netip.Addr) error { return errCut }
		w.schedule("https://a.test/1")
		w.wait(20 * time.Second)
		if o := w.one(); o.Result != schema.Outcome_NETWORK || o.ErrorKind != "connect" || o.GetHostNotice().GetBlockedUntil() == 0 {
			t.Errorf("outcome %v", o)
		}
	})
}

// TestFeedsGoOnWhileExtractIsBehind, and class 0 does; pages of this partition wait. The same holds
// while schedule or the index is behind (streams.Partition.Eased).
func TestFeedsGoOnWhileExtractIsBehind(t *testing.T) {
	for name, is := range map[string]func(*link) *atomic.Bool{
		"extract":           func(l *link) *atomic.Bool { return &l.waiting },
		"schedule or index": func(l *link) *atomic.Bool { return &l.easing },
	} {
		t.Run(name, func(t *testing.T) { feedsGoOn(t, is) })
	}
}

func feedsGoOn(t *testing.T, is func(*link) *atomic.Bool) {
	inWorld(t, nil, func(w *world) {
		is(w.rec).Store(true)
		_ = w.task.Tick(w.t.Context(), time.Now())
		for n := range 5 {
			w.schedule(urlN("a.test", n), func(s *schema.Scheduled) { s.Class = 3 })
		}
		w.schedule("https://a.test/feed", func(s *schema.Scheduled) { s.Kind, s.Class = schema.Kind_FEED, 5 })
		w.schedule("https://b.test/map", func(s *schema.Scheduled) { s.Kind = schema.Kind_SITEMAP })
		w.schedule("https://c.test/now", func(s *schema.Scheduled) { s.Class = 0 })
		w.wait(10 * time.Second)
		for host, want := range map[string]string{"a.test": "/robots.txt /feed", "b.test": "/robots.txt /map", "c.test": "/robots.txt /now"} {
			if got := w.origin.paths(host); got != want {
				t.Errorf("%s: asked for %q, want %q", host, got, want)
			}
		}
		is(w.rec).Store(false)
		_ = w.task.Tick(w.t.Context(), time.Now())
		w.wait(10 * time.Second)
		synctest.Wait()
		if n := len(w.outcomes()); n != 8 {
			t.Errorf("%d outcomes", n)
		}
	})
}
