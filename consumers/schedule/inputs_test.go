package schedule

import (
	"slices"
	"strings"
	"testing"
	"time"

	"millrace/consumers/schedule/policy"
	"millrace/schema"
)

func added(host string, producer string, items ...*schema.AddItem) *schema.Discovered {
	add := &schema.Add{Producer: producer, Items: items}
	if producer != "seeds" { // listed by the host itself
		add.FeedRowKey = host + ":http/list"
	}
	return &schema.Discovered{Host: host, Body: &schema.Discovered_Add{Add: add}}
}

// X2: every link that is not followed is counted with its reason.
func TestDropsAreCounted(t *testing.T) {
	w := newWorldOn(t, newMemory(), 1, func(o *Options) {
		o.MaxDepth, o.URLsPerHost, o.HostsPerSite = 3, 3, 2
		o.InScope = func(_ schema.Host, s schema.Site) bool { return s != "outside.com" }
	})
	deep := linksTo("com.example", ":http/deep")
	deep.GetLinks().Depth = 4
	hinted := linksTo("com.example", ":http/n1", ":http/n2")
	hinted.GetLinks().Links[0].Rel = 1
	page := linksTo("com.example", ":http/n3")
	page.GetLinks().Nofollow = true
	for _, m := range []*schema.Discovered{
		deep, hinted, page,
		linksTo("com.outside", ":http/", ":http/2"),
		linksTo("com.example", "no path", ":http/../x", ":ftp/"),
		linksTo("com.example", ":http/1", ":http/2", ":http/3"),
		linksTo("com.example.a", ":http/"), linksTo("com.example.b", ":http/"),
		added("com.example", "seeds", &schema.AddItem{Url: "mailto:me"}, &schema.AddItem{Url: "http://example.com/deep", Depth: 9}),
	} {
		w.append(m)
	}
	w.run()
	want := map[string]int{"depth": 2, "nofollow": 2, "scope": 2, "url_syntax": 3, "host_budget": 1,
		"site_hosts": 1, "url_scheme": 1}
	got := w.link.Drops()
	for reason, n := range want {
		if got[reason] != n {
			t.Errorf("%s: %d dropped, want %d", reason, got[reason], n)
		}
		delete(got, reason)
	}
	if len(got) > 0 {
		t.Errorf("also dropped: %v", got)
	}
	if s := w.group.Status(); s.Hosts != 2 || s.URLs[schema.UrlRow_QUEUED] != 4 {
		t.Errorf("status %+v", s)
	}
}

// A chain of redirects over sites ends after 20, so that a server that invents hosts gets no more;
// within a site, where other bounds hold, it goes on, and why says what is not followed.
func TestAChainOfRedirectsOverSitesEnds(t *testing.T) {
	w := newWorldOn(t, newMemory(), 1, func(o *Options) { o.Delay = 0 })
	redirect := func(from, to schema.Host, path string, n int32) {
		d := linksTo(to, path)
		m := d.GetLinks()
		m.SourceRowKey, m.SourceSite = string(from)+":http/go", string(schema.SiteOf(from.Name()))
		m.Links[0].Rel, m.Redirects = relRedirect, n
		w.append(d)
	}
	redirect("test.s19", "test.s20", ":http/go", 20)
	redirect("test.s20", "test.s21", ":http/go", 21)
	redirect("test.s20", "test.s20.www", ":http/go", 21)
	w.run()
	if got := w.link.Drops(); got["redirects"] != 1 || len(got) != 1 {
		t.Errorf("dropped: %v", got)
	}
	if w.row("test.s21:http/go") != nil || w.row("test.s20.www:http/go") == nil {
		t.Errorf("the chain goes on at another site, or ends within one")
	}
	last := w.row("test.s20:http/go")
	if last == nil || last.Redirects != 20 {
		t.Fatalf("the last one is %+v", last)
	}
	for _, s := range w.out {
		if s.RowKey == "test.s20:http/go" && s.Redirects != 20 {
			t.Errorf("sent to fetch as %+v", s)
		}
	}
	last.Status, last.RedirectTo = schema.UrlRow_REDIRECTED, "http://s21.test/go"
	if said := verdictOf(last); !strings.Contains(said, "20 redirects in a row") {
		t.Errorf("why says %q", said)
	}
}

