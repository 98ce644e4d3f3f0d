package fetch

import (
	"net/netip"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"millrace/consumers/fetch/web"
	"millrace/schema"
	"millrace/topics"
)

func TestRobotsComesFirstAndCountsAsARequest(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		w.robots("User-agent: millrace\nCrawl-delay: 3\nDisallow: /2\nSitemap: /s.xml")
		for n := range 4 {
			w.schedule(urlN("a.test", n))
		}
		w.wait(20 * time.Second)
		if got := w.origin.paths("a.test"); got != "/robots.txt /0 /1 /3" {
			t.Errorf("asked for %s", got)
		}
		w.checkGaps("a.test", 3015*time.Millisecond)
		if got := w.results(); got != "OK OK ROBOTS OK" && got != "OK OK OK ROBOTS" {
			t.Errorf("results %s", got)
		}
		n := w.outcomes()[0].HostNotice
		if n.GetRobots() != schema.HostNotice_RULES || n.CrawlDelayMs != 3000 || !slices.Equal(n.Sitemaps, []string{"https://a.test/s.xml"}) {
			t.Errorf("notice %v", n)
		}
		if got := len(w.rec.Dones()); got != 4 {
			t.Errorf("%d records done", got)
		}
	})
}

// The server sees a request later than we wrote it, and one later than another.
func TestTheDelayHoldsWhereRequestsArrive(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		w.origin.onWay = func(path string) time.Duration {
			if path == "/1" {
				return 18 * time.Millisecond
			}
			return time.Millisecond
		}
		for n := range 4 {
			w.schedule(urlN("a.test", n))
		}
		w.wait(10 * time.Second)
		if got := w.origin.paths("a.test"); got != "/robots.txt /0 /1 /2 /3" {
			t.Errorf("asked for %s", got)
		}
		w.checkGaps("a.test", time.Second)
	})
}

func TestAPageIsCarriedAsReceived(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		w.serve("/f", web.Result{
			Status: 200, Body: []byte{0x1f, 0x8b, 0xff}, Truncated: true, Elapsed: 70 * time.Millisecond,
			Header: header("Content-Type", "text/html", "Content-Encoding", "gzip", "ETag", `"v"`, "Set-Cookie", "a=b", "X-Robots-Tag", "no\x01index\xff"),
		})
		w.schedule("https://a.test/f", func(s *schema.Scheduled) { s.Depth, s.Score = 2, 0.5 })
		w.serve("/feed", web.Result{Status: 200, Body: []byte("<rss>"), Elapsed: time.Second})
		w.schedule("https://b.test/feed", func(s *schema.Scheduled) { s.Kind = schema.Kind_FEED })
		w.wait(5 * time.Second)
		pages, feeds := w.pages(topics.Pages()), w.pages(topics.Feeds())
		if len(pages) != 1 || len(feeds) != 1 || feeds[0].Kind != schema.Kind_FEED {
			t.Fatalf("%d pages, %d feeds", len(pages), len(feeds))
		}
		p := pages[0]
		if string(p.Body) != "\x1f\x8b\xff" || p.ContentEncoding != "gzip" || !p.Truncated || p.Depth != 2 || p.Score != 0.5 || p.BodyLength != 3 || p.Rev != 1 {
			t.Errorf("page %v", p)
		}
		for _, h := range p.Headers {
			if h.Name == "set-cookie" || h.Name == "x-robots-tag" && h.Value != "noindex" {
				t.Errorf("header %v", h)
			}
		}
		if o := w.outcomes()[0]; o.Etag != `"v"` || o.ElapsedMs != 0 && o.ElapsedMs != 70 || o.Bytes != 3 || o.FetchedAt == 0 {
			t.Errorf("outcome %v", o)
		}
	})
}

