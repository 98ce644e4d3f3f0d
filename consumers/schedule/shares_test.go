package schedule

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"millrace/schema"
)

// Pages that change at every look do not starve new ones: at least half of a host's
// turns go to what was never fetched.
func TestRecrawlsDoNotStarveNewPages(t *testing.T) {
	const changing, articles, delay = 40, 100, 2 * time.Minute
	w := newWorld(t, func(o *Options) {
		o.Delay, o.Interval, o.MinInterval, o.RecrawlShare = delay, time.Minute, time.Minute, 1
	})
	w.append(linksTo("com.example", paths(changing)...))
	fresh, others, seen := 0, 0, map[string]bool{}
	found := w.clock.Add(5 * 24 * time.Hour)
	for w.clock.Before(found.Add(articles * 2 * delay)) {
		w.run()
		if open := w.unfinished(); len(open) > 0 {
			s := w.out[open[0]]
			w.finish(open[0], nil)
			w.append(digestOf(s, fmt.Sprint(s.RowKey, s.Rev), nil))
			if strings.Contains(s.RowKey, "article") && !seen[s.RowKey] {
				fresh++
				seen[s.RowKey] = true
			} else if w.clock.After(found) {
				others++
			}
		}
		if w.clock.Equal(found) {
			for i := range articles {
				w.append(linksTo("com.example", fmt.Sprintf(":http/article%d", i)))
			}
		}
		w.clock = w.clock.Add(delay)
	}
	if fresh < articles*95/100 || others < articles*8/10 {
		t.Errorf("of %d turns %d went to %d new articles, %d to re-crawls", 2*articles, fresh, articles, others)
	}
}

// A thousand new articles beside ten thousand pages that change all the time, on one
// host: all articles are fetched within twice the time that they alone would take,
// even if re-crawls could take every turn.
func TestArticlesBesideEverChangingPages(t *testing.T) {
	const pages, articles, delay = 10_000, 1000, time.Second
	w := newWorld(t, func(o *Options) {
		o.Delay, o.Interval, o.MinInterval, o.RecrawlShare = delay, time.Minute, time.Minute, 1
	})
	for from := 0; from < pages; from += 1000 {
		w.append(linksTo("com.example", paths(pages)[from:from+1000]...))
	}
	seen, before, recrawls, found := map[string]bool{}, 0, 0, 0
	var began time.Time
	for found < articles {
		if began.IsZero() && len(seen) == pages && before > pages/2 {
			began = w.clock
			for from := 0; from < articles; from += 100 {
				var list []string
				for i := range 100 {
					list = append(list, fmt.Sprintf(":http/article%d", from+i))
				}
				w.append(linksTo("com.example", list...))
			}
		}
		if found+recrawls > 2*articles+20 { // a host's requests are its time: one each delay
			t.Fatalf("%d of %d articles within twice as many requests", found, articles)
		}
		w.run()
		for _, i := range w.unfinished() {
			s := w.out[i]
			w.finish(i, nil)
			w.append(digestOf(s, fmt.Sprint(s.Rev), nil))
			switch first := !seen[s.RowKey]; {
			case first && strings.Contains(s.RowKey, "article"):
				found++
			case !began.IsZero():
				recrawls++
			case !first:
				before++
			}
			seen[s.RowKey] = true
		}
		w.out, w.done = nil, map[int]bool{}
		w.clock = w.clock.Add(delay)
	}
	if recrawls < articles*8/10 {
		t.Errorf("%d re-crawls beside %d articles", recrawls, articles)
	}
}

// A sitemap that gives every page a new date at every poll costs its host at most
// a twentieth of its requests, and sixteen.
func TestLyingDatesCostLittle(t *testing.T) {
	honest, _ := requestsWithSitemap(t, false)
	lying, fresh := requestsWithSitemap(t, true)
	if fresh != 100 || lying > honest*105/100+16 {
		t.Errorf("%d requests with lies and %d without; %d of 100 new pages", lying, honest, fresh)
	}
}

// requestsWithSitemap counts the requests of three days to a host of pages that never
// change, with a poll of its sitemap each half hour, and those of new pages.
func requestsWithSitemap(t *testing.T, lies bool) (n, fresh int) {
	const pages, step = 300, 20 * time.Second
	w := newWorld(t, func(o *Options) { o.Delay = time.Second })
	begin, seen := w.clock, map[string]bool{}
	for i := 0; w.clock.Sub(begin) < 72*time.Hour; i++ {
		if i%90 == 0 {
			var items []*schema.AddItem
			for k := range pages {
				item := &schema.AddItem{Url: fmt.Sprintf("http://example.com/p%d", k), Lastmod: begin.UnixMilli()}
				if lies {
					item.Lastmod = w.clock.UnixMilli()
				}
				items = append(items, item)
			}
			m := added("com.example", "sitemaps", items...)
			m.GetAdd().FeedRowKey = "com.example:http/sitemap.xml"
			w.append(m)
		}
		if i == 1000 {
			for k := range 100 {
				w.append(linksTo("com.example", fmt.Sprintf(":http/new%d", k)))
			}
		}
		w.run()
		for _, open := range w.unfinished() {
			s := w.out[open]
			if n++; strings.Contains(s.RowKey, "/new") && !seen[s.RowKey] {
				fresh++
			}
			seen[s.RowKey] = true
			w.finish(open, func(o *schema.Outcome) {
				if o.Etag = "x"; s.Etag != "" {
					o.Result, o.HttpStatus = schema.Outcome_UNCHANGED, 304
				}
			})
			if s.Etag == "" {
				w.append(digestOf(s, "text "+s.RowKey, nil))
			}
		}
		w.out, w.done = nil, map[int]bool{}
		w.clock = w.clock.Add(step)
	}
	return n, fresh
}

