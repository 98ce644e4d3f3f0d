package world

import (
	"bytes"
	"compress/gzip"
	"encoding/xml"
	"io"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"millrace/ops/simweb/draw"
	"millrace/ops/simweb/profile"
)

func build(t testing.TB, name string, change func(*profile.Profile)) *World {
	t.Helper()
	p, err := profile.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	if change != nil {
		change(&p)
	}
	w, err := New(p, 11, DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// A link must lead to the page it was made for, in whatever form it is written.
func TestEveryURLLeadsBackToItsPage(t *testing.T) {
	w := build(t, "nasty", nil)
	forms := map[Form]int{}
	for h := range Host(w.HostCount()) {
		for i := range min(w.Pages(h), 60) {
			a := w.Answer(Request{Ref: Ref{h, w.Main(h), ID(Tree, i)}}, w.Start())
			refs := []Ref{a.Ref}
			for _, l := range w.Links(nil, &a) {
				if l.Target == "" {
					refs = append(refs, l.To)
				}
			}
			for _, r := range refs {
				for _, port := range []string{"", "8080"} {
					req, ok := w.ParseURL(w.URL(r, port))
					if !ok || req.Ref != r || req.Port != port {
						t.Fatalf("%s is %+v, not %+v", w.URL(r, port), req, r)
					}
				}
				forms[r.Form&(shapeMask|HTTPS|WWW)]++
			}
		}
	}
	if len(forms) < 9 {
		t.Errorf("only forms %v came up", forms)
	}
}

// The changes of a page are a Poisson process of its rate, and the version an
// answer shows is the last of them.
func TestChangesArePoissonAndMoveTheVersion(t *testing.T) {
	w := build(t, "fast", func(p *profile.Profile) {
		p.Change.Share, p.Change.Fastest, p.Change.Slowest = 1, time.Hour, time.Hour
	})
	const hours = 20
	var sum, sq float64
	n := 0
	for h := range Host(20) {
		for i := range uint64(100) {
			id := ID(Tree, i)
			end := w.Start().Add(hours * time.Hour)
			times := w.Changes(h, id, w.Start(), end)
			k := float64(len(times))
			sum, sq, n = sum+k, sq+k*k, n+1
			a := w.Answer(Request{Ref: Ref{h, 0, id}}, end)
			if len(times) > 0 && a.Version != times[len(times)-1].UnixNano() || !slices.IsSortedFunc(times, time.Time.Compare) {
				t.Fatalf("version %d, changes %v", a.Version, times)
			}
		}
	}
	mean := sum / float64(n)
	if v := sq/float64(n) - mean*mean; math.Abs(mean-hours) > 0.5 || math.Abs(v-hours) > 2 {
		t.Errorf("mean %.2f, variance %.2f, want %d both", mean, v, hours)
	}
}

func TestLeavesAreBornAndDie(t *testing.T) {
	w := build(t, "fast", func(p *profile.Profile) {
		p.Life = profile.Life{Born: 0.3, Dies: 0.3, Span: time.Hour}
	})
	born, died := 0, 0
	for i := range w.Pages(0) {
		id := ID(Tree, i)
		from, to := w.Life(0, id)
		status := func(at time.Time) int { return w.Answer(Request{Ref: Ref{Page: id}}, at).Status }
		if from.After(w.Start()) {
			born++
			if status(from.Add(-time.Second)) == 200 || status(from) != 200 && !to.Equal(from) {
				t.Errorf("page %d is not born at %v", i, from)
			}
		}
		if !to.IsZero() && to.After(from) {
			died++
			if status(to.Add(-time.Second)) != 200 || status(to) == 200 {
				t.Errorf("page %d does not die at %v", i, to)
			}
		}
	}
	if born < 20 || died < 20 {
		t.Errorf("%d born, %d died", born, died)
	}
}

func TestFeedsShowTheNewestItems(t *testing.T) {
	w := build(t, "news", func(p *profile.Profile) { p.Items.Share = 1 })
	at := w.Start().Add(5 * time.Hour)
	all := w.Items(0, w.Start().Add(-w.p.History), at)
	if len(all) < 500 {
		t.Fatalf("%d items in 30 days, one an hour", len(all))
	}
	var want []string
	for _, it := range all[len(all)-w.p.Items.Feed:] {
		want = append(want, w.URL(it.Ref, ""))
	}
	var rss struct {
		Items []struct {
			Link string `xml:"link"`
			Date string `xml:"pubDate"`
		} `xml:"channel>item"`
	}
	var atom struct {
		Entries []struct {
			ID string `xml:"id"`
		} `xml:"entry"`
	}
	parseXML(t, w, ID(Feed, 0), at, &rss)
	parseXML(t, w, ID(Feed, 1), at, &atom)
	var a, b []string
	for i, it := range rss.Items {
		when, err := time.Parse(time.RFC1123Z, it.Date)
		if item := all[len(all)-1-i]; err != nil || !when.Equal(item.At) {
			t.Errorf("item %d at %s, want %v", i, it.Date, item.At)
		}
		a = append(a, it.Link)
	}
	for _, e := range atom.Entries {
		b = append(b, e.ID)
	}
	slices.Sort(want)
	if slices.Sort(a); !slices.Equal(a, want) {
		t.Errorf("RSS names %v, want %v", a, want)
	}
	if slices.Sort(b); !slices.Equal(b, want) {
		t.Errorf("Atom names %v, want %v", b, want)
	}
}

func parseXML(t *testing.T, w *World, id PageID, at time.Time, v any) {
	t.Helper()
	a := w.Answer(Request{Ref: Ref{0, w.Main(0), id}}, at)
	body := w.Body(nil, &a)
	if a.Type == "application/gzip" {
		z, err := gzip.NewReader(bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		if body, err = io.ReadAll(z); err != nil {
			t.Fatal(err)
		}
	}
	if err := xml.Unmarshal(body, v); err != nil {
		t.Fatalf("%v in %.300s", err, body)
	}
}

type urlset struct {
	URLs []struct {
		Loc string `xml:"loc"`
		Mod string `xml:"lastmod"`
	} `xml:"url"`
}

func TestSitemapsTellTheTruthTheLieOrNothing(t *testing.T) {
	for _, c := range []struct {
		name            string
		gzip, none, lie float64
	}{{"true", 0, 0, 0}, {"missing", 1, 1, 0}, {"false", 0, 0, 1}} {
		w := build(t, "university", func(p *profile.Profile) {
			p.Sitemaps = profile.Sitemaps{Share: 1, PerFile: 50, Gzip: c.gzip, NoMod: c.none, FalseMod: c.lie, Stale: 0.5}
			p.Items.Share, p.Pages.Min, p.Change.Share = 1, 300, 1
		})
		var index struct {
			Locs []string `xml:"sitemap>loc"`
		}
		at := w.Start().Add(24 * time.Hour)
		parseXML(t, w, ID(Sitemap, 0), at, &index)
		if len(index.Locs) < 5 || strings.HasSuffix(index.Locs[0], ".gz") != (c.gzip == 1) {
			t.Fatalf("%s: %v", c.name, index.Locs)
		}
		listed, dead := 0, 0
		for _, loc := range index.Locs {
			req, ok := w.ParseURL(loc)
			if !ok || req.Ref.Page.Space() != Sitemap {
				t.Fatalf("index names %s", loc)
			}
			var set urlset
			parseXML(t, w, req.Ref.Page, at, &set)
			for _, u := range set.URLs {
				listed++
				page, _ := w.ParseURL(u.Loc)
				a := w.Answer(page, at)
				if a.Status != 200 {
					dead++
					continue
				}
				truth := time.Unix(0, max(a.Born, a.Version)).UTC().Format(time.RFC3339)
				now := at.Format(time.RFC3339)
				if item := page.Ref.Page.Space() == Item; !item && u.Mod != map[string]string{"true": truth, "missing": "", "false": now}[c.name] {
					t.Errorf("%s: lastmod %q of a page of %s", c.name, u.Mod, truth)
				}
			}
		}
		if listed < 200 || dead == 0 || dead > listed/10 {
			t.Errorf("%s: %d listed, %d of them dead", c.name, listed, dead)
		}
	}
}

// A news sitemap names the items of the last two days, as a reader of Google's
// format finds them; a host without one says nothing of news.
func TestNewsSitemapsNameTheItemsOfTwoDays(t *testing.T) {
	for _, share := range []float64{0, 1} {
		w := build(t, "news", func(p *profile.Profile) {
			p.Items.Share = 1
			p.Sitemaps = profile.Sitemaps{Share: 1, PerFile: 500, News: share}
		})
		var set struct {
			URLs []struct {
				Loc  string `xml:"loc"`
				News *struct {
					Name  string    `xml:"publication>name"`
					Lang  string    `xml:"publication>language"`
					Date  time.Time `xml:"publication_date"`
					Title string    `xml:"title"`
				} `xml:"http://www.google.com/schemas/sitemap-news/0.9 news"`
			} `xml:"url"`
		}
		at := w.Start().Add(5 * time.Hour)
		parseXML(t, w, ID(Sitemap, 1), at, &set)
		items := w.Items(0, at.Add(-newsAge-time.Nanosecond), at)
		if share == 0 {
			if len(set.URLs) <= len(items) || set.URLs[0].News != nil {
				t.Errorf("%d URLs, first %+v", len(set.URLs), set.URLs[0])
			}
			continue
		}
		if len(items) < 20 || len(set.URLs) != len(items) {
			t.Fatalf("%d items, %d in the news sitemap", len(items), len(set.URLs))
		}
		slices.Reverse(items)
		for i, u := range set.URLs {
			n := u.News
			if n == nil {
				t.Fatalf("%s has no news", u.Loc)
			}
			page := w.Answer(Request{Ref: items[i].Ref}, at)
			shown := string(w.Body(nil, &page))
			if u.Loc != w.URL(items[i].Ref, "") || !n.Date.Equal(items[i].At) || n.Name == "" || n.Lang != w.Lang(0).Code() ||
				!strings.Contains(shown, "<h1>"+n.Title+"</h1>") {
				t.Errorf("%+v %+v, item %+v", u, n, items[i])
			}
		}
	}
}

func TestHostSizesFollowAPowerLaw(t *testing.T) {
	w := build(t, "d15", func(p *profile.Profile) { p.Pages = profile.Pages{Min: 10, Max: 1 << 30, Alpha: 1} })
	over := func(n uint64) (k float64) {
		for h := range Host(w.HostCount()) {
			if w.Pages(h) >= n {
				k++
			}
		}
		return k / float64(w.HostCount())
	}
	for _, n := range []uint64{20, 100, 1000} {
		if got, want := over(n), 10/float64(n); got < want*0.75 || got > want*1.25 {
			t.Errorf("share of hosts with %d pages or more: %.4f, want %.4f", n, got, want)
		}
	}
}

// Near-duplicates share the part of their paragraphs that Source says, so that
// a measure of near-duplicate detection knows the truth.
func TestNearDuplicatesShareWhatTheySay(t *testing.T) {
	w := build(t, "fast", func(p *profile.Profile) {
		p.Leaves = map[string]float64{"near": 1}
		p.Size = profile.Size{Median: 100_000, Min: 100_000, Max: 100_000}
	})
	paragraphs := func(id PageID) []string {
		a := w.Answer(Request{Ref: Ref{Page: id}}, w.Start())
		_, text, _ := strings.Cut(string(w.Body(nil, &a)), "</h1>\n")
		text, _, _ = strings.Cut(text, "</article>")
		return strings.Split(text, "\n")
	}
	seen := map[float64]int{}
	for i := w.inner(w.Pages(0)); i < w.Pages(0); i++ {
		s := w.source(0, ID(Tree, i), Near)
		mine, theirs := paragraphs(ID(Tree, i)), paragraphs(s.Of)
		same := 0
		for _, p := range mine {
			if slices.Contains(theirs, p) {
				same++
			}
		}
		sigma := math.Sqrt(s.Share * (1 - s.Share) / float64(len(mine)))
		if got := float64(same) / float64(len(mine)); math.Abs(got-s.Share) > 4*sigma+0.02 {
			t.Errorf("page %d shares %.3f of %d paragraphs, says %.2f", i, got, len(mine), s.Share)
		}
		seen[s.Share]++
	}
	if len(seen) != len(nearShares) {
		t.Errorf("shares %v", seen)
	}
}

// 10^6 hosts with 10^7 pages must not cost memory, however many are asked for.
func TestAMillionHostsTakeNoMemory(t *testing.T) {
	w := build(t, "d15", func(p *profile.Profile) { p.Hosts, p.Pages.Min, p.Pages.Alpha = 1_000_000, 10, 2 })
	buf := make([]byte, 0, 1<<20)
	visit := func(from, n uint64) {
		for k := from; k < from+n; k++ {
			h := Host(draw.Mix(k) % 1_000_000)
			a := w.Answer(Request{Ref: Ref{h, 0, ID(Tree, draw.Mix(k+7)%w.Pages(h))}}, w.Start())
			buf = w.Body(buf[:0], &a)
		}
	}
	visit(0, 500)
	before := heap()
	visit(500, 5000)
	if grown := int64(heap()) - int64(before); grown > 512<<10 {
		t.Errorf("the heap grew by %d bytes over 5,000 pages", grown)
	}
	runtime.KeepAlive(w)
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

func TestPagesAreAsLongAsTheProfileSays(t *testing.T) {
	w := build(t, "fast", nil)
	total := 0
	for i := range w.Pages(3) {
		a := w.Answer(Request{Ref: Ref{Host: 3, Page: ID(Tree, i)}}, w.Start())
		total += len(w.Body(nil, &a))
	}
	if mean := total / int(w.Pages(3)); mean < 18_000 || mean > 22_000 {
		t.Errorf("mean length %d, profile says 20000", mean)
	}
}
