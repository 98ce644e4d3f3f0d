package world

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"millrace/ops/simweb/profile"
)

// FuzzURLSpace: no request panics, every answer is the same twice and in a
// second world, and an answered URL is its own.
func FuzzURLSpace(f *testing.F) {
	for _, target := range []string{
		"/", "/robots.txt", "/index.html", "/science/12.html", "/science/12.html/", "/hop/12/0", "/hop/12/9", "/sitemap.xml", "/sitemap-1.xml.gz",
		"/sitemap-99999999999999999999.xml", "/feed.rss", "/feed.atom", "/news/5.html", "/news/72057594037927935.html", "/older/0.html",
		"/older/18446744073709551615.html", "/calendar?day=20000", "/calendar?day=0", "/maze/0/1/2/", "/shop?color=1&size=2", "/robots-of-3.txt",
		"/robots-of-4294967295.txt", "/private/1.html?sid=ff", "/x?a=1&b=2", "/x?b=2&a=99999", "//", "", "?", "/%00", "/.html", "/-1.html",
		"/ru/", "/en/science/3.html", "/zh/science/3.html", "/zh/", "/ru//", "/ru",
	} {
		f.Add(false, "h3.site0.test:8080", target, int64(3600))
	}
	f.Add(true, "www.h7.site1.test", "/", int64(-1<<40))
	f.Add(false, "h4294967296.site0.test", "/", int64(1<<40))
	small := func(p *profile.Profile) {
		p.Size.Median, p.Size.Min, p.Size.Max = 600, 600, 600
		p.Alternates = profile.Alternates{Hosts: 0.7, Pages: 0.7}
		p.Items.Share, p.Sitemaps.Share = 0.7, 0.7
		p.Traps = profile.Traps{Calendar: 0.7, Maze: 0.7, Facets: 0.7}
	}
	w, other := build(f, "nasty", small), build(f, "nasty", small)
	f.Fuzz(func(t *testing.T, https bool, host, target string, seconds int64) {
		req, ok := w.Parse(https, host, target)
		if !ok {
			return
		}
		// A span of 60 years either way: beyond it time.Duration ends.
		at := w.Start().Add(time.Duration(seconds%(60*365*86400)) * time.Second)
		a := w.Answer(req, at)
		body := w.Body(nil, &a)
		b := other.Answer(req, at)
		if a != b || !bytes.Equal(body, other.Body(nil, &b)) {
			t.Fatal("two worlds of one seed differ")
		}
		target, _, _ = strings.Cut(target, "#") // never sent; Parse drops it
		if own := string(w.appendTarget(nil, req.Ref)); req.Ref.Page.Derivable() && own != target {
			t.Fatalf("%q was taken for %q", target, own)
		}
	})
}
