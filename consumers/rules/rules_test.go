package rules

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
	"google.golang.org/protobuf/proto"

	"millrace/schema"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// made is a set with rules that are in force from Grace on.
func made(t testing.TB, lines ...string) *Set {
	t.Helper()
	s := New()
	for i, line := range lines {
		in := Scope{}
		if scope, rest, ok := strings.Cut(line, ": "); ok && !strings.Contains(scope, " ") {
			line = rest
			if in.Site = scope; strings.HasPrefix(scope, "www.") {
				in = Scope{Host: scope}
			}
		}
		r, err := Parse(line, in)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		put(t, s, &schema.Control{Order: int64(i + 1), Body: &schema.Control_Rule{Rule: r}}, 0)
	}
	return s
}

func put(t testing.TB, s *Set, c *schema.Control, at int64) {
	t.Helper()
	if c.Id == "" {
		c.Id = ID(c)
	}
	if err := s.Put(c, at); err != nil {
		t.Fatal(err)
	}
}

func query(t testing.TB, raw string) Query {
	t.Helper()
	u, err := new(schema.Canonicalizer).Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	return Query{URL: u.String(), Host: u.Host(), Path: u.RowKey().Path(), Site: u.Site(), Kind: schema.Kind_PAGE}
}

// URLs stand in their canonical form, where letters beyond ASCII are escapes and punycode; a
// pattern may have them as people write them.
func TestPatternsMatchURLsAsPeopleWriteThem(t *testing.T) {
	for rule, urls := range map[string][2]string{
		"exclude /café":              {"http://a.test/caf%C3%A9/x", "http://a.test/cafe"},
		"exclude glob:/café*":        {"http://a.test/caf%c3%a9/x", "http://a.test/x/caf%C3%A9"},
		"exclude /caf%c3%a9$":        {"http://a.test/café", "http://a.test/caf%C3"},
		"exclude glob:*bücher*":      {"http://bücher.test/", "http://bucher.test/"},
		"exclude ^http://bücher":     {"http://xn--bcher-kva.test/x", "http://a.test/bücher"},
		"exclude /[ä-ü]$":            {"http://a.test/%C3%B6", "http://a.test/%C3%B6%C3%B6"},
		"exclude /my files/":         {"http://a.test/my%20files/1", "http://a.test/my-files/1"},
		"exclude [?&]q=новости(&|$)": {"http://a.test/?q=%D0%BD%D0%BE%D0%B2%D0%BE%D1%81%D1%82%D0%B8", "http://a.test/?q=%D0%BD"},
	} {
		s := made(t, rule)
		if v := s.Judge(query(t, urls[0]), Latest); v.Reason != Excluded {
			t.Errorf("%s does not hold for %s", rule, urls[0])
		}
		if v := s.Judge(query(t, urls[1]), Latest); v.Out {
			t.Errorf("%s holds for %s", rule, urls[1])
		}
	}
	for _, rule := range []string{"rewrite /café -> /x", "exclude glob:calendar/*", "limit 5 glob:www.a.test*"} {
		if r, err := Parse(rule, Scope{}); err == nil {
			t.Errorf("%s was taken: %v", rule, r)
		}
	}
	for _, rule := range []string{"exclude glob:h*", "exclude glob:https://a.test/", "exclude glob:*", "exclude glob:http*x", "exclude glob:/x"} {
		if _, err := Parse(rule, Scope{}); err != nil {
			t.Error(err)
		}
	}
}

// The nearest scope that decides wins; in it the first rule that matches; if it has
// an include, what matches none is out.
func TestTheNearestScopeThatSaysSomethingDecides(t *testing.T) {
	s := made(t,
		"exclude /private/",
		"include glob:/docs/*", "exclude /",
		"a.test: exclude /tag/", "a.test: include /tag/good", "a.test: exclude \\?page=",
		"b.test: include /news/", "b.test: include /sport/",
		"www.b.test: exclude /news/old",
	)
	for url, want := range map[string]string{
		"https://c.test/private/x":      Excluded,
		"https://c.test/docs/x.html":    "",
		"https://c.test/other":          Excluded,
		"https://a.test/tag/good":       Excluded, // the first that matches
		"https://a.test/x?page=2":       Excluded,
		"https://a.test/docs":           NotIncluded, // a.test has an include
		"https://b.test/news/1":         "",
		"https://b.test/sport/1":        "",
		"https://b.test/about":          NotIncluded,
		"https://www.b.test/news/old/1": Excluded,
		"https://www.b.test/news/1":     "",
	} {
		if v := s.Judge(query(t, url), Latest); v.Reason != want || v.Out != (want != "") || v.Out && v.Rule == "" {
			t.Errorf("%s: %+v, want %q", url, v, want)
		}
	}
}

