package web

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"testing"
	"time"

	"millrace/ops/watch"
)

// Whoever listens to a page instead of looking at it finds its heading: one, and not empty.
func TestEveryPageHasOneHeading(t *testing.T) {
	s := newSite(t)
	s.d.Search = func(_ context.Context, a Question) (Results, error) {
		q, from := a.Query, a.From
		switch {
		case q == "fails":
			return Results{}, errors.New("broken")
		case q == "hits" && from == 0:
			return Results{Total: 1, Hits: []Hit{{URL: "http://a.test/", Title: "A"}}}, nil
		case q == "hits":
			return Results{Total: 1}, nil
		}
		return Results{}, nil
	}
	s.d.Text = manual
	s.d.Why = func(_ context.Context, url string) (Story, error) {
		if url == "fails" {
			return Story{}, errors.New("broken")
		}
		return Story{URL: "http://a.test/", Summary: "known"}, nil
	}
	for path, status := range map[string]int{
		"/": 200, "/?q=hits": 200, "/?q=hits&from=20": 200, "/?q=none": 200, "/?q=fails": 503, "/?q=a&from=x": 400,
		"/dashboard": 200, "/dashboard?range=24h": 200, "/why": 200, "/text?url=https://a.test/manual": 200, "/text?url=https://a.test/none": 404, "/text": 400, "/why?url=a.test": 200, "/why?url=fails": 500, "/nothing": 404,
	} {
		if h := s.page(path, status).one(t, "h1", ""); h == "" {
			t.Errorf("%s: the heading is empty", path)
		}
	}
}

// Arabic and Hebrew are typed from the right.
func TestTheSearchFieldFollowsItsScript(t *testing.T) {
	s := newSite(t)
	for _, path := range []string{"/", "/?q=" + url.QueryEscape("المدرسة"), "/dashboard"} {
		if body := s.get(path).Body.String(); !strings.Contains(body, `name="q"`) || strings.Count(body, `name="q"`) != strings.Count(body, `dir="auto" aria-label="Search"`) {
			t.Errorf("%s: the field of the query has no direction of its own", path)
		}
	}
}

func TestLongTitlesAndOldAnchorsAreCut(t *testing.T) {
	s := newSite(t)
	s.d.Search = func(context.Context, Question) (Results, error) {
		return Results{Total: 1, Hits: []Hit{{URL: "http://a.test/", Title: strings.Repeat("long ", 140), Snippet: []Fragment{
			{Text: "Setting "}, {Text: "up", Mark: true}, {Text: "¶ begins. See ¶ 5 and §3. Limits¶\nNone¶ "},
		}}}}, nil
	}
	p := s.page("/?q=up", 200)
	if title := p.one(t, "h2", ""); len([]rune(title)) > titleRunes || !strings.HasSuffix(title, "…") {
		t.Errorf("a title of %d characters: %q", len([]rune(title)), title)
	}
	if got := p.one(t, "p", "snippet"); got != "Setting up begins. See ¶ 5 and §3. Limits None" {
		t.Errorf("the snippet is %q", got)
	}
}

func TestHintsFitTheQuery(t *testing.T) {
	s := newSite(t)
	for query, want := range map[string]string{
		"wheel":                       "fewer or other words; patience",
		"%22water+wheel%22":           "fewer or other words; no quotes: words in quotes must stand together; patience",
		"wheel+site:a.test+LANG:en":   "fewer or other words; no site:, lang:; patience",
		"%22a+b%22+after:2024+wheels": "fewer or other words; no quotes: words in quotes must stand together; no after:; patience",
	} {
		var hints []string
		for _, li := range s.page("/?q="+query, 200).all("li", "") {
			text, _, _ := strings.Cut(textOf(li), ", if")
			hints = append(hints, text)
		}
		if got := strings.Join(hints, "; "); got != want {
			t.Errorf("%s: hints are %q, want %q", query, got, want)
		}
	}
}

func TestAStoryTellsTimesAsPeopleReadThem(t *testing.T) {
	s := newSite(t)
	s.d.Why = func(context.Context, string) (Story, error) {
		return Story{URL: "http://a.test/", Summary: "<b> Fetched 2026-11-22T04:53:45Z; next 2026-99-23T07:14:39Z",
			Sections: []Section{{Title: "T", Facts: [][2]string{{"seen", "2026-11-22T04:53:45.5Z"}}}}}, nil
	}
	p := s.page("/why?url=a.test", 200)
	if got := p.one(t, "p", "summary"); got != "<b> Fetched 2026-11-22 04:53:45 UTC; next 2026-99-23T07:14:39Z" {
		t.Errorf("the summary is %q", got)
	}
	if got := p.one(t, "dd", ""); got != "2026-11-22 04:53:45 UTC" {
		t.Errorf("the fact is %q", got)
	}
}

func TestTheDashboardDoesNotContradictItself(t *testing.T) {
	for want, now := range map[string]watch.Frontier{
		"Hosts24Furthest":                                  {Hosts: 24, Queued: 143, InFlight: 59, NextDue: time.Now()},
		"Hosts242 rest before more is handed out":          {Hosts: 24, HostsWaiting: 2},
		"Hosts241 ready; 2 rest before more is handed out": {Hosts: 24, HostsReady: 1, HostsWaiting: 2},
	} {
		s := newSite(t)
		s.src.Frontier = func(context.Context) (watch.Frontier, error) { return now, nil }
		said := strings.ReplaceAll(textOf(s.page("/dashboard", 200).all("main", "")[0]), " ", "")
		if !strings.Contains(said, strings.ReplaceAll(want, " ", "")) {
			t.Errorf("the dashboard lacks %q: %s", want, said)
		}
	}
}

// Copies are listed below other hits, so there are fewer hits than pages that match; the page says
// so.
func TestResultsSayHowManyAreCopies(t *testing.T) {
	s := newSite(t)
	s.d.Search = func(_ context.Context, a Question) (Results, error) {
		r := Results{Total: 138, Listed: 88}
		if a.From == 0 {
			r.Hits = []Hit{{URL: "http://a.test/"}}
		}
		return r, nil
	}
	if got := s.page("/?q=a", 200).one(t, "p", "stats"); !strings.HasPrefix(got, "138 results, 50 of them copies of others, in ") {
		t.Errorf("the first page says %q", got)
	}
	if got := textOf(s.page("/?q=a&from=90", 200).all("section", "message")[0]); !strings.Contains(got, "There are 138, 50 of them copies of others, listed with these.") {
		t.Errorf("the end says %q", got)
	}
}

// A page that loads itself again every few seconds cannot be read with a keyboard or by ear.
func TestNoPageReloadsItselfWithoutScripts(t *testing.T) {
	s := newSite(t)
	body := s.get("/dashboard?range=24h").Body.String()
	if strings.Contains(body, "http-equiv") || !strings.Contains(body, `<noscript> <a href="/dashboard?range=24h">Load again</a></noscript>`) {
		t.Error("the dashboard reloads itself, or there is no link that does")
	}
}
