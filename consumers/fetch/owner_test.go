package fetch

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"millrace/consumers/fetch/web"
	"millrace/schema"
)

// TestANewOwnerWaitsOneDelay: the last owner may have sent a request a moment ago, except at a
// first contact.
func TestANewOwnerWaitsOneDelay(t *testing.T) {
	inWorld(t, func(o *Options) { o.Delay = 10 * time.Second }, func(w *world) {
		began := time.Now()
		w.schedule("https://old.test/1", func(s *schema.Scheduled) { s.FirstContact = false })
		w.schedule("https://new.test/1")
		w.wait(15 * time.Second)
		first := map[string]time.Duration{}
		for _, h := range w.origin.all() {
			if _, ok := first[h.host]; !ok {
				first[h.host] = h.at.Sub(began)
			}
		}
		if first["old.test"] < 10*time.Second || first["new.test"] != 0 {
			t.Errorf("first requests after %v", first)
		}
	})
}

// TestAFirstContactThatWasThereBeforeItsOwnerIsNone: the last owner may have begun it and died.
func TestAFirstContactThatWasThereBeforeItsOwnerIsNone(t *testing.T) {
	inWorld(t, func(o *Options) { o.Delay = 10 * time.Second }, func(w *world) {
		began := time.Now()
		w.task.inherited = 1
		w.schedule("https://old.test/1")
		w.schedule("https://new.test/1")
		w.wait(15 * time.Second)
		first := map[string]time.Duration{}
		for _, h := range w.origin.all() {
			if _, ok := first[h.host]; !ok {
				first[h.host] = h.at.Sub(began)
			}
		}
		if first["old.test"] < 10*time.Second || first["new.test"] != 0 {
			t.Errorf("first requests after %v", first)
		}
	})
}

// TestNothingIsAFirstContactOnALogMadeAnew: schedule sends again what the last owner may have
// begun.
func TestNothingIsAFirstContactOnALogMadeAnew(t *testing.T) {
	inWorld(t, func(o *Options) { o.Delay = 10 * time.Second }, func(w *world) {
		began := time.Now()
		w.rec.Raised = 1
		if _, err := w.task.Recover(t.Context()); err != nil {
			t.Fatal(err)
		}
		w.schedule("https://old.test/1")
		w.wait(15 * time.Second)
		all := w.origin.all()
		if len(all) == 0 || all[0].at.Sub(began) < 10*time.Second {
			t.Errorf("requests after %s: %v", began, all)
		}
	})
}

// TestHandover is I4 through rebalances: whatever moment a partition changes hands, the server sees
// no short gap, and nothing is lost.
func TestHandover(t *testing.T) {
	for seed := range uint64(12) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 7))
			inWorld(t, nil, func(w *world) {
				w.robots("User-agent: *\nCrawl-delay: 2")
				slow := web.Result{Status: 200, Body: []byte("x"), Elapsed: time.Duration(r.IntN(3000)) * time.Millisecond}
				page := w.origin.answer
				w.origin.answer = func(q web.Request, path string) web.Result {
					if path != "/robots.txt" {
						return slow
					}
					return page(q, path)
				}
				w.origin.set(func() { w.origin.dial = time.Duration(r.IntN(300)) * time.Millisecond })
				open := map[int64]string{}
				for n := range 30 {
					u := urlN(fmt.Sprintf("h%d.test", n%3), n)
					open[w.schedule(u, func(s *schema.Scheduled) { s.FirstContact = n < 3 })] = u
				}
				for range 6 {
					w.wait(time.Duration(r.IntN(9000)) * time.Millisecond)
					w.shut(r.IntN(3) == 0)
					handOver(w, open)
				}
				w.wait(4 * time.Minute)
				for _, o := range w.rec.Dones() {
					delete(open, o)
				}
				if len(open) > 0 {
					t.Errorf("not done: %v", open)
				}
				for n := range 3 {
					w.checkGaps(fmt.Sprintf("h%d.test", n), 2010*time.Millisecond)
				}
			})
		})
	}
}

// handOver starts the next owner with the records that are not done.
func handOver(w *world, open map[int64]string) {
	for _, o := range w.rec.Dones() {
		delete(open, o)
	}
	w.collect()
	w.boot(w.f.o)
	for offset := range w.next {
		u, ok := open[offset]
		if !ok {
			continue
		}
		parsed, _ := new(schema.Canonicalizer).Parse(u)
		s := &schema.Scheduled{RowKey: string(parsed.RowKey()), Url: u, Site: string(parsed.Site()), Rev: 1, PoliteKey: string(parsed.Host())}
		if err := w.handle(s, offset); err != nil {
			w.t.Fatal(err)
		}
	}
}