// Images, archives, styles and media go by suffix; documents that are read, pages about files,
// and what the operator names do not.
func TestDefaultsGoBySuffix(t *testing.T) {
	s := made(t, "pics.test: allow images")
	for url, out := range map[string]bool{
		"https://a.test/x.JPG": true, "https://a.test/x.css?v=1": true, "https://a.test/a.tar.gz": true, "https://a.test/f.mp4": true,
		"https://a.test/x.pdf": false, "https://a.test/x.docx": false, "https://a.test/x.odp": false, "https://a.test/x.epub": false,
		"https://a.test/wiki/File:X.jpg": false, "https://a.test/x?y=.jpg": false, "https://a.png/": false, "https://a.test/v1.2": false,
		"https://pics.test/x.jpg": false, "https://pics.test/x.css": true,
	} {
		if v := s.Judge(query(t, url), Latest); v.Out != out || v.Out && v.Reason != Suffix {
			t.Errorf("%s: %+v, want out %v", url, v, out)
		}
	}
	q := query(t, "https://a.test/x.jpg")
	q.Seeded = true
	map1 := query(t, "https://a.test/sitemap.xml.gz")
	map1.Kind = schema.Kind_SITEMAP
	for _, q := range []Query{q, map1} {
		if v := s.Judge(q, Latest); v.Out {
			t.Errorf("%s: %+v", q.URL, v)
		}
	}
}

// A URL that an operator seeds is kept out only by an exclude that matches it or by a block.
func TestASeedNeedsNoInclude(t *testing.T) {
	s := made(t, "a.test: exclude /secret", "a.test: include /docs/")
	q := query(t, "https://a.test/")
	q.Seeded = true
	if v := s.Judge(q, Latest); v.Out {
		t.Errorf("the seed is out: %+v", v)
	}
	q = query(t, "https://a.test/secret")
	q.Seeded = true
	if v := s.Judge(q, Latest); v.Reason != Excluded {
		t.Errorf("a seed that an exclude names: %+v", v)
	}
}

// A replay gets the answers of the first reading: a decision holds from Grace after its record to
// Grace after its end, also when only its last record is left.
func TestADecisionHoldsInItsSpans(t *testing.T) {
	rule, err := Parse("exclude /x", Scope{})
	if err != nil {
		t.Fatal(err)
	}
	c := func(off bool, spans ...*schema.Span) *schema.Control {
		return &schema.Control{Off: off, Spans: spans, Body: &schema.Control_Rule{Rule: rule}}
	}
	s, q := New(), query(t, "https://a.test/x")
	check := func(want string, times ...int64) {
		t.Helper()
		got := ""
		for _, at := range times {
			got += map[bool]string{true: "x", false: "."}[s.Judge(q, at).Out]
		}
		if got != want {
			t.Errorf("%v: %s, want %s", times, got, want)
		}
	}
	put(t, s, c(false), 10_000)
	check(".xx", 11_999, 12_000, Latest)
	d, _ := s.Find(ID(c(false)))
	put(t, s, c(true, d.Control.Spans...), 20_000)
	check(".xx..", 11_999, 12_000, 21_999, 22_000, Latest)
	d, _ = s.Find(ID(c(false)))
	put(t, s, c(false, append(d.Control.Spans, &schema.Span{})...), 30_000)
	check(".x..xx", 11_999, 21_999, 22_000, 31_999, 32_000, Latest)
}

func TestWhatWasRemovedStaysOut(t *testing.T) {
	s := New()
	for _, b := range []*schema.Block{
		{Target: &schema.Block_RowKey{RowKey: "test.a:https/one"}}, {Target: &schema.Block_Prefix{Prefix: "test.a.www:https/dir/"}},
		{Target: &schema.Block_Prefix{Prefix: "test.b."}}, {Target: &schema.Block_Site{Site: "c.test"}},
	} {
		put(t, s, &schema.Control{Body: &schema.Control_Block{Block: b}}, 0)
	}
	for url, out := range map[string]bool{
		"https://a.test/one": true, "https://a.test/one/": false, "https://www.a.test/dir/x?y": true, "https://www.a.test/dir": false,
		"http://www.a.test/dir/x": false, "https://x.y.b.test/": true, "https://b.test/": false, "https://any.c.test/z": true,
	} {
		q := query(t, url)
		q.Seeded = true
		if v := s.Judge(q, Latest); v.Out != out || out && v.Reason != Forgotten {
			t.Errorf("%s: %+v, want out %v", url, v, out)
		}
	}
}

