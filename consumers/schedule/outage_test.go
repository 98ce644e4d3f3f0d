package schedule

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"millrace/schema"
)

// Nothing ends because of an outage, ours or a host's, however long, and everything
// is asked again soon after it.
func TestAnOutageEndsNothing(t *testing.T) {
	for name, answer := range map[string]func(*schema.Outcome){
		"dns":         func(o *schema.Outcome) { o.Result, o.ErrorKind, o.HttpStatus = schema.Outcome_NETWORK, "dns", 0 },
		"bad gateway": func(o *schema.Outcome) { o.Result, o.HttpStatus = schema.Outcome_SERVER_ERROR, 502 },
		"robots.txt": func(o *schema.Outcome) {
			o.Result, o.HttpStatus = schema.Outcome_ROBOTS, 0
			o.HostNotice = &schema.HostNotice{Robots: schema.HostNotice_UNREACHABLE}
		},
	} {
		for _, long := range []time.Duration{75 * time.Minute, 6 * time.Hour, 3 * 24 * time.Hour} {
			t.Run(fmt.Sprint(name, " ", long), func(t *testing.T) { outage(t, long, answer) })
		}
	}
}

func outage(t *testing.T, long time.Duration, answer func(*schema.Outcome)) {
	w := newWorld(t, func(o *Options) { o.Delay = 0 })
	keys := []string{":http/feed", ":http/"}
	w.append(added("com.example", "seeds", &schema.AddItem{Url: "http://example.com/"},
		&schema.AddItem{Url: "http://example.com/feed", Kind: schema.Kind_FEED}))
	w.append(linksTo("com.example", paths(5)...))
	keys = append(keys, paths(5)...)
	down := false
	step := func(d, each time.Duration) {
		for end := w.clock.Add(d); w.clock.Before(end); w.clock = w.clock.Add(each) {
			w.run()
			for _, i := range w.unfinished() {
				w.finish(i, func(o *schema.Outcome) {
					if o.Bytes = w.clock.UnixMilli(); down {
						answer(o)
					}
				})
			}
		}
	}
	step(time.Hour, time.Minute)
	down = true
	w.append(linksTo("com.example", ":http/new"))
	step(long, 5*time.Minute)
	back := w.clock.UnixMilli()
	down = false
	step(27*time.Hour, 5*time.Minute)
	for _, p := range append(keys, ":http/new") {
		row := w.row("com.example" + p)
		if row == nil || row.Status != schema.UrlRow_FETCHED || row.Fails != 0 {
			t.Errorf("%s: %v", p, row)
		} else if row.FetchedAt < back {
			t.Errorf("%s was not asked again within 27 h", p)
		}
	}
	if len(w.docs) > 0 {
		t.Errorf("%d documents were withdrawn", len(w.docs))
	}
}

// A URL that fetch deferred because we are offline counts no failure.
func TestOfflineCountsNothing(t *testing.T) {
	w := newWorld(t, func(o *Options) { o.Delay = 0 })
	w.append(linksTo("com.example", ":http/a"))
	w.run()
	for i := range 30 {
		w.finish(i, func(o *schema.Outcome) {
			o.Result, o.ErrorKind, o.HttpStatus, o.FetchedAt = schema.Outcome_DEFERRED, "offline", 0, 0
			o.Until = w.clock.Add(time.Minute).UnixMilli()
		})
		w.pass(2*time.Minute, 10*time.Second)
		if len(w.out) != i+2 {
			t.Fatalf("%d emitted after %d deferrals", len(w.out), i+1)
		}
	}
	if row := w.row("com.example:http/a"); row.Waits != 0 || row.Fails != 0 || row.Status != schema.UrlRow_QUEUED {
		t.Errorf("row %v", row)
	}
}

// An ended URL is fetched again by itself, more and more rarely, and can come back.
func TestGoneIsAskedAgain(t *testing.T) {
	w := onePage(t)
	w.pass(27*time.Hour, time.Hour)
	last := w.clock
	for i, want := range []time.Duration{time.Hour, 24 * time.Hour, 7 * 24 * time.Hour, 30 * 24 * time.Hour, 30 * 24 * time.Hour} {
		w.finish(i+1, func(o *schema.Outcome) { o.Result, o.HttpStatus = schema.Outcome_GONE, 404 })
		w.run()
		last = w.clock
		for len(w.out) == i+2 && w.clock.Sub(last) < 2*want {
			w.pass(want/40, want/40)
		}
		if waited := w.clock.Sub(last); waited < want*85/100 || waited > want*115/100 {
			t.Errorf("asked again after %s, want about %s", waited, want)
		}
	}
	if len(w.docs) != 1 {
		t.Errorf("%d Gone, want 1", len(w.docs))
	}
	w.finish(len(w.out)-1, nil)
	w.run()
	if row := w.row("com.example:http/a"); row.Status != schema.UrlRow_FETCHED || !row.HadPage || row.Ends != 0 {
		t.Errorf("after it came back: %v", row)
	}
}

