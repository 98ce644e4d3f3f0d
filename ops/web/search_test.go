package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"millrace/ops/records"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// hostile is text that would do harm if it were taken for markup.
const hostile = `<script>alert(1)</script><img src=x onerror=alert(1)>"'><b>&amp;`

func hostileHits() []Hit {
	return []Hit{
		{URL: "https://example.com/" + hostile, Title: hostile, Site: hostile, Lang: `en" onmouseover="alert(1)`,
			Snippet: []Fragment{{hostile, false}, {hostile, true}}},
		{URL: "javascript:alert(1)", Title: "js"},
		{URL: "data:text/html,<script>alert(1)</script>", Title: "data"},
		{URL: "JaVaScRiPt://example.com/%0aalert(1)", Title: "mixed"},
		{URL: "//example.com/", Title: "no scheme"},
	}
}

// The text of hostile pages is shown as it is, and never becomes an element,
// an attribute or a link that does something.
func TestTextFromTheWebStaysText(t *testing.T) {
	s := newSite(t)
	s.d.Search = func(context.Context, Question) (Results, error) {
		return Results{Total: 5, Hits: hostileHits(), Warnings: []string{hostile}}, nil
	}
	s.d.Why = func(context.Context, string) (Story, error) {
		return Story{URL: "javascript:alert(1)", Summary: hostile, Sections: []Section{{hostile, [][2]string{{hostile, hostile}}}}}, nil
	}
	q := url.QueryEscape(hostile)
	for _, path := range []string{"/?q=" + q, "/why?url=" + q} {
		p := s.page(path, http.StatusOK)
		for n := range p.root.Descendants() {
			for _, a := range n.Attr {
				if strings.HasPrefix(a.Key, "on") || a.Key == "style" {
					t.Errorf("%s: <%s> has an attribute %s", path, n.Data, a.Key)
				}
				if a.Key == "href" && !strings.HasPrefix(a.Val, "/") && !strings.HasPrefix(a.Val, "https://example.com/") && a.Val != "#main" {
					t.Errorf("%s: a link to %s", path, a.Val)
				}
			}
			if n.Data == "script" && attr(n, "src") == "" || n.Data == "img" || n.Data == "b" {
				t.Errorf("%s: an element <%s>", path, n.Data)
			}
		}
	}
	p := s.page("/?q="+q, http.StatusOK)
	if marks := p.all("mark", ""); len(marks) != 1 || textOf(marks[0]) != strings.Join(strings.Fields(hostile), " ") {
		t.Errorf("%d marks", len(marks))
	}
	if got := attr(p.all("input", "")[0], "value"); got != hostile {
		t.Errorf("the box has %q, want what was asked", got)
	}
	for _, h := range p.all("h2", "")[1:] {
		for c := range h.Descendants() {
			if c.Data == "a" {
				t.Errorf("%q can be clicked", textOf(h))
			}
		}
	}
}

func TestResultLinksTellNothing(t *testing.T) {
	s := newSite(t)
	s.d.Search = func(context.Context, Question) (Results, error) {
		return Results{Total: 1, Hits: []Hit{{URL: "https://example.com/a", Title: "A"}}}, nil
	}
	p := s.page("/?q=a", http.StatusOK)
	for _, a := range p.all("a", "") {
		if strings.HasPrefix(attr(a, "href"), "http") && attr(a, "rel") != "noopener noreferrer nofollow" {
			t.Errorf("link %s has rel %q", attr(a, "href"), attr(a, "rel"))
		}
	}
}

// A PDF opens where the hit is; other files say it beside the link.
func TestAHitInAFileSaysWhereAndAPDFOpensThere(t *testing.T) {
	s := newSite(t)
	s.d.Search = func(context.Context, Question) (Results, error) {
		return Results{Total: 4, Hits: []Hit{
			{URL: "https://a.test/report", Title: "Report", Type: "pdf", FilePage: 7},
			{URL: "https://a.test/first", Title: "First", Type: "pdf", FilePage: 1},
			{URL: "https://a.test/talk", Title: "Talk", Type: "pptx", FilePage: 3},
			{URL: "https://a.test/story", Title: "Story", Type: "html"},
		}}, nil
	}
	var got []string
	p := s.page("/?q=a", http.StatusOK)
	for _, a := range p.all("a", "") {
		if strings.HasPrefix(attr(a, "href"), "https://a.test/") {
			got = append(got, strings.TrimPrefix(attr(a, "href"), "https://a.test"))
		}
	}
	if want := []string{"/report#page=7", "/first", "/talk", "/story"}; !slices.Equal(got, want) {
		t.Errorf("links %v, want %v", got, want)
	}
	for _, want := range []string{">page 7<", ">page 1<", ">slide 3<"} {
		if body := s.get("/?q=a").Body.String(); !strings.Contains(body, want) {
			t.Errorf("%s is not on the page", want)
		}
	}
}