func TestRewritesFitLimitsAndDelays(t *testing.T) {
	s := made(t, `a.test: rewrite [?&]print=\d+$ -> `, `rewrite ^http:// -> https://`, `fit 2.5 /story/`, "www.a.test: limit 10 glob:*/calendar/*", "a.test: delay 3s", "delay 1s")
	q := query(t, "http://www.a.test/x?print=1")
	if to, by := s.Rewrite(q.URL, q.Host, q.Site, Latest); to != "https://www.a.test/x" || by == "" {
		t.Errorf("rewritten to %q by %q", to, by)
	}
	if v := s.Judge(query(t, "http://b.test/story/1"), Latest); !v.Fit || v.Score != 2.5 || len(v.Limits) != 0 {
		t.Errorf("%+v", v)
	}
	if v := s.Judge(query(t, "http://www.a.test/calendar/2020"), Latest); v.Fit || len(v.Limits) != 1 || v.Limits[0].Most != 10 {
		t.Errorf("%+v", v)
	}
	if d := s.Delay("test.a.www", "a.test"); d.Seconds() != 3 {
		t.Errorf("delay %s", d)
	}
}

// What a rewrite makes is a URL like any other, so rewrites are applied until nothing changes; one
// that changes its own result without end would make URLs without end, and has no effect.
func TestARewriteThatChangesItsOwnResultHasNoEffect(t *testing.T) {
	s := made(t, "rewrite /old/ -> /new/", "rewrite /older/ -> /old/", "rewrite /a/(.*) -> /a/${1}x", "rewrite /b/ -> /c/b/",
		"rewrite /day/ -> /night/", "rewrite /night/ -> /day/", "rewrite /$ -> //")
	for path, want := range map[string]string{"/older/1": "/new/1", "/old/1": "/new/1", "/a/1": "", "/b/1": "", "/day/1": "", "/x/": "", "/x": "/x"} {
		q := query(t, "http://www.a.test"+path)
		to, by := s.Rewrite(q.URL, q.Host, q.Site, Latest)
		endless := s.Endless(q.URL, q.Host, q.Site)
		switch {
		case path == "/day/1": // there and back in one go: no change
			if to != q.URL || by != "" || endless != "" {
				t.Errorf("%s: rewritten to %q by %q, endless %q", path, to, by, endless)
			}
		case want == "" && (to != q.URL || by != "" || endless == ""):
			t.Errorf("%s: rewritten to %q by %q, endless %q", path, to, by, endless)
		case want != "" && (to != "http://www.a.test"+want || endless != "" || (by == "") != (path == want)):
			t.Errorf("%s: rewritten to %q by %q, endless %q", path, to, by, endless)
		}
	}
}

