package fetch

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"millrace/consumers/fetch/web"
	"millrace/schema"
)

// TestALookIsAsPoliteAsAFetch: robots.txt first, along its redirects, the delay it asks for, and no
// page it forbids.
func TestALookIsAsPoliteAsAFetch(t *testing.T) {
	file := func(text string) web.Result { return web.Result{Status: 200, Body: []byte(text)} }
	moved := func(to string) web.Result {
		return web.Result{Status: 301, Header: http.Header{"Location": {to}}}
	}
	for name, c := range map[string]struct {
		robots web.Result
		page   web.Result
		asked  string // paths in order
		pauses []time.Duration
		want   Sighting
	}{
		"allowed by a line, after its delay": {
			file("User-agent: millrace\nDisallow: /\nAllow: /a\nCrawl-delay: 3\nSitemap: /map.xml"), file("<p>text"), "/robots.txt /a/b", []time.Duration{3 * time.Second},
			Sighting{Outcome: "ok", Status: 200, Robots: RobotsSighting{Allowed: true, Because: "Allow: /a", CrawlDelay: "3s", Sitemaps: []string{"http://h.test/map.xml"}}},
		},
		"forbidden": {
			file("User-agent: *\nDisallow: /a/*"), web.Result{}, "/robots.txt", nil,
			Sighting{Outcome: "robots", Robots: RobotsSighting{Because: "Disallow: /a/*"}},
		},
		"none": {
			web.Result{Status: 404}, moved("/c"), "/robots.txt /a/b", []time.Duration{time.Second},
			Sighting{Outcome: "redirect", Status: 301, RedirectTo: "http://h.test/c", Robots: RobotsSighting{Allowed: true, Because: "there is none"}},
		},
		"unreadable": {
			web.Result{Status: 503}, web.Result{}, "/robots.txt", nil,
			Sighting{Outcome: "robots", Robots: RobotsSighting{Because: "it cannot be read"}},
		},
		"redirects without end": {
			moved("/robots.txt"), web.Result{Status: 404}, strings.Repeat("/robots.txt ", 6) + "/a/b",
			[]time.Duration{time.Second, time.Second, time.Second, time.Second, time.Second, time.Second},
			Sighting{Outcome: "gone", Status: 404, Robots: RobotsSighting{Allowed: true, Because: "there is none"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := &origin{flying: map[string]int{}, answer: func(_ web.Request, path string) web.Result {
					if path == "/robots.txt" {
						return c.robots
					}
					return c.page
				}}
				url, err := new(schema.Canonicalizer).Parse("http://h.test/a/b")
				if err != nil {
					t.Fatal(err)
				}
				var pauses []time.Duration
				l := look{
					o: DefaultOptions(), web: o, canon: new(schema.Canonicalizer), url: url, delay: time.Second, seen: &Sighting{URL: url.String()},
					wait: func(d time.Duration) { pauses = append(pauses, d) },
				}
				if err := l.run(t.Context()); err != nil {
					t.Fatal(err)
				}
				var asked []string
				for i, h := range o.all() {
					asked = append(asked, h.path)
					if i > 0 && h.at.Sub(o.all()[i-1].at) < c.pauses[i-1] {
						t.Errorf("%s came too early", h.path)
					}
				}
				got := l.seen
				if strings.Join(asked, " ") != c.asked || len(pauses) != len(c.pauses) {
					t.Errorf("asked for %v with pauses %v", asked, pauses)
				}
				if got.Outcome != c.want.Outcome || got.Status != c.want.Status || got.RedirectTo != c.want.RedirectTo || (got.Page != nil) != (got.Outcome == "ok") {
					t.Errorf("%+v", got)
				}
				r, w := got.Robots, c.want.Robots
				if r.Allowed != w.Allowed || r.Because != w.Because || r.CrawlDelay != w.CrawlDelay || strings.Join(r.Sitemaps, " ") != strings.Join(w.Sitemaps, " ") {
					t.Errorf("%+v", r)
				}
			})
		})
	}
}
