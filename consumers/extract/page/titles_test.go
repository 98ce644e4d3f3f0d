package page

import (
	"strings"
	"testing"
)

// TestTitleCandidates protects what a title is chosen from: an h1 behind a menu of headings, a
// headline below a kicker, a heading with a button, and metadata under any of its names are
// candidates.
func TestTitleCandidates(t *testing.T) {
	menu := strings.Repeat("<h2>Menu</h2>", maxHeadings+1)
	for html, want := range map[string]string{
		menu + "<h1>One day</h1>":                                         "One day",
		"<h1><span>Local news</span> One day in May</h1>":                 "One day in May",
		"<h1><div><small>Local news</small><br>One <i>day</i></div></h1>": "One day",
		"<h1>One day <button>Copy link</button></h1>":                     "One day",
		`<meta property="x:title dc:title" content="One day">`:            "One day",
		`<meta name="parsely-title" content="One day">`:                   "One day",
		"<title>One dayㅣNews</title>":                                     "One day",
	} {
		got, _ := newExtractor(t).Candidates(Input{URL: "http://example.com/a", ContentType: "text/html; charset=utf-8", Body: []byte(html)}, nil)
		found := false
		for _, s := range got.Texts {
			found = found || s == want
		}
		if !found {
			t.Errorf("%s: %q is none of %q", html, want, got.Texts)
		}
	}
}

// TestSiteNames protects what tells a site's name from a title: it is stated, leads home, or is the
// host.
func TestSiteNames(t *testing.T) {
	root, _ := parse([]byte(`<meta property="og:site_name" content="The Daily">
<a href="https://www.daily-news.example/">Front page</a><a href="#top">Up</a>
<a href="https://other.example/">Other</a>`))
	f := scan(root, 0)
	s := namesOfSite(f, linked{}, addressOf("https://daily-news.example/2024/one-day"))
	for name, want := range map[string]float32{"the daily": 4, "front page": 3, "daily news": 2, "the daily news online": 1, "dailynews today": 1, "up": 0, "other": 0} {
		if got := s.like(&title{key: name}); got != want {
			t.Errorf("%q: %v, want %v", name, got, want)
		}
	}
}