// TestRevokeLetsRequestsInFlightEnd: what was written has its outcome, what was not is left to the
// next owner, and nothing starts afterwards.
func TestRevokeLetsRequestsInFlightEnd(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		w.serve("/slow", web.Result{Status: 200, Elapsed: 5 * time.Second})
		w.serve("/endless", web.Result{Status: 200, Elapsed: time.Hour})
		slow := w.schedule("https://a.test/slow")
		w.schedule("https://b.test/endless")
		w.schedule("https://a.test/waits")
		w.wait(3 * time.Second)
		w.origin.set(func() { w.origin.dial = 30 * time.Second })
		w.schedule("https://c.test/dialling")
		synctest.Wait()
		ctx, cancel := context.WithTimeout(w.t.Context(), 10*time.Second)
		defer cancel()
		began := time.Now()
		w.task.Revoke(ctx, false)
		if d := time.Since(began); d < 9*time.Second || d > 11*time.Second {
			t.Errorf("revoked after %v; there is work of an hour and a bound of 10 s", d)
		}
		if done := w.rec.Dones(); len(done) != 1 || done[0] != slow {
			t.Errorf("done %v", done)
		}
		n := len(w.origin.all())
		w.wait(time.Minute)
		if len(w.origin.all()) != n || w.origin.paths("c.test") != "" {
			t.Error("something was asked for after the end")
		}
	})
}

// TestRevokeStopsDiallingAtOnce: what has not been written is not waited for, and nothing of the
// partition stays in memory.
func TestRevokeStopsDiallingAtOnce(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		w.origin.set(func() { w.origin.dial = 30 * time.Second })
		w.schedule("https://a.test/dialling")
		w.schedule("https://a.test/waiting")
		synctest.Wait()
		began := time.Now()
		w.task.Revoke(w.t.Context(), false)
		if d := time.Since(began); d > time.Second || len(w.rec.Dones()) != 0 {
			t.Errorf("revoked after %v, done %v", d, w.rec.Dones())
		}
		if n := len(w.f.hosts.byID) + w.f.bench.Len() + w.f.bench.Keys(); n != 0 {
			t.Errorf("%d things left behind", n)
		}
	})
}

func TestLostPartitionsAreLetGoAtOnce(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		w.serve("/slow", web.Result{Status: 200, Elapsed: 5 * time.Second})
		w.schedule("https://a.test/slow")
		w.wait(3 * time.Second)
		began := time.Now()
		w.task.Revoke(w.t.Context(), true)
		if time.Since(began) > time.Second || len(w.rec.Dones()) != 0 || len(w.outcomes()) != 0 {
			t.Errorf("after %v: done %v, outcomes %v", time.Since(began), w.rec.Dones(), w.outcomes())
		}
	})
}

// TestAStaleMemberWritesNothing is the zombie rule; when the heartbeat is good again the work goes
// on.
func TestAStaleMemberWritesNothing(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		w.rec.stale.Store(true)
		w.schedule("https://a.test/1")
		w.wait(10 * time.Second)
		if len(w.origin.all()) != 0 || len(w.rec.Dones()) != 0 {
			t.Errorf("asked for %s", w.origin.paths("a.test"))
		}
		w.rec.stale.Store(false)
		w.wait(10 * time.Second)
		if got := w.results(); got != "OK" {
			t.Errorf("results %s", got)
		}
	})
}

// TestWhatWasNotWrittenBeforeAStopIsCancelled: requests that were being dialled when the process
// was stopped begin anew, later.
func TestWhatWasNotWrittenBeforeAStopIsCancelled(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		w.serve("/slow", web.Result{Status: 200, Elapsed: 5 * time.Second})
		w.schedule("https://b.test/slow")
		w.wait(2 * time.Second)
		w.origin.set(func() { w.origin.dial = 2 * time.Second })
		w.schedule("https://a.test/1")
		w.wait(time.Second)
		w.f.wasStopped()
		w.origin.set(func() { w.origin.dial = 0 })
		w.wait(1500 * time.Millisecond)
		if got := w.origin.paths("a.test"); got != "" {
			t.Errorf("asked for %s after the stop", got)
		}
		w.wait(10 * time.Second)
		if got := w.results(); got != "OK OK" {
			t.Errorf("results %s", got)
		}
	})
}

// TestPulse: after a stop nothing may be written before the beat that finds out has cancelled what
// was under way.
func TestPulse(t *testing.T) {
	at := time.Now()
	p := newPulse(at)
	stops := 0
	stopped := func() {
		stops++
		if p.steady(at) {
			t.Error("steady while the stop is being handled")
		}
	}
	for range 10 {
		at = at.Add(pulseEvery)
		p.beat(at, stopped)
	}
	if stops != 0 || !p.steady(at.Add(pulseGap)) {
		t.Errorf("%d stops of a running process", stops)
	}
	at = at.Add(pulseGap + time.Millisecond)
	if p.steady(at) {
		t.Error("steady after a gap")
	}
	p.beat(at, stopped)
	if stops != 1 || p.steady(at) {
		t.Errorf("%d stops found, steady %v before a heartbeat can have been answered", stops, p.steady(at))
	}
	for range pulseSettle / pulseEvery {
		at = at.Add(pulseEvery)
		p.beat(at, stopped)
	}
	if stops != 1 || !p.steady(at) {
		t.Errorf("%d stops found, steady %v in the end", stops, p.steady(at))
	}
}

