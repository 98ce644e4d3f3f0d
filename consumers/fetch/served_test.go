package fetch

import (
	"bytes"
	"compress/gzip"
	"testing"
	"time"

	"millrace/consumers/fetch/web"
	"millrace/schema"
	"millrace/topics"
)

func zipped(s string) string {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte(s))
	_ = w.Close()
	return b.String()
}

const (
	rssText     = `<?xml version="1.0"?><!-- hello --><?xml-stylesheet href="x"?><rss version="2.0"><channel/></rss>`
	sitemapText = `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"></urlset>`
	htmlText    = "\n<!DOCTYPE html>\n<html><head><title>x</title>"
)

// TestAnAnswerIsWhatItServes: the body decides the kind, not the link. Outcome.served has it, and
// the body goes to the readers of its kind.
func TestAnAnswerIsWhatItServes(t *testing.T) {
	const page, feed, sitemap, hub = schema.Kind_PAGE, schema.Kind_FEED, schema.Kind_SITEMAP, schema.Kind_HUB
	for _, k := range []struct {
		name        string
		asked, want schema.Kind
		contentType string
		body        string
	}{
		{"a page announced as a feed", feed, page, "text/html; charset=utf-8", htmlText},
		{"a page announced as a sitemap", sitemap, page, "text/html", htmlText},
		{"an error page with a feed's type", feed, page, "application/rss+xml", htmlText},
		{"a fragment of a page announced as a feed", feed, page, "text/html", "<p>hello"},
		{"RSS behind a link", page, feed, "application/rss+xml", rssText},
		{"RSS as text/html", page, feed, "text/html", rssText},
		{"Atom", page, feed, "text/xml", "\xef\xbb\xbf<feed xmlns='http://www.w3.org/2005/Atom'>"},
		{"RSS 1.0", page, feed, "text/xml", `<rdf:RDF xmlns:rdf="x">`},
		{"Atom with a prefix", page, feed, "application/xml", `<atom:feed xmlns:atom="x">`},
		{"JSON Feed", page, feed, "application/json", `{"version": "https://jsonfeed.org/version/1.1"}`},
		{"JSON", page, page, "application/json", `{"version": 1}`},
		{"a sitemap behind a link", page, sitemap, "application/xml", sitemapText},
		{"a sitemap in gzip", page, sitemap, "application/x-gzip", zipped(sitemapText)},
		{"a sitemap in gzip twice", feed, sitemap, "application/x-gzip", zipped(zipped(sitemapText))},
		{"a sitemap announced as a feed", feed, sitemap, "text/xml", "<sitemapindex>"},
		{"a sitemap of plain lines", sitemap, sitemap, "text/plain", "https://a.test/1\n"},
		{"a hub is a page", hub, hub, "text/html", htmlText},
		{"a hub that became a feed", hub, feed, "text/html", rssText},
		{"a broken feed", feed, feed, "application/octet-stream", "rubbish"},
		{"UTF-16", page, feed, "text/xml", "\xff\xfe<\x00r\x00s\x00s\x00>\x00"},
		{"nothing", feed, feed, "", ""},
		{"broken gzip", feed, feed, "", "\x1f\x8b\x08"},
	} {
		inWorld(t, nil, func(w *world) {
			w.serve("/x", web.Result{Status: 200, Header: header("Content-Type", k.contentType), Body: []byte(k.body)})
			w.schedule("https://a.test/x", func(s *schema.Scheduled) { s.Kind = k.asked })
			w.wait(10 * time.Second)
			o := w.one()
			if o.Result != schema.Outcome_OK || o.Served != k.want || o.Kind != k.asked {
				t.Errorf("%s: outcome %v, want served %v", k.name, o, k.want)
			}
			to := topics.Pages()
			if k.want == feed || k.want == sitemap {
				to = topics.Feeds()
			}
			if list := w.pages(to); len(list) != 1 || list[0].Kind != k.want {
				t.Errorf("%s: %v in %s", k.name, list, to.Name)
			}
		})
	}
}

func FuzzServed(f *testing.F) {
	for _, s := range []string{rssText, sitemapText, htmlText, zipped(rssText), "<!", "<!doctype", "<?", "<!--", "<a:", "\xff\xfe<"} {
		f.Add("text/html", []byte(s))
	}
	f.Fuzz(func(t *testing.T, contentType string, body []byte) {
		switch k := served(&schema.Page{Kind: schema.Kind_HUB, ContentType: contentType, Body: body}); k {
		case schema.Kind_FEED, schema.Kind_SITEMAP, schema.Kind_HUB:
		default:
			t.Errorf("a hub is said to be %v", k)
		}
	})
}