// Added URLs are canonicalised, go to the owner of their host, and make a page
// that changed since it was fetched due at once.
func TestAdd(t *testing.T) {
	w := newWorld(t, func(o *Options) { o.Delay = 0 })
	w.append(added("com.example", "seeds",
		&schema.AddItem{Url: "HTTP://Example.com:80/a#top"},
		&schema.AddItem{Url: "https://elsewhere.org/"},
		&schema.AddItem{Url: "http://example.com/feed", Kind: schema.Kind_FEED}))
	w.run()
	if len(w.away) != 1 || w.away[0].Host != "org.elsewhere" || len(w.away[0].GetAdd().Items) != 1 {
		t.Errorf("sent on: %v", w.away)
	}
	w.finish(0, nil)
	w.run()
	if len(w.out) != 2 || w.out[0].RowKey != "com.example:http/a" || w.out[1].Kind != schema.Kind_FEED {
		t.Fatalf("emitted %v", w.out)
	}
	w.finish(1, nil)
	w.run()
	now := w.clock.UnixMilli()
	for _, lastmod := range []int64{now - 1, now + (48 * time.Hour).Milliseconds(), now + 1, now + 1} {
		w.append(added("com.example", "sitemaps", &schema.AddItem{Url: "http://example.com/a", Lastmod: lastmod}))
		w.clock = w.clock.Add(time.Second)
		w.run()
	}
	if len(w.out) != 3 || w.out[2].RowKey != "com.example:http/a" {
		t.Errorf("emitted again: %v", w.out[2:])
	}
}

// A known URL that waits behind others goes before them once an operator, or the feed of its own
// site, names it; a feed of another site moves nothing.
func TestWhatIsNamedGoesBeforeWhatWaits(t *testing.T) {
	for name, c := range map[string]struct {
		by   *schema.Discovered
		next string
	}{
		"operator":        {added("com.example", "seeds", &schema.AddItem{Url: "http://example.com/d"}), "com.example:http/d"},
		"feed":            {listedBy("com.example:http/feed", "http://example.com/d"), "com.example:http/d"},
		"feed of another": {listedBy("org.elsewhere:http/feed", "http://example.com/d"), "com.example:http/b"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, func(o *Options) { o.Window, o.InFlightLeast, o.InFlightMost = 1, 1, 1 })
			w.append(linksTo("com.example", ":http/a", ":http/b", ":http/c", ":http/d"))
			w.run()
			w.append(c.by)
			w.run()
			if len(w.out) != 1 || w.out[0].RowKey != "com.example:http/a" {
				t.Fatalf("sent %v", w.out)
			}
			for i := range 4 {
				w.finish(i, nil)
				w.clock = w.clock.Add(time.Minute)
				w.run()
			}
			var sent []string
			for _, s := range w.out {
				sent = append(sent, s.RowKey)
			}
			if len(sent) != 4 || sent[1] != c.next {
				t.Errorf("sent %v", sent)
			}
		})
	}
}

// listedBy is an Add of what a feed lists.
func listedBy(feed, url string) *schema.Discovered {
	m := added("com.example", "feeds", &schema.AddItem{Url: url})
	m.GetAdd().FeedRowKey = feed
	return m
}

// Sitemaps named in robots.txt become URLs, once.
func TestSitemapsOfRobots(t *testing.T) {
	w := newWorld(t, func(o *Options) { o.Delay = 0 })
	w.append(linksTo("com.example", ":http/a", ":http/b"))
	w.run()
	notice := func(o *schema.Outcome) {
		o.HostNotice = &schema.HostNotice{Robots: schema.HostNotice_RULES, Sitemaps: []string{"http://example.com/sitemap.xml"}}
	}
	w.finish(0, notice)
	w.run()
	w.finish(1, notice)
	w.run()
	adds := 0
	for _, r := range w.in {
		if r.Value.GetAdd() != nil {
			adds++
		}
	}
	if row := w.row("com.example:http/sitemap.xml"); row == nil || row.Kind != schema.Kind_SITEMAP || adds != 1 {
		t.Errorf("%d adds, row %v", adds, row)
	}
}

