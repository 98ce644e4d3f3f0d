package page

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// TestHostileMarkup protects the partition from pages that are made to break parsers. Each is about
// a megabyte; the test binary's own time limit is the judge of hanging.
func TestHostileMarkup(t *testing.T) {
	const n = 1 << 17
	cases := map[string]string{
		"unclosed fonts":       strings.Repeat("<font>", n),
		"nested divs":          strings.Repeat("<div>", n) + "deep",
		"nested templates":     strings.Repeat("<template>", n/2),
		"tables and bold":      strings.Repeat("<table><b>", n/2),
		"misnested":            strings.Repeat("<b><p>", n/4),
		"attributes":           "<p " + strings.Repeat("a=b ", n) + ">",
		"one class":            `<p class="` + strings.Repeat("x-", n) + `">text</p>`,
		"links":                strings.Repeat(`<a href="/x">y</a>`, n/2),
		"distinct names":       strings.Repeat("<meta name=a content=b>", n/4),
		"unclosed comment":     "<!--" + strings.Repeat("-", n),
		"one word":             "<p>" + strings.Repeat("x", 8*n),
		"digits":               "<p>" + strings.Repeat("1.2.2003 ", n/4),
		"separators":           "<title>" + strings.Repeat("a | b - ", n) + "</title>",
		"json":                 `<script type="application/ld+json">` + strings.Repeat("[", n) + `</script>`,
		"json graph":           `<script type="application/ld+json">` + strings.Repeat(`{"@graph":[`, 5000) + strings.Repeat(`]}`, 5000) + `</script>`,
		"headings":             strings.Repeat("<h1>x</h1>", n/4),
		"times":                strings.Repeat("<time datetime=2020-01-01>", n/8),
		"breaks":               strings.Repeat("a<br><br>", n/2),
		"nul bytes":            "<p>" + strings.Repeat("\x00a", n),
		"foreign":              strings.Repeat("<svg><foreignObject>", n/8),
		"frameset":             "<frameset>" + strings.Repeat("<frame src=x>", n/8),
		"entities":             "<p>" + strings.Repeat("&lt;", n),
		"escaped quotes":       "<script>" + strings.Repeat(`\"`, 4*n) + "</script>",
		"data in data":         "<script>x=\"" + strings.Repeat(`\":\"`, 2*n) + "\"</script>",
		"data of tags":         "<script>" + strings.Repeat(`"<p><b><i>the mill by the river stands</p>",`, n/4) + "</script>",
		"titles without end":   strings.Repeat("<title>a<script>b<!--c", n/4),
		"values without end":   strings.Repeat(`<a b='c">d`, n/2),
		"noframes":             "<frameset><noframes>" + strings.Repeat("<font><p>", n/2),
		"link header like rel": strings.Repeat(`<link rel="alternate" hreflang=x href="/y">`, n/16),
	}
	x := newExtractor(t)
	for name, body := range cases {
		t.Run(name, func(t *testing.T) {
			check(t, x.opts, x.Extract(Input{URL: "http://example.com/", ContentType: "text/html; charset=utf-8", Body: []byte(body)}))
		})
	}
}

// check holds for every Result there can be.
func check(t *testing.T, o Options, r Result) {
	t.Helper()
	if len(r.Links) > o.MaxLinks || len(r.Text) > o.MaxText || len(r.Title) > o.MaxTitle || len(r.Summary) > o.MaxSummary {
		t.Errorf("a cap was passed: %d links, %d text, %d title, %d summary", len(r.Links), len(r.Text), len(r.Title), len(r.Summary))
	}
	for name, s := range map[string]string{"title": r.Title, "text": r.Text, "summary": r.Summary, "author": r.Author} {
		clean(t, name, s)
	}
	for _, h := range r.Headings {
		clean(t, "heading", h)
	}
	for _, l := range r.Links {
		clean(t, "anchor", l.Anchor)
		if len(l.Anchor) > o.MaxAnchor || l.URL.IsZero() {
			t.Errorf("link %q with an anchor of %d bytes", l.URL, len(l.Anchor))
		}
	}
	if (r.Text == "") != (r.Drop == Empty) && r.Drop == NotDropped {
		t.Errorf("text %q, drop %q", r.Text, r.Drop)
	}
}

// clean: no control character but the line breaks of the text.
func clean(t *testing.T, name, s string) {
	t.Helper()
	if !utf8.ValidString(s) {
		t.Errorf("%s is not UTF-8: %q", name, s)
	}
	for _, r := range s {
		if unicode.IsControl(r) && (r != '\n' || name != "text") {
			t.Errorf("%s has the control character %U", name, r)
			return
		}
	}
}

// FuzzExtract protects what check says from all bytes and headers.
func FuzzExtract(f *testing.F) {
	f.Add([]byte("<title>a | b</title><h1>a</h1><p>text <a href=x>y</a>"), "text/html", "noindex", "http://example.com/")
	f.Add([]byte("<base href='//['><frameset><frame src=a></frameset>"), "text/html; charset=koi8-r", "unavailable_after: 1 Jan 2020", "x")
	f.Add([]byte("<?xml version='1.0'?><a><title>b</title>\xff</a>"), "text/xml", "", "http://example.com/a?b#c")
	f.Add([]byte("<script type=application/ld+json>{\"@type\":\"Article\",\"author\":[{}],\"datePublished\":5}</script>x"), "text/html", "", "http://e.x/2020/01/02")
	f.Add([]byte("one\x00\ntwo"), "text/plain", "a:b:c", "http://e.x/")
	x := newExtractor(f)
	f.Fuzz(func(t *testing.T, body []byte, contentType, robots, url string) {
		check(t, x.opts, x.Extract(Input{URL: url, ContentType: contentType, RobotsTags: []string{robots}, LinkHeaders: []string{robots}, Body: body}))
	})
}
