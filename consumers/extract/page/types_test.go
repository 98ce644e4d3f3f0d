package page

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestPagesHaveTypes: the plainest page of a type is recognised, and what readers wrote stands
// beside the text.
func TestPagesHaveTypes(t *testing.T) {
	x := newExtractor(t)
	post := func(i int) string {
		return fmt.Sprintf(`<div class="post" id="post-%d"><a class="username" href="/u/%d">member%d</a><span class="date">%d hours ago</span><div class="message"><p>`+
			`I had the same trouble with my pump last winter, number %d. Did you try to change the seal first, and then measure the shaft again?</p></div></div>`, i, i, i, i, i)
	}
	var posts strings.Builder
	for i := range 12 {
		posts.WriteString(post(i))
	}
	comments := `<section id="comments" class="comments-area"><h2>2 comments</h2><ol class="comment-list"><li class="comment"><p>What a fine old mill that is, thank you for showing it.</p></li>` +
		`<li class="comment"><p>My grandfather worked there as a boy of fourteen.</p></li></ol><form class="comment-form"><label>Your name</label></form></section>`
	for want, c := range map[string]struct{ url, html string }{
		TypeArticle: {"https://news.example.com/2024/05/17/the-old-mill-turns-again",
			`<meta property="og:type" content="article"><script type="application/ld+json">{"@type":"NewsArticle","headline":"The mill","datePublished":"2024-05-17","author":{"@type":"Person","name":"Kim Writer"}}</script>` +
				"<article>" + filler + filler + "</article>" + comments},
		TypeThread: {"https://forum.example.com/t/leaking-pump/1234", `<meta name="generator" content="Discourse 3.1"><h1>Leaking pump</h1>` + posts.String()},
	} {
		r := x.Extract(Input{URL: c.url, ContentType: "text/html; charset=utf-8", FetchedAt: time.Unix(1_760_000_000, 0),
			Body: []byte("<!doctype html><html lang=en><head><title>The mill</title></head><body>" + c.html + "</body></html>")})
		if r.Type != want {
			t.Errorf("%s: taken for %s", want, r.Type)
		}
		switch want {
		case TypeArticle:
			if !strings.Contains(r.Comments, "grandfather") || strings.Contains(r.Comments, "Your name") || strings.Contains(r.Text, "grandfather") {
				t.Errorf("comments %q, text %q", r.Comments, r.Text)
			}
			if r.Published.Time.Format(time.DateOnly) != "2024-05-17" || r.Published.From != "json-ld" || r.Published.Sure < 0.5 {
				t.Errorf("published %+v", r.Published)
			}
		case TypeThread:
			if n := strings.Count(r.Text, "same trouble"); n < 12 || r.Comments != "" {
				t.Errorf("%d of 12 posts, comments %q", n, r.Comments)
			}
		}
	}
}

// TestNoDayIsBetterThanAWrongOne: what a program prints, numbers of sections and versions, and days
// to come are not days of publication.
func TestNoDayIsBetterThanAWrongOne(t *testing.T) {
	x := newExtractor(t)
	for name, c := range map[string]struct{ body, want string }{
		"what a program prints": {"<pre>Python 3.6.4 (v3.6.4, Dec 19 2017, 06:04:45)</pre>", ""},
		"section in a heading":  {`<h2 class="title"><span class="date-time">4.2.10</span> Binary data</h2>`, ""},
		"version":               {"<p>Debian 12.04.22 and later have it.</p>", ""},
		"a day to come":         {`<meta property="article:published_time" content="2031-01-01">`, ""},
		"before the web":        {`<meta name="date" content="1962-10-12">`, ""},
		"stated":                {`<meta property="article:published_time" content="2024-05-17">`, "2024-05-17"},
	} {
		r := x.Extract(Input{URL: "https://docs.example.com/manual/ch04", ContentType: "text/html; charset=utf-8", FetchedAt: time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC),
			Body: []byte("<!doctype html><html lang=en><head><title>The manual</title>" + c.body + "</head><body>" + filler + c.body + "</body></html>")})
		got := ""
		if !r.Published.Time.IsZero() {
			got = r.Published.Time.Format(time.DateOnly)
		}
		if got != c.want {
			t.Errorf("%s: published %q (%s %q), want %q", name, got, r.Published.From, r.Published.Text, c.want)
		}
	}
}

// A page whose type is not sure is treated as the likely ones together: a manual that is taken for
// an article by a hair does not lose its tables and notes.
func TestCautionFollowsHowSureTheTypeIs(t *testing.T) {
	c := Cautions{Article: 2, Documentation: 0.5, Thread: 1, Listing: 1, Product: 1, Service: 1, Collection: 1}
	const sure, never = 9, -9
	odds := func(article, documentation float32) []float32 {
		return []float32{article, documentation, never, never, never, never, never}
	}
	for _, tt := range []struct {
		article, documentation float32
		least, most            float64
	}{
		{sure, never, 1.99, 2},
		{never, sure, .5, .51},
		{.01, 0, .99, 1.01},
		{2, 0, 1.2, 1.5},
	} {
		if got := c.Weighted(odds(tt.article, tt.documentation)); got < tt.least || got > tt.most {
			t.Errorf("odds %v and %v: %.3f, want %.2f to %.2f", tt.article, tt.documentation, got, tt.least, tt.most)
		}
	}
	if got := c.Weighted(nil); got != 2 {
		t.Errorf("without types: %v", got)
	}
}