// New evidence makes an ended URL due at once; a mention by another site does not.
func TestEvidenceBringsAnEndedURLBack(t *testing.T) {
	later := func(w *world) int64 { return w.clock.Add(time.Minute).UnixMilli() }
	const u = "http://example.com/a"
	for name, c := range map[string]struct {
		say  func(w *world) *schema.Discovered
		back bool
	}{
		"seed": {func(*world) *schema.Discovered { return added("com.example", "seeds", &schema.AddItem{Url: u}) }, true},
		"feed item": {func(w *world) *schema.Discovered {
			return added("com.example", "feeds", &schema.AddItem{Url: u, PublishedAt: later(w)})
		}, true},
		"sitemap": {func(w *world) *schema.Discovered {
			return added("com.example", "sitemaps", &schema.AddItem{Url: u, Lastmod: later(w)})
		}, true},
		"old line of a sitemap": {func(w *world) *schema.Discovered {
			return added("com.example", "sitemaps", &schema.AddItem{Url: u, Lastmod: 1})
		}, false},
		"sitemap of a stranger": {func(w *world) *schema.Discovered {
			m := added("com.example", "sitemaps", &schema.AddItem{Url: u, Lastmod: later(w)})
			m.GetAdd().FeedRowKey = "com.stranger:http/sitemap.xml"
			return m
		}, false},
		"link": {func(*world) *schema.Discovered { return linksTo("com.example", ":http/a") }, false},
	} {
		for _, status := range []int32{404, 410, 403} {
			t.Run(fmt.Sprint(name, " ", status), func(t *testing.T) {
				w := newWorld(t, func(o *Options) { o.Delay, o.MaxFailures = 0, 1 })
				w.append(linksTo("com.example", ":http/a"))
				w.run()
				w.finish(0, func(o *schema.Outcome) {
					if o.Result, o.HttpStatus = schema.Outcome_GONE, status; status == 403 {
						o.Result = schema.Outcome_CLIENT_ERROR
					}
				})
				w.pass(time.Minute, time.Minute)
				w.append(c.say(w))
				w.run()
				if back := len(w.out) == 2; back != c.back {
					t.Errorf("emitted again: %t, want %t; %v", back, c.back, w.row("com.example:http/a"))
				}
			})
		}
	}
}

// In a year no feed is asked less than its maximum says, whatever it answers and
// whatever it asks for, and no page is forgotten. A feed that lists something new is
// asked more often than one that answers the same bytes in other words.
func TestInAYearNothingIsForgotten(t *testing.T) {
	w := newWorld(t, func(o *Options) { o.Delay = 0 })
	feeds := []string{"unchanged", "same", "new", "broken", "shy"}
	var items []*schema.AddItem
	for _, f := range feeds {
		items = append(items, &schema.AddItem{Url: "http://example.com/" + f, Kind: schema.Kind_FEED})
	}
	w.append(added("com.example", "seeds", append(items, &schema.AddItem{Url: "http://example.com/page"})...))
	const step = 30 * time.Minute
	last, longest, polls := map[string]time.Time{}, map[string]time.Duration{}, map[string]int{}
	for end := w.clock.Add(365 * 24 * time.Hour); w.clock.Before(end); w.clock = w.clock.Add(step) {
		w.run()
		for _, i := range w.unfinished() {
			s := w.out[i]
			name := s.RowKey[strings.LastIndex(s.RowKey, "/")+1:]
			if at, ok := last[name]; ok {
				longest[name] = max(longest[name], w.clock.Sub(at))
			}
			last[name] = w.clock
			polls[name]++
			w.finish(i, func(o *schema.Outcome) {
				if o.Etag = fmt.Sprint(i); name == "unchanged" && s.Etag != "" {
					o.Result, o.HttpStatus = schema.Outcome_UNCHANGED, 304
				}
			})
			switch name {
			case "page":
				w.append(digestOf(s, "text", nil))
			case "broken": // nobody could read it
			default:
				m := &schema.Listed{RowKey: s.RowKey, Rev: s.Rev, FetchedAt: w.clock.UnixMilli(), Ids: []uint32{7}, Hash: []byte("same")}
				switch name {
				case "new":
					m.Ids, m.Hash = []uint32{uint32(i), 7}, []byte(fmt.Sprint(i))
				case "shy": // never, please
					m.SkipHours, m.SkipDays, m.EveryMs = 1<<24-1, 1<<7-1, 1<<50
				}
				w.append(&schema.Discovered{Host: "com.example", Body: &schema.Discovered_Listed{Listed: m}})
			}
		}
		w.out, w.done = w.out[len(w.out):], map[int]bool{}
	}
	for _, f := range feeds {
		if longest[f] > w.opts.MaxFeed+step || polls[f] < 365*4 {
			t.Errorf("%s: %d polls, %s between two", f, polls[f], longest[f])
		}
	}
	if longest["page"] > w.opts.MaxInterval*11/10+step || polls["page"] < 10 {
		t.Errorf("the page: %d looks, %s between two", polls["page"], longest["page"])
	}
	if polls["new"] < 10*polls["same"] {
		t.Errorf("%d polls of a feed with something new each time, %d of one that lists the same", polls["new"], polls["same"])
	}
}
