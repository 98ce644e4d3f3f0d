package schedule

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"millrace/consumers/schedule/policy"
	"millrace/schema"
)

// strange is a record in which another site names URLs of host.
func strange(site string, m *schema.Discovered) *schema.Discovered {
	if l := m.GetLinks(); l != nil {
		l.SourceSite, l.SourceRowKey = site, "com.stranger:http/"
	}
	if a := m.GetAdd(); a != nil {
		a.FeedRowKey = string(schema.HostOf(site)) + ":http/feed"
	}
	return m
}

// A stranger may suggest a URL and nothing else: not its kind, class, date or
// interval. Its own site may.
func TestAStrangerSuggestsPlainPagesOnly(t *testing.T) {
	feedLink := linksTo("com.example", ":http/x")
	feedLink.GetLinks().Links[0].Kind = schema.Kind_FEED
	items := func(kind schema.Kind) *schema.Discovered {
		class := int32(0)
		return added("com.example", "feeds", &schema.AddItem{Url: "http://example.com/x", Kind: kind,
			ClassHint: &class, IntervalHintMs: 1, Lastmod: 5})
	}
	robots := added("com.example", producerRobots, &schema.AddItem{Url: "http://example.com/x", Kind: schema.Kind_SITEMAP})
	for name, m := range map[string]*schema.Discovered{"feed link": feedLink,
		"feed item": items(schema.Kind_PAGE), "sitemap index": items(schema.Kind_SITEMAP), "robots.txt": robots} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, nil)
			w.append(strange("stranger.net", m.CloneVT()))
			w.run()
			row := w.row("com.example:http/x")
			if row == nil || row.Kind != schema.Kind_PAGE || row.Class < policy.ClassRest || row.Lastmod != 0 || row.IntervalMs != 0 || row.Depth < 1 {
				t.Errorf("as a stranger says: %v", row)
			}
			w = newWorld(t, nil)
			w.append(m)
			w.run()
			row = w.row("com.example:http/x")
			if row.Kind == schema.Kind_PAGE && row.Class >= policy.ClassRest {
				t.Errorf("as its own site says: %v", row)
			}
		})
	}
}

// What a URL serves decides its kind, whoever named it first.
func TestAFeedKnownAsAPageBecomesAFeed(t *testing.T) {
	w := newWorld(t, func(o *Options) { o.Delay = 0 })
	w.append(linksTo("com.example", ":http/rss.xml"))
	w.run()
	w.finish(0, func(o *schema.Outcome) { o.Served = schema.Kind_FEED })
	w.pass(40*time.Minute, time.Minute)
	if len(w.out) < 2 || w.out[1].Kind != schema.Kind_FEED {
		t.Fatalf("after it served a feed: %v", w.out[1:])
	}
	w.finish(1, func(o *schema.Outcome) { o.Served = schema.Kind_PAGE })
	w.run()
	if row := w.row("com.example:http/rss.xml"); row.Kind != schema.Kind_PAGE || !row.HadPage {
		t.Errorf("after it served a page: %v", row)
	}
}

// Other sites cannot fill a host's budget, one site not even the part of the other sites,
// and the operator has no cap.
func TestStrangersDoNotExhaustAHost(t *testing.T) {
	w := newWorldOn(t, newMemory(), 1, func(o *Options) { o.URLsPerHost = 160 })
	fill := func(site string, from, n int) {
		for i := range n {
			w.append(strange(site, added("com.example", "feeds", &schema.AddItem{Url: fmt.Sprintf("http://example.com/junk%d", from+i)})))
		}
	}
	known := func(prefix string, most int) (n int) {
		for i := range most {
			if w.row(fmt.Sprint("com.example:http/", prefix, i)) != nil {
				n++
			}
		}
		return n
	}
	fill("one.net", 0, 100)
	w.run()
	if n := known("junk", 100); n != 10 {
		t.Errorf("one stranger got %d of 160 URLs, want 10", n)
	}
	for i := range 60 {
		fill(fmt.Sprintf("s%d.net", i), 1000+100*i, 20)
	}
	w.run()
	if n := w.group.Status().URLs[schema.UrlRow_QUEUED]; n > 80 {
		t.Errorf("all strangers got %d of 160 URLs, want at most 80", n)
	}
	for i := range 100 {
		w.append(linksTo("com.example", fmt.Sprintf(":http/own%d", i)))
	}
	w.append(added("com.example", "seeds", &schema.AddItem{Url: "http://example.com/seed0"}))
	w.run()
	if n := known("own", 100); n < 80 {
		t.Errorf("the site itself got %d URLs, want at least 80", n)
	}
	if known("seed", 1) != 1 {
		t.Error("the operator's seed was dropped")
	}
}

// Hosts invented by strangers do not shut out those of the site, nor the operator's.
func TestStrangersDoNotExhaustASite(t *testing.T) {
	w := newWorldOn(t, newMemory(), 1, func(o *Options) { o.HostsPerSite = 20 })
	for i := range 100 {
		w.append(strange("stranger.net", linksTo(schema.Host(fmt.Sprintf("com.example.z%d", i)), ":http/")))
	}
	w.run()
	if n := w.group.Status().Hosts; n != 10 {
		t.Errorf("strangers invented %d hosts of 20, want 10", n)
	}
	for i := range 20 {
		w.append(linksTo(schema.Host(fmt.Sprintf("com.example.own%d", i)), ":http/"))
	}
	w.append(added("com.example.seed", "seeds", &schema.AddItem{Url: "http://seed.example.com/"}))
	w.run()
	if n := w.group.Status().Hosts; n != 21 || w.row("com.example.seed:http/") == nil {
		t.Errorf("%d hosts, want 20 and the operator's", n)
	}
}

// A stranger's feed of thousands of items leaves the site's own pages their turns.
func TestAStrangersFeedDoesNotStarveAHost(t *testing.T) {
	w := newWorld(t, nil)
	for i := range 30 {
		var items []*schema.AddItem
		for k := range 100 {
			items = append(items, &schema.AddItem{Url: fmt.Sprintf("http://example.com/junk%d-%d", i, k)})
		}
		w.append(strange("stranger.net", added("com.example", "feeds", items...)))
	}
	w.append(linksTo("com.example", paths(50)...))
	newFetcher(w, time.Second).run(time.Minute)
	real := 0
	for _, s := range w.out {
		if !strings.Contains(s.RowKey, "junk") {
			real++
		}
	}
	if real < 50 {
		t.Errorf("%d of 50 pages of the site in a minute", real)
	}
}