// The error of an invalid rule says what would be right.
func TestParseSaysWhatWouldBeRight(t *testing.T) {
	for text, want := range map[string]string{
		"":                      "begins with one of include",
		"deny /x":               `not with "deny"`,
		"exclude":               "the pattern is missing",
		"exclude (":             "no RE2 expression: missing closing )",
		"exclude (?=x)":         "no RE2 expression",
		"rewrite /x":            "rewrite PATTERN -> TEXT",
		"limit many /x":         `"many" is no number`,
		"limit -1":              "from 0 to",
		"delay soon":            `"soon" is none`,
		"delay 0s":              "above 0s",
		"fit nan /x":            "a score is above 0",
		"fit high /x":           `"high" is no score`,
		"allow pdf":             "one of the groups images",
		"exclude glob:":         "the glob is empty",
		"extract":               "as YAML",
		"exclude " + long(2001): "at most 2000 bytes",
	} {
		if _, err := Parse(text, Scope{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want %q", text, err, want)
		}
	}
}

func long(n int) string { return strings.Repeat("x", n) }

// What is listed can be added again.
func TestATextReadsBackAsTheSameRule(t *testing.T) {
	for _, text := range []string{"include a b", "exclude \\.x$", "rewrite a(.)-b -> $1-> c", "fit 2.5 /x", "limit 3", "limit 3 /x", "delay 1m30s", "allow media", "extract {content: main}"} {
		r, err := Parse(text, Scope{Site: "a.test"})
		if err != nil {
			t.Fatal(text, err)
		}
		again, err := Parse(Text(r), ScopeOf(r))
		if err != nil || !proto.Equal(again, r) {
			t.Errorf("%s: %v, %v", text, again, err)
		}
	}
}

// The nearest scope says how often pages are fetched again, in it the first rule; the text of a
// rule is read as it is written.
func TestTheNearestRuleSaysHowOften(t *testing.T) {
	s := made(t, "recrawl 24h", "a.test: recrawl 1h glob:/news/*", "a.test: recrawl never glob:/news/old*", "www.a.test: recrawl never glob:/news/old*")
	for url, want := range map[string]time.Duration{
		"http://b.test/": 24 * time.Hour, "http://a.test/news/1": time.Hour, "http://a.test/news/old": time.Hour, "http://www.a.test/news/old": 0, "http://www.a.test/news/1": time.Hour,
	} {
		if got, rule := s.Every(query(t, url), Latest); got != want || rule == "" {
			t.Errorf("%s: every %s by %q, want %s", url, got, rule, want)
		}
	}
	if got, rule := s.Every(query(t, "http://b.test/"), 0); rule != "" {
		t.Errorf("before it is in force: %s by %s", got, rule)
	}
	for _, text := range []string{"recrawl 1h0m0s glob:/news/*", "recrawl never ^x", "recrawl 24h0m0s"} {
		if r, err := Parse(text, Scope{}); err != nil || Text(r) != text {
			t.Errorf("%s is read as %v, %v", text, r, err)
		}
	}
	for _, text := range []string{"recrawl", "recrawl glob:/x", "recrawl 1s x", "recrawl 9000h x", "recrawl -1h x", "recrawl 1h ("} {
		if r, err := Parse(text, Scope{}); err == nil {
			t.Errorf("%s is taken: %v", text, r)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"exclude /x", "rewrite (a)(b) -> $2$1", "limit 5 glob:/*/*", "fit 1 x", "delay 1s"} {
		f.Add(text, "https://a.test/x?y=1")
	}
	f.Fuzz(func(t *testing.T, text, url string) {
		r, err := Parse(text, Scope{})
		if err != nil {
			return
		}
		s := New()
		if err := s.Put(&schema.Control{Id: "x", Body: &schema.Control_Rule{Rule: r}}, 0); err != nil {
			t.Fatal(err)
		}
		s.Judge(Query{URL: url, Host: "test.a", Site: "a.test"}, Latest)
		s.Rewrite(url, "test.a", "a.test", Latest)
		if d := s.List(nil); len(d) != 1 || d[0].Err != nil {
			t.Fatalf("%q: %+v", text, d)
		}
	})
}

func BenchmarkJudge(b *testing.B) {
	for _, n := range []int{10, 1000, 100_000, 1_000_000} {
		s := New()
		for i := range n {
			r := &schema.Rule{Action: schema.Rule_EXCLUDE, Pattern: "/private/", Site: fmt.Sprintf("site%d.test", i)}
			put(b, s, &schema.Control{Order: int64(i), Body: &schema.Control_Rule{Rule: r}}, 0)
		}
		q := make([]Query, 1000)
		for i := range q {
			q[i] = query(b, fmt.Sprintf("https://www.site%d.test/articles/2026/11/22/story-%d.html?x=1", i*7919%n, i))
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				s.Judge(q[i%len(q)], Latest)
			}
		})
	}
}

// FuzzControl puts what anybody may have written to the topic into a set: it is refused, or lies
// there; queries, listing, replacing and removing do not panic.
func FuzzControl(f *testing.F) {
	for _, c := range []*schema.Control{
		{Id: "p", Body: &schema.Control_Pause{Pause: &schema.Pause{Host: "a.test"}}},
		{Id: "b", Body: &schema.Control_Block{Block: &schema.Block{Target: &schema.Block_RowKey{RowKey: "test.a:http/"}}}},
		{Id: "r", Body: &schema.Control_Rule{Rule: &schema.Rule{Action: schema.Rule_REWRITE, Pattern: "/a(.)", Replace: "/$1"}}},
		{Id: "e", Body: &schema.Control_Rule{Rule: &schema.Rule{Action: schema.Rule_EXTRACT, Pattern: "{url: /a, contents: main}"}}},
	} {
		b, err := c.MarshalVT()
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b, int64(1000))
	}
	f.Fuzz(func(t *testing.T, b []byte, at int64) {
		c := &schema.Control{}
		if c.UnmarshalVT(b) != nil {
			return
		}
		s := New()
		if s.Put(c, at) != nil {
			return
		}
		for _, q := range []Query{{URL: "http://a.test/a1", Host: "test.a", Path: ":http/a1", Site: "a.test"}, {}} {
			s.Judge(q, Latest)
			s.Judge(q, at)
		}
		s.List(func(Decision) bool { return true })
		if err := s.Put(c, at+1); err != nil {
			t.Fatalf("it was taken once: %v", err)
		}
		if _, ok := s.Find(c.Id); !ok {
			t.Fatal("it is not there")
		}
	})
}