// I11: an invalid record becomes a dead letter and changes nothing.
func TestDeadLetters(t *testing.T) {
	outcome := func(change func(*schema.Outcome)) *schema.Discovered {
		o := &schema.Outcome{RowKey: "com.example:http/a", Rev: 1, Result: schema.Outcome_OK}
		change(o)
		return &schema.Discovered{Host: "com.example", Body: &schema.Discovered_Outcome{Outcome: o}}
	}
	kind := linksTo("com.example", ":http/a")
	kind.GetLinks().Links[0].Kind = 77
	for name, m := range map[string]*schema.Discovered{
		"no body":           {Host: "com.example"},
		"kind of a link":    kind,
		"kind of an item":   added("com.example", "seeds", &schema.AddItem{Url: "http://example.com/", Kind: 77}),
		"result":            outcome(func(o *schema.Outcome) { o.Result = 77 }),
		"no result":         outcome(func(o *schema.Outcome) { o.Result = 0 }),
		"robots":            outcome(func(o *schema.Outcome) { o.HostNotice = &schema.HostNotice{Robots: 77} }),
		"key of other host": outcome(func(o *schema.Outcome) { o.RowKey = "com.other:http/a" }),
		"host that is none": linksTo("com.exa\xffmple", ":http/a"),
		"key that is none":  outcome(func(o *schema.Outcome) { o.RowKey = "com.example:http/\xff" }),
		"timer":             {Body: &schema.Discovered_Tick{Tick: &schema.Tick{What: 77}}},
		"cursor of a timer": {Body: &schema.Discovered_Tick{Tick: &schema.Tick{What: schema.Tick_WHEEL, Cursor: []byte{0xff}}}},
		"no target":         {Host: "com.example", Body: &schema.Discovered_Recheck{Recheck: &schema.Recheck{}}},
		"cursor of a walk": {Host: "com.example", Body: &schema.Discovered_Forget{Forget: &schema.Forget{
			Target: &schema.Forget_Prefix{Prefix: "com.example:http/"}, Cursor: "9/9/x"}}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, nil)
			w.append(m)
			w.append(linksTo("com.example", ":http/after"))
			w.run()
			letters := 0
			for reason, n := range w.drops {
				if len(reason) > 12 && reason[:12] == "dead letter:" {
					letters += n
				}
			}
			if letters != 1 || len(w.out) != 1 {
				t.Errorf("%d dead letters, %d emitted afterwards: %v", letters, len(w.out), w.drops)
			}
		})
	}
}

// With sites as politeness keys the hosts of a site share one window.
func TestSitesShareAWindow(t *testing.T) {
	w := newWorldOn(t, newMemory(), 1, func(o *Options) { o.PoliteBy = policy.BySite })
	for _, h := range []string{"com.example", "com.example.blog", "com.example.www", "com.other"} {
		w.append(linksTo(schema.Host(h), paths(20)...))
	}
	w.run()
	if len(w.out) != 2 {
		t.Fatalf("%d in flight of 2 sites never asked", len(w.out))
	}
	f := newFetcher(w, time.Second)
	for range 400 {
		w.run()
		inFlight := map[string]int{}
		for _, i := range w.unfinished() {
			inFlight[w.out[i].PoliteKey]++
		}
		if inFlight["example.com"] > 5 || inFlight["other.com"] > 5 || len(inFlight) > 2 {
			t.Fatalf("in flight: %v", inFlight)
		}
		f.step()
		w.clock = w.clock.Add(250 * time.Millisecond)
	}
	var hosts []string
	for h := range f.asked {
		hosts = append(hosts, string(h))
	}
	if slices.Sort(hosts); len(hosts) != 4 {
		t.Errorf("only %v were asked", hosts)
	}
	w.crash()
	w.run()
	if w.twice != "" {
		t.Errorf("%s was emitted twice", w.twice)
	}
}

// Any bytes that decode as a record are handled or made a dead letter; none panics, and the
// partition goes on.
func FuzzHandle(f *testing.F) {
	for _, m := range []*schema.Discovered{
		linksTo("com.example", ":http/a"), added("com.example", "seeds", &schema.AddItem{Url: "http://example.com/"}),
		recheckPrefix("com.example", "com.example"), recheckPrefix("com.example", "com.example:"),
		{Host: "com.example", Body: &schema.Discovered_Outcome{Outcome: &schema.Outcome{RowKey: "com.example:http/a", Rev: 9, Result: 1}}},
	} {
		b := make([]byte, m.SizeVT())
		if _, err := m.MarshalToSizedBufferVT(b); err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	w := newWorld(f, nil)
	w.run()
	f.Fuzz(func(t *testing.T, b []byte) {
		m := &schema.Discovered{}
		if m.UnmarshalVT(b) != nil {
			return
		}
		w.t = t
		w.append(m)
		for range 3 {
			if err := w.round(100); err != nil {
				t.Fatal(err)
			}
		}
	})
}