func TestWhatAnswersMean(t *testing.T) {
	for name, c := range map[string]struct {
		answer web.Result
		want   schema.Outcome_Result
		kind   string
		blocks bool
	}{
		"404":              {web.Result{Status: 404}, schema.Outcome_GONE, "", false},
		"410":              {web.Result{Status: 410}, schema.Outcome_GONE, "", false},
		"403":              {web.Result{Status: 403}, schema.Outcome_CLIENT_ERROR, "", false},
		"429":              {web.Result{Status: 429}, schema.Outcome_CLIENT_ERROR, "", true},
		"500":              {web.Result{Status: 500}, schema.Outcome_SERVER_ERROR, "", false},
		"503":              {web.Result{Status: 503}, schema.Outcome_SERVER_ERROR, "", true},
		"304 unasked":      {web.Result{Status: 304}, schema.Outcome_NETWORK, "protocol", false},
		"bad redirect":     {web.Result{Status: 301, Header: header("Location", "mailto:x")}, schema.Outcome_CLIENT_ERROR, "url", false},
		"redirect to self": {web.Result{Status: 302, Header: header("Location", "/p")}, schema.Outcome_REDIRECT, "loop", false},
		"connect":          {broken(web.KindConnect), schema.Outcome_NETWORK, "connect", true},
		"timeout":          {broken(web.KindTimeout), schema.Outcome_NETWORK, "timeout", true},
		"protocol":         {broken(web.KindProtocol), schema.Outcome_NETWORK, "protocol", false},
		"ssrf":             {broken(web.KindSSRF), schema.Outcome_SSRF, "ssrf", false},
		"too big":          {broken(web.KindTooBig), schema.Outcome_TOO_BIG, "too_big", false},
		"header too big":   {broken(web.KindHeaderTooBig), schema.Outcome_TOO_BIG, "header_too_big", false},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, nil, func(w *world) {
				w.serve("/p", c.answer)
				w.schedule("https://a.test/p")
				w.wait(5 * time.Second)
				o := w.one()
				if o.Result != c.want || o.ErrorKind != c.kind || o.HttpStatus != int32(c.answer.Status) {
					t.Errorf("outcome %v", o)
				}
				if blocked := o.GetHostNotice().GetBlockedUntil() > 0; blocked != c.blocks || blocked && o.Until == 0 {
					t.Errorf("blocked %v, outcome %v", blocked, o)
				}
				if len(w.pages(topics.Pages())) != 0 || len(w.links()) != 0 {
					t.Error("something was appended besides")
				}
			})
		})
	}
}

func TestARedirectIsALinkAndNotFollowed(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		w.serve("/old", web.Result{Status: 301, Header: header("Location", "https://b.test/new?x=1#frag")})
		w.schedule("https://a.test/old", func(s *schema.Scheduled) { s.Depth = 3 })
		w.wait(5 * time.Second)
		links := w.links()
		if len(links) != 1 || links[0].Host != "test.b" {
			t.Fatalf("links %v", links)
		}
		l := links[0].GetLinks()
		if l.Depth != 3 || l.Links[0].Path != ":https/new?x=1" || l.Links[0].Rel != relRedirect || l.Redirects != 1 || l.SourceRev != 1 {
			t.Errorf("links %v", l)
		}
		for _, o := range w.outcomes() {
			if o.Result != schema.Outcome_REDIRECT || o.RedirectTo != "https://b.test/new?x=1" {
				t.Errorf("outcome %v", o)
			}
		}
		if w.origin.paths("b.test") != "" {
			t.Error("the redirect was followed")
		}
	})
}

// A redirect to a name that is no UTF-8 leads to the same bytes, as in a browser.
func TestARedirectInTheServersCharset(t *testing.T) {
	for location, want := range map[string]string{
		"/caf\xe9?q=\xe4-%20": "https://a.test/caf%E9?q=%E4-%20",
		"/caf\u00e9":          "https://a.test/caf%C3%A9",
	} {
		inWorld(t, nil, func(w *world) {
			w.serve("/old", web.Result{Status: 301, Header: header("Location", location)})
			w.schedule("https://a.test/old")
			w.wait(5 * time.Second)
			if o := w.one(); o.RedirectTo != want {
				t.Errorf("%q leads to %s", location, o.RedirectTo)
			}
		})
	}
}

func TestConditionalOnlyWithValidators(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		w.serve("/c", web.Result{Status: 304})
		w.schedule("https://a.test/c", func(s *schema.Scheduled) { s.Etag = `"v1"` })
		w.schedule("https://b.test/0")
		w.wait(5 * time.Second)
		if got := w.results(); got != "UNCHANGED OK" && got != "OK UNCHANGED" {
			t.Errorf("results %s", got)
		}
		for _, h := range w.origin.all() {
			if want := map[string]string{"/c": `"v1"`}[h.path]; h.request.ETag != want {
				t.Errorf("%s asked with %q", h.path, h.request.ETag)
			}
		}
	})
}

// TestTheHoldBoundGivesBack: a host with a long Crawl-delay does not stop the partition.
func TestTheHoldBoundGivesBack(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		w.robots("User-agent: *\nCrawl-delay: 25")
		for n := range 6 {
			w.schedule(urlN("slow.test", n))
		}
		w.schedule("https://quick.test/0")
		w.wait(61 * time.Second)
		if got := len(w.rec.Dones()); got != 7 {
			t.Errorf("%d of 7 records done after the hold bound", got)
		}
		deferred := 0
		for _, o := range w.outcomes() {
			if o.Result == schema.Outcome_DEFERRED {
				deferred++
				if wait := time.UnixMilli(o.Until).Sub(time.Now()); wait < 0 || wait > 30*time.Second {
					t.Errorf("deferred until %v from now", wait)
				}
			}
		}
		if deferred != 4 {
			t.Errorf("%d deferred, results %s", deferred, w.results())
		}
		w.checkGaps("slow.test", 25*time.Second+125*time.Millisecond)
	})
}