func TestAFullBenchDefersAtOnce(t *testing.T) {
	inWorld(t, func(o *Options) { o.MaxHeld = 3 }, func(w *world) {
		w.rec.waiting.Store(true)
		_ = w.task.Tick(w.t.Context(), time.Now())
		for n := range 5 {
			w.schedule(urlN("a.test", n))
		}
		synctest.Wait()
		if got := w.results(); got != "DEFERRED DEFERRED" {
			t.Errorf("results %s", got)
		}
	})
}

// TestNothingIsWrittenOnceThePartitionIsGivenUp: also not by a request that its cancellation has
// not reached yet.
func TestNothingIsWrittenOnceThePartitionIsGivenUp(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		a := &attempt{f: w.f, it: &item{task: w.task}}
		if err := a.mayWrite(); err != nil || !a.written.Load() {
			t.Errorf("an owner may write: %v", err)
		}
		w.task.Revoke(w.t.Context(), false)
		late := &attempt{f: w.f, it: &item{task: w.task}}
		if err := late.mayWrite(); err == nil || late.written.Load() {
			t.Error("written after the end")
		}
	})
}

// TestHostsAtOneAddressShareItsDelay: hosts of one site, from the first request of each on.
func TestHostsAtOneAddressShareItsDelay(t *testing.T) {
	inWorld(t, func(o *Options) { o.Bench.SiteDelay = 3 * time.Second }, func(w *world) {
		w.origin.addr = netip.MustParseAddr("192.0.2.7")
		for n := range 8 {
			w.schedule(urlN(fmt.Sprintf("h%d.one.test", n%2), n))
		}
		w.wait(50 * time.Second)
		if got := len(w.outcomes()); got != 8 {
			t.Errorf("%d outcomes", got)
		}
		for i := 1; i < len(w.origin.all()); i++ {
			if gap := w.origin.all()[i].at.Sub(w.origin.all()[i-1].at); gap < 3015*time.Millisecond {
				t.Errorf("gap of %v at one address", gap)
			}
		}
	})
}

// TestNewsIsNotHeldUpBySlowHosts is I13: 2,000 hosts that answer after 30 s and 60,000 URLs wait;
// an item of a feed is on the wire at once, and its page within the host's delay.
func TestNewsIsNotHeldUpBySlowHosts(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		w.serve("/item", web.Result{Status: 200})
		quick := w.origin.answer
		w.origin.answer = func(r web.Request, path string) web.Result {
			res := quick(r, path)
			if path != "/item" && !strings.Contains(r.URL, "news.test") {
				res.Elapsed = 30 * time.Second
			}
			return res
		}
		for n := range 60_000 {
			w.schedule(urlN(fmt.Sprintf("h%d.test", n%2000), n))
		}
		w.wait(45 * time.Second)
		came := time.Now()
		w.schedule("https://news.test/item", func(s *schema.Scheduled) { s.Class = 0 })
		w.wait(5 * time.Second)
		if got := w.origin.paths("news.test"); got != "/robots.txt /item" {
			t.Fatalf("asked for %q", got)
		}
		last := w.origin.all()[0].at
		for _, h := range w.origin.all() {
			if h.path == "/item" {
				last = h.at
			}
		}
		if d := last.Sub(came); d > 2*time.Second {
			t.Errorf("on the wire after %v", d)
		}
	})
}

// TestFastHostsDoNotFeelSlowOnes is I13: beside 2,000 hosts with a crawl-delay of a minute, of
// which schedule keeps as many URLs in hand as it may, 50 others are fetched within 5 % as fast as
// without them. Every answer takes 200 ms.
func TestFastHostsDoNotFeelSlowOnes(t *testing.T) {
	const slow, fast, each = 2000, 50, 60
	fetched := func(slowHosts int) (n int) {
		inWorld(t, func(o *Options) { o.Delay = time.Second }, func(w *world) {
			w.origin.answer = func(r web.Request, path string) web.Result {
				res := web.Result{Status: 200, Body: []byte("page"), Elapsed: 200 * time.Millisecond}
				if path == "/robots.txt" && strings.Contains(r.URL, "slow") {
					res.Body = []byte("User-agent: *\nCrawl-delay: 60")
				} else if path == "/robots.txt" {
					res.Status = 404
				}
				return res
			}
			for n := range slowHosts * 2 {
				w.schedule(urlN(fmt.Sprintf("slow%d.test", n%slowHosts), n))
			}
			for n := range fast * each {
				w.schedule(urlN(fmt.Sprintf("fast%d.test", n%fast), n))
			}
			w.wait(40 * time.Second)
			for _, h := range w.origin.all() {
				if strings.HasPrefix(h.host, "fast") && h.path != "/robots.txt" {
					n++
				}
			}
		})
		return n
	}
	alone, beside := fetched(0), fetched(slow)
	t.Logf("%d pages of fast hosts alone, %d beside slow ones", alone, beside)
	if alone < fast*each/2 || float64(beside) < 0.95*float64(alone) {
		t.Errorf("%d pages of fast hosts alone, %d beside slow ones", alone, beside)
	}
}