// The shape of the API is a promise to programs: exactly these names and types.
func TestSearchAPI(t *testing.T) {
	s := newSite(t)
	var asked []any
	fetched := time.Date(2026, 9, 30, 10, 2, 3, 0, time.FixedZone("", 3600))
	s.d.Search = func(_ context.Context, q Question) (Results, error) {
		asked = []any{q.Query, q.From, q.Size}
		return Results{Total: 1234, Listed: 1230, Meant: "exactly words", Next: "abc", Facets: []Facet{{"site", []FacetValue{{"example.com", 3, "site:example.com"}}}}, Took: 12345 * time.Microsecond, Hits: []Hit{
			{URL: "https://example.com/?a=1&b", Title: "A <title>", Score: 1.5, Site: "example.com", Lang: "en", FetchedAt: fetched, Date: fetched, Author: "Jane", Type: "pdf", FilePage: 12,
				Also: []Also{{"https://copy.test/", "copy.test"}}, More: 4, Parts: []Part{{"words", 1.5}},
				Snippet: []Fragment{{"a <b> ", false}, {"c & d", true}}},
			{URL: "https://example.com/2"},
		}}, nil
	}
	rec := s.get("/api/v1/search?q=%22exact+words%22&from=20&size=5")
	if want := []any{`"exact words"`, 20, 5}; !reflect.DeepEqual(asked, want) {
		t.Errorf("asked %v, want %v", asked, want)
	}
	var got, want any
	if err := json.Unmarshal(rec.Body.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(`{"total": 1234, "listed": 1230, "searched": 1200, "took_ms": 12.345, "hits": [
		{"url": "https://example.com/?a=1&b", "title": "A <title>", "snippet": "a &lt;b&gt; <mark>c &amp; d</mark>",
		 "score": 1.5, "site": "example.com", "lang": "en", "author": "Jane", "type": "pdf", "file_page": 12, "published_at": null, "fetched_at": "2026-09-30T09:02:03Z",
		 "date": "2026-09-30T09:02:03Z", "also": [{"url": "https://copy.test/", "site": "copy.test"}], "more_on_site": 4, "explain": [{"name": "words", "value": 1.5}]},
		{"url": "https://example.com/2", "title": "", "snippet": "", "score": 0, "site": "", "lang": "", "author": "", "type": "", "published_at": null, "fetched_at": null, "date": null, "also": [], "more_on_site": 0}
	], "did_you_mean": "exactly words", "next_cursor": "abc", "facets": [{"name": "site", "values": [{"value": "example.com", "count": 3, "query": "site:example.com"}]}]}`), &want); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %v\nwant %v", got, want)
	}
}

// Where another query was answered, the page and the API say so, and what leads on is about that
// query; a feed and exact ask for nothing else than was typed.
func TestAnAnswerToAnotherQuerySaysSo(t *testing.T) {
	s := newSite(t)
	var asked Question
	s.d.Search = func(_ context.Context, q Question) (Results, error) {
		asked = q
		return Results{Total: 30, Listed: 30, Hits: []Hit{{URL: "https://a.test/", Site: "a.test"}}, Instead: "node-js"}, nil
	}
	if rec := s.get("/api/v1/search?q=nodejs"); !strings.Contains(rec.Body.String(), `"instead":"node-js"`) || asked.Exact {
		t.Errorf("API: %s", rec.Body)
	}
	page := s.page("/?q=nodejs", http.StatusOK)
	if got := page.one(t, "p", "hint"); got != "No page has “nodejs”. These results are for “node-js”." {
		t.Errorf("page: %s", got)
	}
	if body := s.get("/?q=nodejs").Body.String(); !strings.Contains(body, `href="/?from=10&amp;q=node-js"`) || !strings.Contains(body, `value="nodejs"`) {
		t.Errorf("the page leads on from nodejs:\n%s", body)
	}
	for _, path := range []string{"/rss?q=nodejs", "/api/v1/search?q=nodejs&exact"} {
		if s.get(path); !asked.Exact {
			t.Errorf("%s may answer another query", path)
		}
	}
}