func TestRepeatsAndLateRecords(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		w.schedule("https://a.test/1")
		w.schedule("https://a.test/1") // in hand
		w.wait(5 * time.Second)
		w.schedule("https://a.test/1") // done lately
		w.schedule("https://a.test/1", func(s *schema.Scheduled) { s.Rev = 2 })
		w.schedule("https://a.test/2", func(s *schema.Scheduled) {
			s.ScheduledAt, s.NotAfter = time.Now().UnixMilli(), time.Now().UnixMilli()+500
		})
		w.wait(5 * time.Second)
		if got := w.results(); got != "OK OK DEFERRED" && got != "OK DEFERRED OK" {
			t.Errorf("results %s", got)
		}
		if w.rec.Drops()["repeat"] != 2 || len(w.rec.Dones()) != 5 {
			t.Errorf("drops %v, done %v", w.rec.Drops(), w.rec.Dones())
		}
	})
}

func TestRecordsThatAreNoURLBecomeDeadLetters(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		good := schema.Scheduled{RowKey: "test.a:https/", Url: "https://a.test/", PoliteKey: "test.a"}
		for name, change := range map[string]func(*schema.Scheduled){
			"no key":        func(s *schema.Scheduled) { s.PoliteKey = "" },
			"kind":          func(s *schema.Scheduled) { s.Kind = 99 },
			"row key":       func(s *schema.Scheduled) { s.RowKey = "a" },
			"another's key": func(s *schema.Scheduled) { s.RowKey = "test.b:https/" },
			"scheme":        func(s *schema.Scheduled) { s.Url = "file:///etc/passwd" },
		} {
			s := good.CloneVT()
			change(s)
			if err := w.handle(s, 0); err == nil {
				t.Errorf("%s: taken", name)
			}
		}
	})
}

func TestByIPTheFirstRecordOnlyResolves(t *testing.T) {
	inWorld(t, func(o *Options) { o.ByIP = true }, func(w *world) {
		w.origin.addr = netip.MustParseAddr("192.0.2.7")
		w.schedule("https://a.test/1")
		w.wait(5 * time.Second)
		if o := w.one(); o.Result != schema.Outcome_DEFERRED || o.Ip != "192.0.2.7" {
			t.Errorf("outcome %v", o)
		}
		w.schedule("https://a.test/1", func(s *schema.Scheduled) { s.Rev, s.PoliteKey = 2, "192.0.2.7" })
		w.schedule("https://b.test/1", func(s *schema.Scheduled) { s.PoliteKey = "192.0.2.7" })
		w.wait(10 * time.Second)
		if got := w.results(); got != "DEFERRED OK OK" {
			t.Errorf("results %s", got)
		}
		for _, h := range w.origin.all() {
			if h.request.Addr.String() != "192.0.2.7" {
				t.Errorf("%s was asked at any address", h.host)
			}
		}
		for i := 1; i < len(w.origin.all()); i++ {
			if gap := w.origin.all()[i].at.Sub(w.origin.all()[i-1].at); gap < 1005*time.Millisecond {
				t.Errorf("gap of %v at one address", gap)
			}
		}
	})
}

func TestNothingNewStartsWhileExtractIsBehind(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		w.rec.waiting.Store(true)
		_ = w.task.Tick(w.t.Context(), time.Now())
		w.schedule("https://a.test/1")
		w.wait(10 * time.Second)
		if got := w.origin.paths("a.test"); got != "" {
			t.Errorf("asked for %s", got)
		}
		w.rec.waiting.Store(false)
		_ = w.task.Tick(w.t.Context(), time.Now())
		w.wait(5 * time.Second)
		if got := w.results(); got != "OK" {
			t.Errorf("results %s", got)
		}
	})
}

func TestAppendsAreRepeatedAndABigPageIsTooBig(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		fails := 3
		w.rec.Fail = failSends(&fails)
		w.serve("/big", web.Result{Status: 200, Body: []byte("BIG")})
		w.schedule("https://a.test/1")
		w.wait(10 * time.Second)
		w.schedule("https://b.test/big")
		w.wait(10 * time.Second)
		synctest.Wait()
		if got := w.results(); got != "OK TOO_BIG" || len(w.rec.Dones()) != 2 {
			t.Errorf("results %s, done %v", got, w.rec.Dones())
		}
		if len(w.pages(topics.Pages())) != 1 {
			t.Error("the page was not appended once")
		}
	})
}
