package search_test

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"millrace/consumers/index/query"
	"millrace/consumers/index/rank"
	"millrace/consumers/index/search"
	"millrace/consumers/index/shard"
	"millrace/schema"
)

// paper is a page of these tests.
type paper struct {
	url, title, text, lang string
	near                   uint64
	links                  int
	anchors                []shard.Anchor
	day                    int64
	kind, author           string
}

// filled indexes pages over three shards.
func filled(t testing.TB, o shard.Options, pages ...paper) *shards {
	t.Helper()
	s := &shards{broken: map[int]string{}}
	for i := range 3 {
		sh, err := shard.Open(filepath.Join(t.TempDir(), fmt.Sprint(i)), o)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { sh.Close() })
		s.all = append(s.all, sh)
	}
	for i, p := range pages {
		host, _, _ := strings.Cut(p.url, "/")
		d := &shard.Document{
			Host: host, Hash: shard.Digest(schema.RecordHash(p.url, []byte(p.title+p.text))), LinkShare: p.links, Near: p.near, Anchors: p.anchors,
			Shown: rank.Page{URL: "https://" + p.url, Title: p.title, Text: p.text, Lang: p.lang, Site: host, Date: p.day * 86400000, Type: p.kind, Author: p.author},
		}
		sh := s.all[i%3]
		if _, err := sh.Apply(t.Context(), shard.Batch{Changes: []shard.Change{{Key: p.url, Document: d}}, Next: sh.Offset() + 1}); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

func urls(r *search.Result) string {
	var all []string
	for _, h := range r.Hits {
		all = append(all, strings.TrimPrefix(h.URL, "https://"))
	}
	return strings.Join(all, " ")
}

func find(t testing.TB, s *search.Searcher, r search.Request) *search.Result {
	t.Helper()
	out, err := s.Search(t.Context(), r)
	if err != nil {
		t.Fatalf("%+v: %v", r, err)
	}
	return out
}

func TestConditionsChooseThePagesTheyName(t *testing.T) {
	s := searcher(t, filled(t, shard.DefaultOptions(),
		paper{url: "a.test/docs/one.html", title: "Dictionary", text: "words in order", author: "Jane Doe", kind: "pdf"},
		paper{url: "a.test/docs/two.html", title: "Second", text: "a dictator speaks of running water"},
		paper{url: "a.test/documents/three.html", title: "Third", text: "she runs a mill"},
		paper{url: "b.test/docs/four", title: "Fourth", text: "a dictionary of Dutch words, run by Jane"},
	), nil)
	for q, want := range map[string]string{
		"dict*": "a.test/docs/one.html a.test/docs/two.html b.test/docs/four", "dictiona*": "a.test/docs/one.html b.test/docs/four",
		"site:a.test/docs": "a.test/docs/one.html a.test/docs/two.html", "site:a.test/doc": "", "site:a.test/doc*": "a.test/docs/one.html a.test/docs/two.html a.test/documents/three.html",
		"-site:a.test/doc words":    "a.test/docs/one.html b.test/docs/four",
		"site:a.test/docs/one.html": "a.test/docs/one.html", "inurl:docs words": "a.test/docs/one.html b.test/docs/four",
		`author:"jane doe"`: "a.test/docs/one.html", "filetype:pdf": "a.test/docs/one.html", "words filetype:html": "b.test/docs/four",
		"words NOT dutch": "a.test/docs/one.html", "title:dictionary": "a.test/docs/one.html",
		"running": "a.test/docs/two.html a.test/documents/three.html b.test/docs/four", `"running"`: "a.test/docs/two.html",
	} {
		got := strings.Fields(urls(find(t, s, search.Request{Query: q})))
		slices.Sort(got)
		if strings.Join(got, " ") != want {
			t.Errorf("%s finds %v, want %s", q, got, want)
		}
	}
}

func TestTheFormThatWasTypedComesFirst(t *testing.T) {
	s := searcher(t, filled(t, shard.DefaultOptions(),
		paper{url: "a.test/", title: "One", text: "it runs here every day", lang: "en"}, paper{url: "b.test/", title: "Two", text: "it is running here today", lang: "en"},
		paper{url: "c.test/", title: "南京市长江大桥", text: "南京市长江大桥。南京市长江大桥。", lang: "zh"}, paper{url: "d.test/", title: "政府", text: "这位市长昨天说话了，大家都在听。", lang: "zh"},
		paper{url: "e.test/", title: "Ёлка", text: "ёлка", lang: "ru"},
		paper{url: "f.test/", title: "The net", text: "a net is a net: nets of a net", lang: "en"}, paper{url: "g.test/", title: "Runtime", text: "the .NET runtime", lang: "en"},
		paper{url: "h.test/", title: "圖書", text: "圖書館", lang: "zh"}, paper{url: "i.test/", title: "图书", text: "图书馆", lang: "zh"},
	), nil)
	for q, want := range map[string]string{".NET": "g.test/ f.test/", "net": "f.test/ g.test/", "图书馆": "i.test/ h.test/", "圖書館": "h.test/ i.test/", "running": "b.test/ a.test/", "市长": "d.test/ c.test/", "елка": "e.test/", "ёлка": "e.test/"} {
		if got := urls(find(t, s, search.Request{Query: q})); got != want {
			t.Errorf("%s finds %s, want %s", q, got, want)
		}
	}
}

type ranks map[string]float64

func (r ranks) Authority(key string) float64 { return r[key] }

func TestWhatLiftsAPageAndWhatHoldsItBack(t *testing.T) {
	o := shard.DefaultOptions()
	o.Ranks = ranks{"linked.test/": 50}
	s := searcher(t, filled(t, o,
		paper{url: "index.test/", title: "All", text: "asyncio asyncio asyncio", links: 95, lang: "en"}, paper{url: "page.test/", title: "About", text: "asyncio is a module asyncio", lang: "en"},
		paper{url: "plain.test/", title: "Wheel", text: "a wheel turns", lang: "en"}, paper{url: "linked.test/", title: "Wheel", text: "a wheel turns", lang: "en"},
		paper{url: "ru.test/", title: "Debian", text: "debian debian debian", lang: "ru"}, paper{url: "en.test/", title: "Debian", text: "debian is a system", lang: "en"},
		paper{url: "target.test/", title: "Home", text: "nothing here", lang: "en", anchors: []shard.Anchor{{Text: "weir", Sites: 3}}},
		paper{url: "old.test/", title: "Flood", text: "flood news", day: 19000, lang: "en"}, paper{url: "new.test/", title: "Flood", text: "flood news", day: 20000, lang: "en"},
	), func(o *search.Options) { o.Now = func() time.Time { return time.Unix(20001*86400, 0) } })
	for q, want := range map[string]string{
		"asyncio": "page.test/ index.test/", "wheel": "linked.test/ plain.test/", "what is debian": "en.test/ ru.test/", "weir": "target.test/", "flood news": "new.test/ old.test/",
	} {
		r := find(t, s, search.Request{Query: q, Explain: true})
		if got := urls(r); got != want {
			t.Errorf("%s finds %s, want %s", q, got, want)
		}
		for _, h := range r.Hits {
			sum := 0.0
			for _, p := range h.Parts {
				sum += p.Value
			}
			if math.Abs(sum-h.Score) > 1e-9*h.Score || len(h.Parts) < 1 {
				t.Errorf("%s, %s: parts %v are %g, the score is %g", q, h.URL, h.Parts, sum, h.Score)
			}
		}
	}
}

func TestCopiesAreFoldedAndSitesTakeTurns(t *testing.T) {
	var pages []paper
	for i := range 5 {
		pages = append(pages, paper{url: fmt.Sprintf("a.test/%d", i), title: "Mill", text: strings.Repeat("mill ", 20-i), near: uint64(1) << (10 * i) * 0x3ff})
	}
	pages = append(pages, paper{url: "b.test/", title: "Other", text: "a mill", near: 0x3ff << 50}, paper{url: "copy.test/", title: "Mill", text: strings.Repeat("mill ", 19), near: 0x3ff &^ 0xff},
		paper{url: "a.test/report", title: "Mill", text: strings.Repeat("mill ", 14), near: 0x3ff &^ 0xff})
	s := searcher(t, filled(t, shard.DefaultOptions(), pages...), nil)
	r := find(t, s, search.Request{Query: "mill"})
	if got, want := urls(r), "a.test/0 a.test/1 b.test/ a.test/2 a.test/3 a.test/4 a.test/report"; got != want {
		t.Fatalf("found %s, want %s", got, want)
	}
	if also := r.Hits[0].Also; len(also) != 1 || also[0].Site != "copy.test" || r.Hits[1].More != 4 || r.Total != 8 || r.Listed != 7 {
		t.Fatalf("also %v, %d more, %d in all, %d listed", also, r.Hits[1].More, r.Total, r.Listed)
	}
	for _, one := range []search.Request{{Query: "mill", PerSite: -1}, {Query: "mill site:a.test"}} {
		if got := urls(find(t, s, one)); !strings.HasPrefix(got, "a.test/0 a.test/1 a.test/2") {
			t.Errorf("%+v finds %s", one, got)
		}
	}
}

func TestMisspelledWordsAreCorrectedFromTheIndex(t *testing.T) {
	var pages []paper
	for i := range 40 {
		pages = append(pages, paper{url: fmt.Sprintf("a.test/%d", i), title: "Vacuum", text: "vacuum and analyze the database; вакуум и мельница; 人工智能"})
	}
	pages = append(pages, paper{url: "b.test/", title: "Vaccum", text: "vaccum cleaner"})
	pages = append(pages, paper{url: "b.test/panic", title: "Panic", text: "vacuum: panic: runtime error, three errors"})
	s := searcher(t, filled(t, shard.DefaultOptions(), pages...), func(o *search.Options) { o.RelaxBelow = 10 })
	for q, want := range map[string]string{"vaccum": "vacuum", "vacuum runtime error": "", "vacuum threw": "vacuum three", "analize database": "analyze database", "мельнеца": "мельница", "vacuum": "", "qqqqqq": "", "data-base vacum site:a.test": "data-base vacuum site:a.test"} {
		if got := find(t, s, search.Request{Query: q, Suggest: true}).Meant; got != want {
			t.Errorf("%s: meant %q, want %q", q, got, want)
		}
	}
	for typed, want := range map[string]string{"vac": "vacuum,vaccum", "database v": "", "database va": "database vacuum", "мел": "мельница", "人工": "人工智能", "site:a": "", "vacuum ": ""} {
		got, err := s.Suggest(t.Context(), typed, 5)
		if err != nil || strings.Join(got, ",") != want {
			t.Errorf("%q goes on as %v, %v; want %s", typed, got, err, want)
		}
	}
}

// A walk with cursors gives every page once, whatever the size of its steps, and another query's
// cursor is refused.
func TestCursorsWalkOverEverything(t *testing.T) {
	var pages []paper
	for i := range 130 {
		pages = append(pages, paper{url: fmt.Sprintf("a.test/%03d", i), title: "Mill", text: strings.Repeat("mill ", 1+i%4), day: int64(19000 + i%7), near: 5})
	}
	s := searcher(t, filled(t, shard.DefaultOptions(), pages...), nil)
	for _, r := range []search.Request{{Query: "mill", Size: 7}, {Query: "mill", Size: 100}, {Query: "mill", Size: 9, Newest: true}} {
		seen, last := map[string]bool{}, math.Inf(1)
		for r.Cursor = search.Start; r.Cursor != ""; {
			part := find(t, s, r)
			for _, h := range part.Hits {
				if seen[h.Key] || h.Score > last+1e-9 {
					t.Fatalf("%s comes again, or out of order", h.Key)
				}
				seen[h.Key], last = true, h.Score
			}
			r.Cursor = part.Next
		}
		if len(seen) != len(pages) {
			t.Errorf("%+v: %d of %d pages", r, len(seen), len(pages))
		}
	}
	next := find(t, s, search.Request{Query: "mill", Size: 5, Cursor: search.Start}).Next
	for _, c := range []string{next, "!", strings.Repeat("A", 9000)} {
		if _, err := s.Search(t.Context(), search.Request{Query: "wheel", Size: 5, Cursor: c}); err == nil || !strings.Contains(err.Error(), "cursor") {
			t.Errorf("cursor %.20q: %v", c, err)
		}
	}
}

func TestFacetsCountEveryMatch(t *testing.T) {
	s := searcher(t, filled(t, shard.DefaultOptions(),
		paper{url: "a.test/1", text: "mill", lang: "en", day: 19723}, paper{url: "a.test/2", text: "mill", lang: "ru", day: 19722, kind: "pdf"}, paper{url: "b.test/", text: "mill", lang: "en", day: 19800},
		paper{url: "c.test/", text: "wheel", lang: "de"},
	), nil)
	f := find(t, s, search.Request{Query: "mill", Facets: true}).Facets
	if got := fmt.Sprint(f.Site, f.Lang, f.Type, f.Year); got != "map[a.test:2 b.test:1] map[en:2 ru:1] map[html:2 pdf:1] map[2023:1 2024:2]" {
		t.Fatal(got)
	}
}

func TestUnknownOperatorsAreErrorsThatSayWhere(t *testing.T) {
	s := searcher(t, spread(t, 1), nil)
	for q, want := range map[string]string{
		"mill intile:wheel": "there is no operator intile: (at character 6); did you mean intitle:?", "foo:bar": `quote them: "foo bar"`,
		"site: example.com": "site: needs a value directly after the colon (at character 1)", "d*t": "only stand at the end", "a b after:x": "(at character 5)",
	} {
		_, err := s.Search(t.Context(), search.Request{Query: q})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", q, err, want)
		}
	}
	for _, q := range []string{"std::vector", "http://example.com/a", "12:30", "localhost:8080", "error: mill"} {
		if _, err := query.Parse(q, query.DefaultLimits()); err != nil {
			t.Errorf("%s: %v", q, err)
		}
	}
}

