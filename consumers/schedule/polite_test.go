package schedule

import (
	"fmt"
	"testing"
	"time"

	"millrace/consumers/schedule/policy"
	"millrace/consumers/schedule/politeness"
	"millrace/schema"
)

// fetcher keeps the delay of each host exactly, as fetch does: a request starts
// when the URL is there and the delay since the last start has passed.
type fetcher struct {
	w     *world
	delay func(host schema.Host) time.Duration
	hangs func(host schema.Host) bool
	next  map[schema.Host]time.Time
	leads []time.Duration // between emission and start
	asked map[schema.Host]int
}

func newFetcher(w *world, delay time.Duration) *fetcher {
	return &fetcher{w: w, next: map[schema.Host]time.Time{}, asked: map[schema.Host]int{},
		delay: func(schema.Host) time.Duration { return delay },
		hangs: func(schema.Host) bool { return false }}
}

// step starts what may start now and answers it.
func (f *fetcher) step() {
	for _, i := range f.w.unfinished() {
		s := f.w.out[i]
		host := schema.RowKey(s.RowKey).Host()
		if f.hangs(host) || f.w.clock.Before(f.next[host]) {
			continue
		}
		f.next[host] = f.w.clock.Add(f.delay(host))
		f.leads = append(f.leads, f.w.clock.Sub(time.UnixMilli(s.ScheduledAt)))
		f.asked[host]++
		f.w.finish(i, nil)
	}
}

func (f *fetcher) run(d time.Duration) {
	for end := f.w.clock.Add(d); f.w.clock.Before(end); {
		f.w.run()
		f.step()
		f.w.clock = f.w.clock.Add(50 * time.Millisecond)
	}
}

func paths(n int) []string {
	var out []string
	for i := range n {
		out = append(out, fmt.Sprintf(":http/p%d", i))
	}
	return out
}

// Nothing is emitted more than the lead before it can start, and still no key
// waits for the frontier.
func TestLeadAndWindow(t *testing.T) {
	for _, delay := range []time.Duration{250 * time.Millisecond, time.Second, 4 * time.Second, 30 * time.Second} {
		t.Run(delay.String(), func(t *testing.T) {
			w := newWorld(t, func(o *Options) { o.Delay = delay })
			w.append(linksTo("com.example", paths(100)...))
			w.run()
			if n := len(w.unfinished()); n != 1 {
				t.Errorf("%d in flight of a host never asked, want 1", n)
			}
			f := newFetcher(w, delay)
			f.run(2 * delay)
			window := int(max(1, politeness.Lead/delay))
			if n := len(w.unfinished()); n != window {
				t.Errorf("%d in flight, want %d", n, window)
			}
			f.run(18 * delay)
			if n := f.asked["com.example"]; n != 20 {
				t.Errorf("%d requests in the time of 20", n)
			}
			for _, lead := range f.leads {
				if lead > 5*time.Second+100*time.Millisecond {
					t.Errorf("emitted %s before it could start", lead)
				}
			}
		})
	}
}

// A host that asks for a longer delay, or is blocked, gets it.
func TestNoticeSlowsAHost(t *testing.T) {
	w := newWorld(t, func(o *Options) { o.Delay = 0 })
	w.append(linksTo("com.example", paths(4)...))
	w.run()
	w.finish(0, nil)
	w.run()
	if len(w.out) != 4 {
		t.Fatalf("%d emitted without a delay, want 4", len(w.out))
	}
	w.finish(3, func(o *schema.Outcome) {
		o.Result, o.HttpStatus = schema.Outcome_SERVER_ERROR, 503
		o.HostNotice = &schema.HostNotice{BlockedUntil: w.clock.Add(10 * time.Minute).UnixMilli(), CrawlDelayMs: 20_000}
	})
	w.finish(1, func(o *schema.Outcome) {
		o.HostNotice = &schema.HostNotice{Robots: schema.HostNotice_RULES, CrawlDelayMs: 20_000}
	})
	w.finish(2, func(o *schema.Outcome) {
		o.Result, o.HostNotice = schema.Outcome_ROBOTS, &schema.HostNotice{Robots: schema.HostNotice_UNREACHABLE}
	})
	w.append(linksTo("com.example", ":http/new"))
	w.pass(10*time.Minute-6*time.Second, time.Second)
	if len(w.out) != 4 {
		t.Fatalf("emitted while the host was blocked: %v", w.out[4])
	}
	w.pass(3*time.Second, time.Second)
	if len(w.out) != 5 {
		t.Fatalf("%d emitted shortly before the block ends, want one more", len(w.out)-4)
	}
	if row := w.row(w.out[3].RowKey); row.Fails != 0 || row.Waits != 1 {
		t.Errorf("503 counted against the URL: %v", row)
	}
}

// I13: two thousand hosts that hang do not slow the others, and what is needed
// now goes out at once.
func TestSlowHostsHoldNobodyUp(t *testing.T) {
	const slow, fast = 2000, 20
	alone := quickRequests(t, 0, fast)
	beside := quickRequests(t, slow, fast)
	if beside < alone*95/100 {
		t.Errorf("%d requests of fast hosts beside %d slow ones, %d without them", beside, slow, alone)
	}
}

func quickRequests(t *testing.T, slow, fast int) int {
	w := newWorldOn(t, newMemory(), 1, nil)
	f := newFetcher(w, time.Second)
	f.hangs = func(h schema.Host) bool { return h[4] == 's' }
	for i := range slow {
		w.append(linksTo(schema.Host(fmt.Sprintf("com.slow%d", i)), paths(10)...))
	}
	for i := range fast {
		w.append(linksTo(schema.Host(fmt.Sprintf("com.fast%d", i)), paths(100)...))
	}
	f.run(10 * time.Second) // each host was tried
	clear(f.asked)
	f.run(15 * time.Second)
	before := len(w.out)
	w.append(added("com.news", "feeds", &schema.AddItem{Url: "http://news.com/item"}))
	w.run()
	if out := w.out[before:]; len(out) == 0 || out[0].RowKey != "com.news:http/item" || out[0].Class != policy.ClassNow {
		t.Errorf("a feed item was not emitted first: %v", out)
	}
	n := 0
	for _, asked := range f.asked {
		n += asked
	}
	return n
}

// The log is read again only if something is overdue.
func TestTheTailIsNotReadWithoutNeed(t *testing.T) {
	w := newWorld(t, nil)
	w.append(linksTo("com.example", paths(400)...))
	newFetcher(w, time.Second).run(5 * time.Minute)
	if w.looks != 1 {
		t.Errorf("the unread part of urls.scheduled was read %d times, want once", w.looks)
	}
}
