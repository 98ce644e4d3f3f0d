package robots

import (
	"strings"
	"testing"
	"time"
)

func TestVerdicts(t *testing.T) {
	for _, c := range []struct {
		name, robots, path string
		want               bool
	}{
		{"nothing said", "", "/a", true},
		{"longest wins", "User-agent: *\nDisallow: /a\nAllow: /a/b", "/a/b/c", true},
		{"longest wins the other way", "User-agent: *\nAllow: /a\nDisallow: /a/b", "/a/b/c", false},
		{"allow wins a tie", "User-agent: *\nDisallow: /page\nAllow: /page", "/page", true},
		{"own group, not *", "User-agent: *\nDisallow: /\nUser-agent: MillRace\nDisallow: /x", "/y", true},
		{"an own group without rules still is ours", "User-agent: *\nDisallow: /\n\nUser-agent: millrace\n", "/y", true},
		{"same token merged", "User-agent: millrace\nDisallow: /a\nUser-agent: other\nDisallow: /\nUser-agent: millrace\nDisallow: /b", "/b", false},
		{"two tokens, one group", "User-agent: other\nUser-agent: millrace\nDisallow: /a", "/a", false},
		{"unknown lines end no group", "User-agent: other\nFoo: bar\nCrawl-delay: 1\nSitemap: /s\nUser-agent: millrace\nDisallow: /a", "/a", false},
		{"a longer name is not ours", "User-agent: millracer\nDisallow: /", "/a", true},
		{"a name with a digit is not ours", "User-agent: millrace2\nDisallow: /", "/a", true},
		{"version is ignored", "User-agent: millrace/3.0 (x)\nDisallow: /", "/a", false},
		{"rules before any group", "Disallow: /\nUser-agent: *\nDisallow: /x", "/a", true},
		{"star", "User-agent: *\nDisallow: /*/print/", "/a/b/print/1", false},
		{"star matches nothing too", "User-agent: *\nDisallow: /a*b", "/ab", false},
		{"anchor", "User-agent: *\nDisallow: /*.pdf$", "/a.pdf", false},
		{"anchor misses", "User-agent: *\nDisallow: /*.pdf$", "/a.pdf?x", true},
		{"anchored piece may stand twice", "User-agent: *\nDisallow: /*.pdf$", "/a.pdf.pdf", false},
		{"anchored without star", "User-agent: *\nDisallow: /a$", "/a", false},
		{"dollar in the middle is literal", "User-agent: *\nDisallow: /a$b", "/a$b/c", false},
		{"encoded star is literal", "User-agent: *\nDisallow: /file-%2A.html", "/file-*.html", false},
		{"encoded star is no star", "User-agent: *\nDisallow: /file-%2A.html", "/file-x.html", true},
		{"encoded slash is no slash", "User-agent: *\nDisallow: /a%2fb", "/a/b", true},
		{"encoded slash in either case", "User-agent: *\nDisallow: /a%2fb", "/a%2Fb", false},
		{"tilde", "User-agent: *\nDisallow: /%7ejoe", "/~joe/x", false},
		{"UTF-8", "User-agent: *\nDisallow: /foo/bar/ツ", "/foo/bar/%e3%83%84", false},
		{"CR alone", "User-agent: *\rDisallow: /a\r", "/a", false},
		{"robots.txt itself", "User-agent: *\nDisallow: /", "/robots.txt", true},
		{"empty path is the root", "User-agent: *\nDisallow: /", "", false},
		{"no slash before the pattern", "User-agent: *\nDisallow: private", "/private/x", false},
		{"comment", "User-agent: * # all\nDisallow: /a # why", "/a", false},
	} {
		r := Parse([]byte(c.robots), "millrace")
		if got := r.Allowed(c.path); got != c.want {
			t.Errorf("%s: Allowed(%q) = %v with %q", c.name, c.path, got, c.robots)
		}
	}
}

func TestALineThatTheLimitCutsIsDropped(t *testing.T) {
	head := "User-agent: *\nDisallow: /private\n"
	filler := strings.Repeat("#\n", (MaxBytes-len(head))/2-50)
	body := head + filler
	body += strings.Repeat("#", MaxBytes-len(body)-len("\nDisallow: /")) + "\nDisallow: /public\n"
	r := Parse([]byte(body), "millrace")
	if !r.Allowed("/other") || r.Allowed("/private") {
		t.Fatal("half a line was taken for a rule, or the rules before it were lost")
	}
}

func TestDelayAndSitemapsAreRead(t *testing.T) {
	r := Parse([]byte("Sitemap: https://a.test/s.xml\nUser-agent: *\nCrawl-delay: 9\nUser-agent: millrace\nCrawl-delay: 0.25\nDisallow:\nSitemap: /b.xml"), "millrace")
	if r.CrawlDelay() != 250*time.Millisecond || len(r.Sitemaps()) != 2 {
		t.Fatalf("delay %v, sitemaps %v", r.CrawlDelay(), r.Sitemaps())
	}
	if d := Parse([]byte("User-agent: *\nCrawl-delay: 99999999999999999999999"), "x").CrawlDelay(); d != maxDelay {
		t.Fatalf("a senseless delay became %v", d)
	}
}