// What leads on says what was shown; what leads back, and to other lists, does not.
func TestLinksToFurtherPagesSayWhatWasShown(t *testing.T) {
	s := newSite(t)
	var asked Question
	s.d.Search = func(_ context.Context, q Question) (Results, error) {
		asked = q
		return Results{Total: 60, Listed: 60, Hits: []Hit{{URL: "https://a.test/", Site: "a.test"}}, Seen: "SHOWN"}, nil
	}
	body := s.get("/?q=mill&from=20&seen=BEFORE").Body.String()
	if asked.Seen != "BEFORE" {
		t.Errorf("asked with %q", asked.Seen)
	}
	for _, link := range []string{"/?from=30&amp;q=mill&amp;seen=SHOWN", "/?from=40&amp;q=mill&amp;seen=SHOWN", "/?from=10&amp;q=mill", "/?q=mill&amp;sort=date"} {
		if !strings.Contains(body, `href="`+link+`"`) {
			t.Errorf("no link %s:\n%s", link, body)
		}
	}
	if strings.Contains(body, "BEFORE") {
		t.Error("a link has the token of the page before")
	}
	if got := s.get("/api/v1/search?q=mill&size=20&facets").Body.String(); !strings.Contains(got, `"next":"/api/v1/search?facets=\u0026from=20\u0026q=mill\u0026seen=SHOWN\u0026size=20"`) {
		t.Errorf("API: %s", got)
	}
	if rec := s.get("/api/v1/search?q=mill&seen=" + strings.Repeat("A", maxSeenBytes+1)); rec.Code != http.StatusBadRequest {
		t.Errorf("a long token: %d", rec.Code)
	}
}

func TestPartialResultsSaySo(t *testing.T) {
	s := newSite(t)
	s.d.Search = func(context.Context, Question) (Results, error) {
		return Results{Total: 1, Hits: []Hit{{URL: "https://a.test/"}}, Warnings: []string{"shard 3 is missing"}, Relaxed: true}, nil
	}
	if rec := s.get("/api/v1/search?q=a"); !strings.Contains(rec.Body.String(), `"relaxed":true,"warnings":["shard 3 is missing"]`) {
		t.Errorf("API: %s", rec.Body)
	}
	if got := s.page("/?q=a", http.StatusOK).one(t, "p", "warning"); got != "Shard 3 is missing." {
		t.Errorf("page: %s", got)
	}
}

func TestEveryStateOfTheSearchPageSaysWhatToDo(t *testing.T) {
	answer := func(r Results, err error) func(context.Context, Question) (Results, error) {
		return func(context.Context, Question) (Results, error) { return r, err }
	}
	for _, c := range []struct {
		name, path string
		search     func(context.Context, Question) (Results, error)
		docs       bool
		status     int
		says       string
	}{
		{"beginning", "/", answer(Results{}, nil), true, 200, "1,200 pages to search"},
		{"only spaces", "/?q=+++", answer(Results{}, nil), true, 200, "1,200 pages to search"},
		{"no index here", "/", answer(Results{}, nil), false, 200, "This process keeps no index"},
		{"nothing found", "/?q=zzz", answer(Results{}, nil), true, 200, "No page has “zzz”"},
		{"past the end", "/?q=a&from=90", answer(Results{Total: 42}, nil), true, 200, "There are 42"},
		{"bad query", "/?q=-a", answer(Results{}, &UserError{"add a word that must be there"}), true, 400, "Add a word that must be there."},
		{"index down", "/?q=a", answer(Results{}, errors.New("secret detail")), true, 503, "The index cannot answer just now"},
		{"too slow", "/?q=a", answer(Results{}, context.DeadlineExceeded), true, 503, "The index cannot answer just now"},
		{"no search", "/?q=a", nil, true, 501, "This process has no index"},
		{"too long", "/?q=" + strings.Repeat("x", 1025), answer(Results{}, nil), true, 400, "The query is too long"},
		{"bad number", "/?q=a&from=x", answer(Results{}, nil), true, 400, "From must be a number from 0 to 1000."},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSite(t)
			s.d.Search = c.search
			if !c.docs {
				s.src.Index = nil
			}
			p := s.page(c.path, c.status)
			said := textOf(p.all("main", "")[0])
			if !strings.Contains(said, c.says) {
				t.Errorf("the page says %q, want %q", said, c.says)
			}
			if strings.Contains(said, "secret") {
				t.Error("the page tells what only the log should")
			}
			if c.status == 503 && s.log.Len() == 0 {
				t.Error("nothing in the log")
			}
			if len(p.all("input", "")) == 0 {
				t.Error("no box to ask again")
			}
		})
	}
}

