package simweb

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"millrace/ops/simweb/clock"
	"millrace/ops/simweb/profile"
	"millrace/ops/simweb/truth"
	"millrace/ops/simweb/world"
)

// small makes a profile small enough for a walk over HTTP, without waits.
func small(p Profile) Profile {
	p.Hosts = 8
	p.Pages.Min, p.Pages.Max = min(p.Pages.Min, 30), min(p.Pages.Max, 60)
	p.Size = profile.Size{Median: 1500, Sigma: 0.3, Min: 600, Max: 5000}
	p.Links.Mean = min(p.Links.Mean, 12)
	p.Latency = profile.Latency{}
	p.History = min(p.History, 48*time.Hour)
	p.Hosting.Overload = 0
	p.Leaves = maps.Clone(p.Leaves)
	p.Robots.Answers = maps.Clone(p.Robots.Answers)
	for _, m := range []map[string]float64{p.Leaves, p.Robots.Answers} {
		delete(m, "hang")  // these have a test of their own; net/http asks again
		delete(m, "reset") // by itself after a reset
	}
	return p
}

func serve(t *testing.T, p Profile, seed uint64) (*World, *Server, *clock.Simulated) {
	t.Helper()
	w, err := Build(p, seed, DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	opts := DefaultServe()
	sim := clock.NewSimulated(w.Start())
	opts.Clock = sim
	srv, err := Serve(w, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { srv.Close() })
	return w, srv, sim
}

// Whatever the truth says must be what a walk over HTTP finds: same URLs, same
// kinds, same depths, same documents. The truth never reads HTML, the walk
// never reads the model.
func TestTruthIsWhatAWalkFinds(t *testing.T) {
	for _, name := range profile.Names() {
		t.Run(name, func(t *testing.T) {
			p, err := Load(name)
			if err != nil {
				t.Fatal(err)
			}
			w, srv, sim := serve(t, small(p), 7)
			sim.Advance(30 * time.Minute)
			seeds := w.Seeds(4, "")
			tr, err := srv.Truth(DefaultRules(sim.Now(), seeds...))
			if err != nil {
				t.Fatal(err)
			}
			walk := newWalker(t, srv)
			walk.walk(seeds)
			compareURLs(t, tr, walk)
			compareDocs(t, tr, walk)
			compareVerdict(t, srv, tr)
			t.Logf("%d URLs, %d documents, %d aliases", len(tr.URLs), len(tr.Docs), len(tr.Aliases))
		})
	}
}

// The other languages of pages are found if rel=alternate hreflang is followed,
// and only then.
func TestTruthOfAlternatesIsWhatAWalkFinds(t *testing.T) {
	for _, name := range []string{"university", "d15"} {
		p, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		p = small(p)
		if p.Alternates.Hosts == 0 {
			t.Errorf("%s has no alternates", name)
		}
		p.Alternates.Hosts = 1
		w, srv, sim := serve(t, p, 9)
		seeds := w.Seeds(4, "")
		rules := DefaultRules(sim.Now(), seeds...)
		without, err := srv.Truth(rules)
		if err != nil {
			t.Fatal(err)
		}
		rules.Alternates = true
		with, err := srv.Truth(rules)
		if err != nil {
			t.Fatal(err)
		}
		walk := newWalker(t, srv)
		walk.langs = true
		walk.walk(seeds)
		compareURLs(t, with, walk)
		compareDocs(t, with, walk)
		compareVerdict(t, srv, with)
		if more := len(with.Docs) - len(without.Docs); more < len(without.Docs)/10 {
			t.Errorf("%s: only %d documents more than %d", name, more, len(without.Docs))
		}
	}
}

// With feeds and sitemaps the crawl reaches what they name: new items, and pages
// and dead URLs of stale sitemaps.
func TestTruthOfFeedsAndSitemapsIsWhatAReaderFinds(t *testing.T) {
	for _, news := range []float64{0, 1} {
		feedsAndSitemaps(t, news)
	}
}

// feedsAndSitemaps compares with all items in ordinary or in news sitemaps.
func feedsAndSitemaps(t *testing.T, news float64) {
	p, err := Load("nasty")
	if err != nil {
		t.Fatal(err)
	}
	p = small(p)
	p.Items.Share, p.Sitemaps.Share, p.Sitemaps.News, p.History = 1, 1, news, 72*time.Hour
	w, srv, sim := serve(t, p, 8)
	sim.Advance(5 * time.Hour)
	seeds := w.Seeds(4, "")
	rules := DefaultRules(sim.Now(), seeds...)
	rules.MaxDepth, rules.Feeds, rules.Sitemaps = 0, true, true
	tr, err := srv.Truth(rules)
	if err != nil {
		t.Fatal(err)
	}
	walk := newWalker(t, srv)
	walk.depth = 0
	walk.walk(append(seeds, walk.announced(seeds)...))
	compareURLs(t, tr, walk)
	failed, items := 0, 0
	for u, e := range tr.URLs {
		if e.Status == 404 || e.Status == 410 {
			failed++
		}
		if strings.Contains(u, "/news/") {
			items++
		}
	}
	if failed == 0 || items == 0 {
		t.Errorf("%d dead URLs, %d items: shows nothing", failed, items)
	}
}

// Near-duplicates share with their original what the API says, by a reader of
// the HTML of both.
func TestNearDuplicatesShareWhatAReaderCounts(t *testing.T) {
	p, err := Load("nasty")
	if err != nil {
		t.Fatal(err)
	}
	p = small(p)
	p.Leaves = map[string]float64{"near": 0.5}
	p.Size = profile.Size{Median: 12_000, Sigma: 0.3, Min: 6_000, Max: 30_000}
	p.Hosting.Soft404, p.Life, p.Twins = 0, profile.Life{}, nil
	w, srv, sim := serve(t, p, 10)
	sim.Advance(5 * time.Hour)
	walk := newWalker(t, srv)
	read := func(u string) []string {
		_, _, body, err := walk.get(u)
		if err != nil {
			t.Fatal(err)
		}
		_, article, _ := strings.Cut(string(body), "</h1>")
		article, _, _ = strings.Cut(article, "</article>")
		return strings.Split(article, "<p>")[1:]
	}
	shares := map[float64]bool{}
	near := 0
	for i := range w.Pages(0) {
		u := w.URL(world.Ref{Form: w.Main(0), Page: world.ID(world.Tree, i)}, "")
		of, share, ok := w.NearDuplicate(u, sim.Now())
		if l, _ := w.Look(u, sim.Now()); ok != (l.Role == world.Near) {
			t.Errorf("%s is %v", u, l.Role)
		}
		if !ok {
			continue
		}
		near++
		shares[share] = true
		common, mine, theirs := 0, read(u), read(of)
		for _, paragraph := range mine {
			if slices.Contains(theirs, paragraph) {
				common++
			}
		}
		if got := float64(common) / float64(len(mine)); got != share {
			t.Errorf("%s shares %v with %s, says %v", u, got, of, share)
		}
	}
	if near < 8 || len(shares) < 4 {
		t.Errorf("%d near-duplicates, shares %v: shows nothing", near, shares)
	}
}

func compareURLs(t *testing.T, tr *Truth, walk *walker) {
	if len(tr.URLs) < 50 {
		t.Fatalf("only %d URLs within reach", len(tr.URLs))
	}
	for u, v := range walk.found {
		e := tr.URLs[u]
		switch {
		case e == nil:
			t.Errorf("found %s (%s), not in the truth", u, v.kind)
		case e.Kind != v.kind || e.Depth != v.depth || e.Doubtful != v.doubtful:
			t.Errorf("%s is %s at %d, truth says %s at %d", u, v.kind, v.depth, e.Kind, e.Depth)
		}
	}
	for u, e := range tr.URLs {
		if walk.found[u] == nil {
			t.Errorf("truth has %s (%s at %d), not found", u, e.Kind, e.Depth)
		}
	}
}

// compareDocs compares the documents by the pages that have them: which of equal pages stands
// depends on who was first, so the truth names all that may.
func compareDocs(t *testing.T, tr *Truth, walk *walker) {
	named := func(members []string) string {
		members = slices.Clone(members)
		slices.Sort(members)
		return strings.Join(members, " ")
	}
	docs, found := map[string]*truth.Doc{}, map[string]bool{}
	for _, d := range tr.Docs {
		docs[named(d.Members)] = d
	}
	for _, members := range walk.documents() {
		d := docs[named(members)]
		found[named(members)] = true
		if d == nil || len(d.Stands) == 0 {
			t.Errorf("walk has a document of %v, truth %+v", members, d)
			continue
		}
		for _, stands := range d.Stands {
			if !slices.Contains(members, stands) {
				t.Errorf("%s may stand for %v, says the truth", stands, members)
			}
		}
	}
	for name, d := range docs {
		if !found[name] && !d.Doubtful {
			t.Errorf("truth has document %s of %v, walk has not", d.URL, d.Members)
		}
	}
}

// The walk above was complete, read robots.txt first and obeyed it: the judge
// must say so.
func compareVerdict(t *testing.T, srv *Server, tr *truth.Truth) {
	opts := DefaultJudge()
	opts.Truth = tr
	r, err := srv.Judge().Report(opts)
	if err != nil {
		t.Fatal(err)
	}
	c := r.Coverage
	if c.Missing != 0 || c.Extra != 0 || c.Fetched == 0 {
		t.Errorf("coverage: %+v", c)
	}
	if r.Repeats.Requests != 0 || r.Robots.BeforeRead != 0 || r.Robots.Disallowed != 0 || r.Robots.Fetched == 0 {
		t.Errorf("repeats %+v robots %+v", r.Repeats, r.Robots)
	}
}