func TestSitemapsAreBounded(t *testing.T) {
	body := strings.Repeat("Sitemap: https://a.test/s.xml\n", 5000) + "Sitemap: /" + strings.Repeat("x", 5000)
	if n := len(Parse([]byte(body), "x").Sitemaps()); n != MaxSitemaps {
		t.Fatalf("%d sitemaps kept", n)
	}
}

func TestStoredRulesOfAnotherVersionOrCrawlerAreRefused(t *testing.T) {
	b := Parse([]byte("User-agent: *\nDisallow: /a"), "x").Encode()
	if _, err := Decode(b, "y"); err != ErrFormat {
		t.Fatalf("another crawler: error %v", err)
	}
	b[0]++
	if _, err := Decode(b, "x"); err != ErrFormat {
		t.Fatalf("another version: error %v", err)
	}
}

// FuzzParse: no bytes break the parser, and the durable form answers every path as the rules it
// came from.
func FuzzParse(f *testing.F) {
	f.Add([]byte("User-agent: *\nDisallow: /*a*b$\nAllow: /%7e%2a\nCrawl-delay: 1.5\nSitemap: x"), "/xa%2Ab")
	f.Add([]byte("\xef\xbb\xbfuser-agent: millrace\rdisallow /\n"), "/é*$%zz")
	f.Add([]byte("\xff\xfeU\x00s\x00"), "")
	f.Fuzz(func(t *testing.T, body []byte, path string) {
		r := Parse(body, "millrace")
		again, err := Decode(r.Encode(), "millrace")
		if err != nil {
			t.Fatal(err)
		}
		if again.Len() != r.Len() || again.CrawlDelay() != r.CrawlDelay() || len(again.Sitemaps()) != len(r.Sitemaps()) {
			t.Fatal("the durable form lost something")
		}
		if again.Allowed(path) != r.Allowed(path) {
			t.Fatal("the durable form answers differently")
		}
		if r.Allowed(path) != slowAllowed(r, path) {
			t.Fatalf("%q: matcher and specification differ", path)
		}
	})
}

// slowAllowed is the RFC read literally: every rule is tried, with a matcher that follows all ways
// at once.
func slowAllowed(r *Rules, path string) bool {
	path = normalPath(path)
	if path == "/robots.txt" {
		return true
	}
	allowed, best := true, -1
	for i := range r.rules {
		p := r.rules[i].source()
		if !slowMatch(p, path) || len(p) < best || len(p) == best && allowed {
			continue
		}
		allowed, best = r.rules[i].allow, len(p)
	}
	return allowed
}

func slowMatch(pattern, path string) bool {
	at := make([]bool, len(path)+1)
	at[0] = true
	for i := range len(pattern) {
		next := make([]bool, len(path)+1)
		switch {
		case pattern[i] == '$' && i == len(pattern)-1:
			return at[len(path)]
		case pattern[i] == '*':
			reached := false
			for j := range next {
				reached = reached || at[j]
				next[j] = reached
			}
		default:
			for j := range path {
				next[j+1] = at[j] && path[j] == pattern[i]
			}
		}
		at = next
	}
	for _, ok := range at {
		if ok {
			return true
		}
	}
	return false
}

func FuzzDecode(f *testing.F) {
	f.Add(Parse([]byte("User-agent: *\nDisallow: /a\nSitemap: y"), "x").Encode())
	f.Add([]byte{formatVersion, 2, 'x', 0xff, 0xff, 0xff, 0xff, 0x7f})
	f.Fuzz(func(t *testing.T, b []byte) {
		if r, err := Decode(b, "x"); err == nil {
			r.Allowed("/a")
		}
	})
}

func BenchmarkAllowed50Rules(b *testing.B) {
	var s strings.Builder
	s.WriteString("User-agent: *\n")
	for i := range 50 {
		s.WriteString("Disallow: /section" + strings.Repeat(string(rune('a'+i%26)), 1+i%7) + "/private/\n")
	}
	s.WriteString("Disallow: /*?sessionid=\nDisallow: /*.pdf$\n")
	r := Parse([]byte(s.String()), "millrace")
	for _, path := range []string{"/news/2026/11/21/a-long-title-of-some-article.html", "/sectionaaaaaaa/public/page%20one"} {
		b.Run(path, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r.Allowed(path)
			}
		})
	}
}

func BenchmarkParse50Rules(b *testing.B) {
	body := []byte("User-agent: *\n" + strings.Repeat("Disallow: /some/private/place/\n", 50))
	b.ReportAllocs()
	for b.Loop() {
		Parse(body, "millrace")
	}
}