// Following "More" from the first page shows every reachable result once.
func TestPagesFollowEachOther(t *testing.T) {
	s := newSite(t)
	s.o.PageDepth = 70
	const total = 95
	s.d.Search = func(_ context.Context, q Question) (Results, error) {
		r := Results{Total: total, Listed: total}
		for i := q.From; i < min(total, q.From+q.Size); i++ {
			r.Hits = append(r.Hits, Hit{URL: "https://a.test/" + strconv.Itoa(i), Title: strconv.Itoa(i)})
		}
		return r, nil
	}
	var seen []string
	steps := 0
	for next := "/?q=%26+%22x"; next != ""; steps++ {
		p := s.page(next, http.StatusOK)
		next = ""
		for _, h := range p.all("h2", "") {
			seen = append(seen, textOf(h))
		}
		for _, a := range p.all("a", "") {
			if attr(a, "rel") == "next" {
				next = attr(a, "href")
			}
		}
		if got := attr(p.all("input", "")[0], "value"); got != `& "x` {
			t.Fatalf("the query became %q", got)
		}
	}
	if len(seen) != 70 || len(slices.Compact(slices.Clone(seen))) != 70 || steps != 7 {
		t.Errorf("%d results on %d pages", len(seen), steps)
	}
}

func TestShownAddresses(t *testing.T) {
	for raw, want := range map[string]string{
		"https://ru.wikipedia.org/wiki/%D0%A6%D0%B8%D0%BA%D0%BB": "ru.wikipedia.org › wiki › Цикл",
		"http://example.com/":                            "example.com",
		"http://example.com:8080/a//b/?x=1":              "example.com:8080 › a › b?x=1",
		"https://example.com/%E2%80%AEgpj.exe":           "example.com › gpj.exe",
		"https://example.com/%00%0A%ff":                  "example.com",
		"ftp://example.com/a":                            "ftp://example.com/a",
		"https://example.com/" + strings.Repeat("a", 99): "example.com › " + strings.Repeat("a", 69) + "…",
	} {
		link, trail := shown(raw)
		if got := strings.Join(trail, " › "); got != want {
			t.Errorf("%s reads %q, want %q", raw, got, want)
		}
		if (link != "") != strings.HasPrefix(raw, "http") {
			t.Errorf("%s leads to %q", raw, link)
		}
	}
}

// Whatever stands in the address, the answer is a page or JSON, and never a 500.
func FuzzQueryParameters(f *testing.F) {
	for _, seed := range []string{
		"q=a&from=0&size=10", "q=%22open&from=1000", "q=%ff%fe&size=101", "q=<script>&from=-1", "size=0&q=a;b",
		"q=" + strings.Repeat("%F0%9F%92%A7", 300), "from=99999999999999999999&q=x", "url=javascript:alert(1)", "range=24h&part=live", "n=1&partition=-1&from_beginning=maybe",
	} {
		f.Add(seed)
	}
	s := newSite(f)
	s.d.Search = func(_ context.Context, a Question) (Results, error) {
		q := a.Query
		if len(q) > s.o.MaxQueryBytes || a.From < 0 || a.From > s.o.MaxFrom || a.Size < 1 || a.Size > s.o.MaxSize {
			return Results{}, fmt.Errorf("asked for %+v", a) // a 503
		}
		return Results{Total: 10_000, Listed: 9000, Meant: q, Next: q, Hits: []Hit{{URL: q, Title: q, Site: q, Lang: q, Author: q, Type: q,
			Also: []Also{{q, q}}, More: 2, Parts: []Part{{q, 1}}, Snippet: []Fragment{{q, true}}}},
			Facets: []Facet{{q, []FacetValue{{q, 1, q}, {q, 1, q}}}}}, nil
	}
	s.d.Why = func(_ context.Context, u string) (Story, error) { return Story{URL: u, Summary: u}, nil }
	s.d.Records = func(_ context.Context, _ string, o records.Options, each func(records.Record) error) error {
		return each(records.Record{Key: o.Key})
	}
	s.d.Suggest = func(_ context.Context, q string, _ int) ([]string, error) { return []string{q}, nil }
	srv := s.server()
	f.Fuzz(func(t *testing.T, raw string) {
		for _, path := range []string{"/", "/rss", "/why", "/dashboard", "/api/v1/search", "/api/v1/suggest", "/api/v1/why", "/api/v1/topics/docs.unique"} {
			r, err := http.NewRequest(http.MethodGet, "http://localhost"+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			r.URL.RawQuery = raw
			rec := httptest.NewRecorder()
			srv.ServeHTTP(rec, r)
			if rec.Code >= 500 {
				t.Fatalf("%s?%s: %d %s", path, raw, rec.Code, rec.Body)
			}
			if path != "/api/v1/topics/docs.unique" && strings.HasPrefix(path, "/api/") && !json.Valid(rec.Body.Bytes()) {
				t.Fatalf("%s?%s: no JSON: %s", path, raw, rec.Body)
			}
			if strings.Contains(strings.ToLower(rec.Body.String()), "<script>") {
				t.Fatalf("%s?%s: markup got through", path, raw)
			}
		}
	})
}