// A phrase is found when its signs were lost on the way, and a page whose title is the question
// comes first, also when the question is so long that words of other pages are added to it.
func TestKnownItemsAreFound(t *testing.T) {
	pages := []paper{
		{url: "a.test/1", title: "Tables", text: "What stands in the compiler's symbol tables is told here.", lang: "en"},
		{url: "a.test/2", title: "Compiler", text: "The compiler S symbol is another thing, and a compiler has tables of symbols.", lang: "en"},
		{url: "b.test/title", title: "Why the quick river turns an old wooden wheel slowly", text: "Because.", lang: "en"},
	}
	for i := range 40 {
		pages = append(pages, paper{
			url: fmt.Sprintf("w%d.test/", i), title: fmt.Sprintf("Note %d", i), lang: "en",
			text: strings.Repeat("The quick river turns slowly. An old wooden wheel turns in the river near the mill, and the miller grinds. ", 3+i%3),
		})
	}
	s := searcher(t, filled(t, shard.DefaultOptions(), pages...), func(o *search.Options) { o.RelaxBelow = 10 })
	for query, want := range map[string]string{
		`"compiler s symbol tables"`:                           "a.test/1",
		`"compiler's symbol tables"`:                           "a.test/1",
		`"the compiler s symbol is"`:                           "a.test/2",
		`why the quick river turns an old wooden wheel slowly`: "b.test/title",
	} {
		if got := urls(find(t, s, search.Request{Query: query})); !strings.HasPrefix(got, want) {
			t.Errorf("%s finds %q, want %s first", query, got, want)
		}
	}
}
