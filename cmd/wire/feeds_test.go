package wire

import (
	"compress/gzip"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

// listed is a site whose pages no link leads to: its home page names a feed, its
// robots.txt an index of sitemaps.
func listed(w http.ResponseWriter, r *http.Request) {
	const page = `<html lang=en><title>%s</title><article><p>` + text + `%s</article>`
	w.Header().Set("Content-Type", "text/xml")
	switch r.URL.Path {
	case "/robots.txt":
		w.Header().Set("Content-Type", "text/plain")
		fmt.Fprint(w, "User-agent: *\nDisallow:\nSitemap: http://www.a.test/sitemaps.xml\n")
	case "/sitemaps.xml":
		fmt.Fprint(w, `<sitemapindex><sitemap><loc>http://www.a.test/sitemap-1.xml.gz</loc></sitemap></sitemapindex>`)
	case "/sitemap-1.xml.gz":
		w.Header().Set("Content-Type", "application/gzip")
		z := gzip.NewWriter(w)
		fmt.Fprint(z, `<urlset><url><loc>http://www.a.test/archive</loc></url><url><loc>http://b.test/foreign</loc></url></urlset>`)
		z.Close()
	case "/feed":
		fmt.Fprint(w, `<rss version="2.0"><channel><title>News</title><item><link>/news</link></item></channel></rss>`)
	case "/":
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<title>Home</title><link rel="alternate" type="application/rss+xml" href="/feed"><p>`, strings.Repeat("A page that leads nowhere. ", 9))
	case "/news":
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, page, "News", strings.Repeat("The feed tells it first, in the morning, to those who wait by the gate. ", 2))
	case "/archive":
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, page, "Archive", strings.Repeat("A sitemap lists what older readers look for among the dusty volumes. ", 2))
	default:
		http.NotFound(w, r)
	}
}

// TestPagesThatOnlyAFeedOrASitemapNamesAreFound follows them from feeds.fetched
// through the producers back to the frontier and on into the index.
func TestPagesThatOnlyAFeedOrASitemapNamesAreFound(t *testing.T) {
	o := &origin{Server: httptest.NewServer(http.HandlerFunc(listed))}
	t.Cleanup(o.Close)
	w := start(t, DefaultConfig(), o)
	w.seed(home)
	found := strings.Fields(w.found())
	slices.Sort(found)
	if want := []string{"http://www.a.test/archive", "http://www.a.test/news"}; !slices.Equal(found, want) {
		t.Errorf("found %q, want %q", found, want)
	}
	dropped := map[string]int64{}
	for _, c := range w.Meter.Counts() {
		if c.What == "dropped" && (c.Group == "feeds" || c.Group == "sitemaps") {
			dropped[c.Group+" "+c.Label] += c.Value
		}
	}
	if len(dropped) != 1 || dropped["sitemaps foreign"] != 1 {
		t.Errorf("dropped %v, want the one URL of another site", dropped)
	}
}