// A run with a bound of pages: an endless host takes only what others leave.
func TestATrapLeavesTheOthersTheirPages(t *testing.T) {
	for _, delay := range []time.Duration{0, time.Second} {
		t.Run(delay.String(), func(t *testing.T) { trapBeside(t, delay) })
	}
}

func trapBeside(t *testing.T, delay time.Duration) {
	const most, site = 600, 60
	w := newWorldOn(t, newMemory(), 1, func(o *Options) { o.Delay, o.MaxPages = delay, most })
	w.append(added("com.trap", "seeds", &schema.AddItem{Url: "http://trap.com/"}))
	w.append(added("com.site", "seeds", &schema.AddItem{Url: "http://site.com/"}))
	f := newFetcher(w, delay)
	type late struct {
		at time.Time
		m  *schema.Discovered
	}
	var links []late
	next, complete := 0, 0
	for step := 0; step < 20*60*20 && !w.group.Status().Full; step++ {
		before := len(w.unfinished())
		open := w.unfinished()
		f.step()
		for _, i := range open {
			if !w.done[i] {
				continue
			}
			host := schema.RowKey(w.out[i].RowKey).Host()
			switch {
			case host == "com.trap": // ten new pages on every page
				var list []string
				for range 10 {
					next++
					list = append(list, fmt.Sprintf(":http/t%d", next))
				}
				links = append(links, late{w.clock, linksTo(host, list...)})
			default: // one page leads to the next, two seconds later
				if complete++; complete < site {
					links = append(links, late{w.clock.Add(2 * time.Second), linksTo(host, fmt.Sprintf(":http/s%d", complete))})
				}
			}
		}
		_ = before
		for i := 0; i < len(links); i++ {
			if !links[i].at.After(w.clock) {
				w.append(links[i].m)
				links = append(links[:i], links[i+1:]...)
				i--
			}
		}
		w.run()
		w.clock = w.clock.Add(50 * time.Millisecond)
	}
	s := w.group.Status()
	if complete != site || s.Pages != most {
		t.Errorf("%d of %d pages of the site, %d in all", complete, site, s.Pages)
	}
}

// A site of wildcard names that never answer takes a share of the window.
func TestWildcardHostsShareOneSitesWindow(t *testing.T) {
	w := newWorldOn(t, newMemory(), 1, func(o *Options) { o.HostsPerSite = 0 })
	for i := range 1000 {
		w.append(linksTo(schema.Host(fmt.Sprintf("com.tarpit.z%d", i)), paths(3)...))
	}
	for i := range 20 {
		w.append(linksTo(schema.Host(fmt.Sprintf("com.fast%d", i)), paths(40)...))
	}
	f := newFetcher(w, time.Second)
	f.hangs = func(h schema.Host) bool { return strings.HasPrefix(string(h), "com.tarpit") }
	f.run(20 * time.Second)
	tarpit, good := 0, 0
	for _, s := range w.out {
		if s.Site == "tarpit.com" {
			tarpit++
		}
	}
	for _, n := range f.asked {
		good += n
	}
	if tarpit > 64 || good < 20*18 {
		t.Errorf("%d URLs in flight of a site that never answers; %d requests of 20 fast hosts in 20 s", tarpit, good)
	}
}

// The counts of all partitions stand in the store, with what was dropped and what
// was known, and survive restarts.
func TestCountsSurviveRestarts(t *testing.T) {
	w := newWorldOn(t, newMemory(), 1, func(o *Options) { o.Delay, o.MaxDepth = 0, 3 })
	deep := linksTo("com.example", ":http/deep")
	deep.GetLinks().Depth = 9
	w.append(deep)
	w.append(linksTo("com.example", paths(4)...))
	w.append(linksTo("com.example", paths(6)...))
	w.append(linksTo("com.other", ":http/"))
	w.run()
	w.finish(0, func(o *schema.Outcome) { o.Result, o.HttpStatus = schema.Outcome_GONE, 404 })
	w.run()
	for range 3 {
		s, err := Count(t.Context(), w.store, 1)
		if err != nil || s.Hosts != 2 || s.URLs[schema.UrlRow_QUEUED] != 6 || s.URLs[schema.UrlRow_GONE] != 1 ||
			s.Causes["not_found"] != 1 || s.Drops["depth"] != 1 || s.Known != 4 {
			t.Fatalf("%v: %+v", err, s)
		}
		if own := w.group.Status(); own.Hosts != s.Hosts || own.URLs[schema.UrlRow_QUEUED] != 6 || own.Drops["depth"] != 1 {
			t.Fatalf("status of the process: %+v", own)
		}
		w.crash()
		w.run()
	}
}
