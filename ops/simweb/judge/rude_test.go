package judge_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"millrace/ops/simweb"
	"millrace/ops/simweb/clock"
	"millrace/ops/simweb/judge"
	"millrace/ops/simweb/world"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// rude is a client that does what a script says, by a clock of its own.
type rude struct {
	t      *testing.T
	w      *simweb.World
	srv    *simweb.Server
	clock  *clock.Simulated
	client *http.Client
	agent  string
}

func newRude(t *testing.T, change func(*simweb.Profile)) *rude {
	t.Helper()
	p, err := simweb.Load("fast")
	if err != nil {
		t.Fatal(err)
	}
	p.Hosts, p.HostsPerSite, p.Pages.Min, p.Pages.Max = 4, 2, 60, 60
	p.Size.Min, p.Size.Median, p.Size.Max = 500, 500, 500
	if change != nil {
		change(&p)
	}
	w, err := simweb.Build(p, 3, simweb.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	opts := simweb.DefaultServe()
	sim := clock.NewSimulated(w.Start())
	opts.Clock, opts.Addresses = sim, 2
	srv, err := simweb.Serve(w, opts)
	if err != nil {
		t.Fatal(err)
	}
	tr := &http.Transport{DialContext: srv.DialContext}
	stop := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	t.Cleanup(func() { tr.CloseIdleConnections(); srv.Close() })
	return &rude{t, w, srv, sim, &http.Client{Transport: tr, CheckRedirect: stop}, "millrace/1"}
}

// get waits and asks.
func (r *rude) get(wait time.Duration, url string) string {
	r.t.Helper()
	r.clock.Advance(wait)
	req, err := http.NewRequest(http.MethodGet, url, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header.Set("User-Agent", r.agent)
	res, err := r.client.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return string(body)
}

func (r *rude) report(change func(*judge.Options)) *judge.Report {
	r.t.Helper()
	opts := simweb.DefaultJudge()
	opts.WebTime = true
	if change != nil {
		change(&opts)
	}
	rep, err := r.srv.Judge().Report(opts)
	if err != nil {
		r.t.Fatal(err)
	}
	return rep
}

func (r *rude) url(h world.Host, page uint64) string {
	return r.w.URL(world.Ref{Host: h, Page: world.ID(world.Tree, page)}, "")
}

const second = time.Second

func TestAPoliteClientIsNotAccused(t *testing.T) {
	r := newRude(t, nil)
	r.get(0, "http://h0.site0.test/robots.txt")
	for page := range uint64(5) {
		r.get(second, r.url(0, page))
	}
	rep := r.report(nil)
	if rep.Requests != 6 || rep.Hosts.Early != 0 || rep.Hosts.Gaps != 5 || rep.Hosts.Min != second || rep.Hosts.MaxInFlight != 1 {
		t.Errorf("%+v", rep.Hosts)
	}
	if rep.Robots.BeforeRead+rep.Robots.Disallowed+rep.Repeats.Requests+rep.UnknownHost+rep.WrongAgent+rep.TrapPages != 0 {
		t.Errorf("%+v", rep)
	}
}

func TestEarlyRequestsAreFoundByHostSiteAndAddress(t *testing.T) {
	r := newRude(t, nil)
	r.get(0, "http://h0.site0.test/robots.txt")
	r.get(second, r.url(0, 1))
	r.get(400*time.Millisecond, r.url(0, 2)) // early for the host
	r.get(300*time.Millisecond, r.url(1, 0)) // h1 is of the same site, at another address
	r.get(200*time.Millisecond, r.url(2, 0)) // h2 is of another site, at the address of h0
	rep := r.report(nil)
	if rep.Hosts.Early != 1 || rep.Hosts.Min != 400*time.Millisecond || rep.Hosts.Examples[0].Key != "h0.site0.test" {
		t.Errorf("hosts %+v", rep.Hosts)
	}
	if rep.Sites.Early != 2 || rep.Sites.Min != 300*time.Millisecond {
		t.Errorf("sites %+v", rep.Sites)
	}
	if rep.Addresses.Early != 2 || rep.Addresses.Keys != 2 || rep.Addresses.Examples[0].Key != "127.0.0.1" {
		t.Errorf("addresses %+v", rep.Addresses)
	}
}

func TestACrawlDelayBindsWhenItIsLonger(t *testing.T) {
	r := newRude(t, func(p *simweb.Profile) {
		p.Robots.CrawlDelay, p.Robots.CrawlDelayShare = 3*second, 1
	})
	r.get(0, "http://h0.site0.test/robots.txt")
	r.get(2*second, r.url(0, 1))
	r.get(3*second, r.url(0, 2))
	if rep := r.report(nil); rep.Hosts.Early != 1 || rep.Hosts.Examples[0].Delay != 3*second {
		t.Errorf("%+v", rep.Hosts)
	}
	if rep := r.report(func(o *judge.Options) { o.CrawlDelay = false }); rep.Hosts.Early != 0 {
		t.Errorf("not asked for: %+v", rep.Hosts)
	}
}

func TestRequestsInFlightAreCounted(t *testing.T) {
	r := newRude(t, func(p *simweb.Profile) { p.Latency.Median = second })
	done := make(chan bool)
	for page := range uint64(3) {
		go func() {
			res, err := r.client.Get(r.url(0, page))
			if err == nil {
				res.Body.Close()
			}
			done <- err == nil
		}()
	}
	if err := r.clock.WaitForSleepers(context.Background(), 3); err != nil {
		t.Fatal(err)
	}
	r.clock.Advance(2 * second)
	for range 3 {
		if !<-done {
			t.Fatal("request failed")
		}
	}
	rep := r.report(func(o *judge.Options) { o.WebTime = false })
	if rep.Hosts.MaxInFlight != 3 || rep.Hosts.Busiest != "h0.site0.test" || rep.WrongAgent != 3 {
		t.Errorf("%+v", rep.Hosts)
	}
}

func TestRobotsOffencesAreFound(t *testing.T) {
	r := newRude(t, func(p *simweb.Profile) { p.Leaves = map[string]float64{"private": 0.3} })
	private := ""
	for page := uint64(10); private == ""; page++ {
		if u := r.url(0, page); strings.Contains(u, "/private/") {
			private = u
		}
	}
	r.get(0, r.url(0, 0)) // before robots.txt
	r.get(second, "http://h0.site0.test/robots.txt")
	r.get(second, r.url(0, 1))
	r.get(second, private) // disallowed
	rep := r.report(nil)
	if rep.Robots.BeforeRead != 1 || rep.Robots.Disallowed != 1 || rep.Robots.Fetched != 1 {
		t.Fatalf("%+v", rep.Robots)
	}
	if e := rep.Robots.Examples; len(e) != 2 || e[0].URL != r.url(0, 0) || e[1].URL != private {
		t.Errorf("%+v", e)
	}
}

func TestRepeatsAreFoundWithinTheInterval(t *testing.T) {
	r := newRude(t, nil)
	r.get(0, r.url(0, 1))
	r.get(second, r.url(0, 1))
	r.get(second, r.url(0, 2))
	if rep := r.report(nil); rep.Repeats.Requests != 1 || rep.Repeats.URLs != 1 || rep.Repeats.Examples[0].URL != r.url(0, 1) {
		t.Errorf("%+v", rep.Repeats)
	}
	if rep := r.report(func(o *judge.Options) { o.RepeatWithin = time.Nanosecond }); rep.Repeats.Requests != 0 {
		t.Errorf("outside the interval: %+v", rep.Repeats)
	}
}

func TestMissingExtraAndUnknownAreFound(t *testing.T) {
	r := newRude(t, func(p *simweb.Profile) { p.Traps.Calendar = 1 })
	rules := simweb.DefaultRules(r.w.Start(), r.url(0, 0))
	rules.MaxDepth = 1
	rules.Scope = func(host string) bool { return host == "h0.site0.test" }
	tr, err := r.srv.Truth(rules)
	if err != nil {
		t.Fatal(err)
	}
	left := ""
	for u, e := range tr.URLs {
		if e.Kind == "trap" || left == "" && e.Depth == 1 {
			if e.Depth == 1 && e.Kind != "trap" {
				left = u
			}
			continue
		}
		r.get(second, u)
	}
	r.get(second, "http://h0.site0.test/made/up?x=1")
	r.get(second, r.url(3, 0)) // of the web, out of scope
	r.get(second, "http://h0.site0.test/calendar?day=20000")
	r.get(second, "http://nowhere.test/")
	rep := r.report(func(o *judge.Options) { o.Truth = tr })
	c := rep.Coverage
	if c.Missing != 1 || c.MissingURLs[0] != left || c.Extra != 2 || c.Fetched != c.Expected-1 {
		t.Errorf("%+v; left out %s", c, left)
	}
	if c.ExtraURLs[0] != "http://h0.site0.test/made/up?x=1" || rep.TrapPages != 1 || rep.UnknownHost != 1 {
		t.Errorf("%v, %d trap pages, %d unknown hosts", c.ExtraURLs, rep.TrapPages, rep.UnknownHost)
	}
}

// The judge says how many copies are stale; a second fetch shows which are.
func TestStalenessIsWhatASecondFetchShows(t *testing.T) {
	r := newRude(t, func(p *simweb.Profile) {
		p.Change.Share, p.Change.Fastest, p.Change.Slowest = 0.7, 10*time.Minute, 10*time.Hour
		p.Life.Dies, p.Life.Span = 0.3, 2*time.Hour
	})
	before := map[uint64]string{}
	for page := range uint64(60) {
		before[page] = r.get(0, r.url(0, page))
	}
	r.get(time.Hour, "http://h0.site0.test/robots.txt")
	rep := r.report(func(o *judge.Options) { o.Samples = 1 })
	stale := 0
	for page := range uint64(60) {
		if r.get(0, r.url(0, page)) != before[page] {
			stale++
		}
	}
	s := rep.Staleness[0]
	if s.Pages != 60 || s.Stale != stale || stale < 5 || s.Age <= 0 || s.Age > time.Hour {
		t.Errorf("%+v; %d pages differ", s, stale)
	}
}

// Over all pages within reach: those born later count from their birth on, and
// those never fetched are absent.
func TestPagesWithoutACopyAreAbsent(t *testing.T) {
	r := newRude(t, func(p *simweb.Profile) { p.Life.Born, p.Life.Span = 0.4, time.Hour })
	exist := func(page uint64) bool { return !strings.HasPrefix(r.get(0, r.url(0, page)), "404") }
	fetched := 0
	for page := range uint64(30) {
		if exist(page) {
			fetched++
		}
	}
	r.get(30*time.Minute, r.url(0, 0))
	rules := simweb.DefaultRules(r.w.Start().Add(2*time.Hour), r.url(0, 0))
	rules.Scope = func(host string) bool { return host == "h0.site0.test" }
	tr, err := r.srv.Truth(rules)
	if err != nil {
		t.Fatal(err)
	}
	s := r.report(func(o *judge.Options) { o.Truth, o.Samples = tr, 1 }).Staleness[0]
	within := 0
	for page := range r.w.Pages(0) {
		if exist(page) {
			within++
		}
	}
	if s.Within != within || s.Absent != within-fetched || within <= fetched || within == len(tr.URLs) {
		t.Errorf("%+v; %d exist of %d, %d fetched", s, within, len(tr.URLs), fetched)
	}
}

func TestItemDelayIsMeasured(t *testing.T) {
	r := newRude(t, func(p *simweb.Profile) {
		p.Items.Share, p.Items.Every, p.Items.Feed = 1, 10*time.Minute, 10
	})
	start := r.clock.Now()
	r.get(0, r.url(0, 0))
	r.get(2*time.Hour, r.url(0, 1))
	items := r.w.Items(0, start, r.clock.Now())
	if len(items) < 3 {
		t.Fatalf("only %d items in two hours", len(items))
	}
	r.get(0, r.w.URL(items[0].Ref, ""))
	d := r.report(nil).Items
	if want := 2*time.Hour - items[0].At.Sub(start); d.Appeared != len(items) || d.Fetched != 1 || d.Mean != want || d.Max != want {
		t.Errorf("%+v, want %v", d, want)
	}
}
