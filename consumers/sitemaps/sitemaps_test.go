package sitemaps

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"millrace/consumers/listing"
	"millrace/schema"
	"millrace/streams"
	"millrace/streams/streamstest"
	"millrace/topics"
)

func group(t testing.TB, change ...func(*Options)) *Sitemaps {
	t.Helper()
	c, err := schema.NewCanonicalizer(schema.DefaultCanonOptions())
	if err != nil {
		t.Fatal(err)
	}
	o := DefaultOptions()
	for _, f := range change {
		f(&o)
	}
	g, err := New(o, Deps{c})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func mustURL(raw string) schema.URL {
	var c schema.Canonicalizer
	u, err := c.Parse(raw)
	if err != nil {
		panic(err)
	}
	return u
}

func page(url, body string) *schema.Page {
	u := mustURL(url)
	return &schema.Page{RowKey: string(u.RowKey()), Url: url, Site: string(u.Site()), Kind: schema.Kind_SITEMAP,
		FetchedAt: 1_700_000_000_000, Body: []byte(body)}
}

// line writes an item as `URL [sitemap] [mod …] [pub …]`.
func line(e listing.Entry) string {
	s := e.Ref
	if e.Kind == schema.Kind_SITEMAP {
		s += " sitemap"
	}
	for _, d := range []struct {
		name string
		ms   int64
	}{{"mod", e.Lastmod}, {"pub", e.Published}} {
		if d.ms != 0 {
			s += " " + d.name + " " + time.UnixMilli(d.ms).UTC().Format(time.RFC3339Nano)
		}
	}
	return s
}

func lines(t testing.TB, o *Sitemaps, p *schema.Page) []string {
	t.Helper()
	return linesOf(o.read(p, mustURL(p.Url)), p)
}

func linesOf(list *listing.List, p *schema.Page) []string {
	var out []string
	for _, d := range list.Records(Group, p) {
		for _, it := range d.GetAdd().Items {
			out = append(out, line(listing.Entry{Ref: it.Url, Kind: it.Kind, Lastmod: it.Lastmod, Published: it.PublishedAt}))
		}
	}
	return out
}

// freely lists without the rule of one site.
func freely(t testing.TB, p *schema.Page) []string {
	t.Helper()
	o := group(t)
	found, _ := o.opts.parse(listing.Text(p.Body, p.ContentType))
	list := listing.NewList(o.canon, o.opts.MaxURLs)
	for _, e := range found.entries {
		list.Add(schema.URL{}, e)
	}
	return linesOf(list, p)
}

func zipped(s string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	fmt.Fprint(z, s)
	z.Close()
	return b.String()
}

func TestWhatASitemapNames(t *testing.T) {
	const at = "http://www.a.test/sitemap.xml"
	utf16 := func(s string) string {
		out := "\xff\xfe"
		for _, r := range s {
			out += string([]byte{byte(r), 0})
		}
		return out
	}
	for name, c := range map[string]struct {
		body  string
		want  []string
		drops map[string]int
	}{
		"an entry, all forms of its parts": {
			`<?xml version="1.0"?><urlset xmlns:n="x"><url><lastmod>2024-02-03T04:05+01:00</lastmod><loc><![CDATA[ http://a.test/?a=1&b=2 ]]></loc>
			<n:news><n:publication><n:name>x</n:name></n:publication><n:publication_date>2024-02-03</n:publication_date></n:news></url></urlset>`,
			[]string{"http://a.test/?a=1&b=2 mod 2024-02-03T03:05:00Z pub 2024-02-03T00:00:00Z"}, nil,
		},
		"images and videos are no pages": {
			`<urlset><url><loc>http://a.test/1</loc><image:image><image:loc>http://a.test/i.png</image:loc></image:image>
			<video:video><video:publication_date>2024-01-01</video:publication_date></video:video></url></urlset>`,
			[]string{"http://a.test/1"}, nil,
		},
		"alternates are pages; the entry of their own has the date": {
			`<urlset><url><loc>http://a.test/en</loc><xhtml:link rel="alternate" hreflang="de" href="http://a.test/de"/><xhtml:link/></url>
			<url><loc>http://a.test/de</loc><lastmod>2024-01-01</lastmod></url></urlset>`,
			[]string{"http://a.test/de mod 2024-01-01T00:00:00Z", "http://a.test/en"}, nil,
		},
		"an index": {
			`<sitemapindex><sitemap><loc>http://a.test/s1.xml.gz</loc></sitemap></sitemapindex>`,
			[]string{"http://a.test/s1.xml.gz sitemap"}, nil,
		},
		"nothing but absolute URLs of the site": {
			`<urlset><url><loc>http://other.test/</loc></url><url><loc>/rel</loc></url><url><loc>ftp://a.test/</loc></url><url><loc>www.a.test/own</loc></url></urlset>`,
			[]string{"http://www.a.test/own"},
			map[string]int{listing.Foreign: 1, schema.ErrRelative: 1, schema.ErrScheme: 1},
		},
		"entries that were never closed": {
			`<urlset><url><loc>http://a.test/1</loc><url><loc>http://a.test/2</loc><lastmod>2024</lastmod>`,
			[]string{"http://a.test/1", "http://a.test/2 mod 2024-01-01T00:00:00Z"}, nil,
		},
		"a URL that breaks off is none": {
			`<urlset><url><loc>http://a.test/1</loc></url><url><loc>http://a.test/2`, []string{"http://a.test/1"}, nil,
		},
		"entities from outside stay unread": {
			`<!DOCTYPE u [<!ENTITY e SYSTEM "file:///etc/passwd">]><urlset><url><loc>&e;</loc></url><url><loc>http://a.test/1</loc></url></urlset>`,
			[]string{"http://a.test/1"}, map[string]int{schema.ErrRelative: 1},
		},
		"what stands in no entry": {
			`<urlset><loc>http://a.test/1</loc><lastmod>2024</lastmod></urlset><loc>http://a.test/2</loc>`, nil, nil,
		},
		"RSS": {
			`<rss><channel><image><url>http://a.test/i.png</url></image><item><link>http://a.test/1</link><pubDate>Mon, 05 Feb 2024 10:00:00 +0100</pubDate></item></channel></rss>`,
			[]string{"http://a.test/1 pub 2024-02-05T09:00:00Z"}, nil,
		},
		"Atom": {
			`<feed><entry><link rel="self" href="http://a.test/x"/><link href="http://a.test/1"/><updated>2024-02-05T10:00:00.5Z</updated></entry></feed>`,
			[]string{"http://a.test/1 mod 2024-02-05T10:00:00.5Z"}, nil,
		},
		"plain text":      {"\ufeffhttp://a.test/1\r\n\r\nhttp://a.test/2\n", []string{"http://a.test/1", "http://a.test/2"}, nil},
		"gzip":            {zipped("http://a.test/1\n"), []string{"http://a.test/1"}, nil},
		"gzip twice":      {zipped(zipped("http://a.test/1\n")), []string{"http://a.test/1"}, nil},
		"gzip, broken":    {"\x1f\x8b nothing", nil, map[string]int{listing.Encoding: 1}},
		"UTF-16":          {utf16(`<urlset><url><loc>http://a.test/1</loc></url></urlset>`), []string{"http://a.test/1"}, nil},
		"control letters": {"<urlset><url><loc>http://a.test/\x0b1</loc></url></urlset>", []string{"http://a.test/1"}, nil},
		"an error page":   {"<!doctype html><html><body><url><loc>http://a.test/1</loc></url>", nil, map[string]int{listing.NotListing: 1}},
		"a text":          {"Not found\n", nil, map[string]int{listing.NotListing: 1}},
		"nothing":         {"", nil, map[string]int{listing.NotListing: 1}},
		"too deep": {
			"<urlset><url><loc>http://a.test/1</loc></url>" + strings.Repeat("<a>", 100), []string{"http://a.test/1"}, map[string]int{listing.Depth: 1},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := page(at, c.body)
			list := group(t).read(p, mustURL(at))
			if got := linesOf(list, p); !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if !maps.Equal(list.Drops(), c.drops) {
				t.Errorf("dropped %v, want %v", list.Drops(), c.drops)
			}
		})
	}
}

// TestDates protects the forms that are found in sitemaps.
func TestDates(t *testing.T) {
	for in, want := range map[string]string{
		"2024": "2024-01-01T00:00:00Z", "2024-02": "2024-02-01T00:00:00Z", "2024-02-03": "2024-02-03T00:00:00Z",
		"2024-2-3": "2024-02-03T00:00:00Z", "2024-02-03Z": "2024-02-03T00:00:00Z",
		"2024-02-03T04:05Z": "2024-02-03T04:05:00Z", "2024-02-03T04:05:06+02:00": "2024-02-03T02:05:06Z",
		"2024-02-03T04:05:06.789Z": "2024-02-03T04:05:06.789Z", "2024-02-03T04:05:06": "2024-02-03T04:05:06Z",
		"2024-02-03T04:05:06+0200": "2024-02-03T02:05:06Z", "2024-02-03 04:05:06": "2024-02-03T04:05:06Z", "2024-02-03T04:05": "2024-02-03T04:05:00Z",
		"Sat, 3 Feb 2024 04:05:06 GMT": "2024-02-03T04:05:06Z",
		"yesterday":                    "", "": "", "20240203": "", "1": "", "0001-01-01": "",
	} {
		got := ""
		if ms := date(in); ms != 0 {
			got = time.UnixMilli(ms).UTC().Format(time.RFC3339Nano)
		}
		if got != want {
			t.Errorf("%q is %q, want %q", in, got, want)
		}
	}
}

// TestLimitsHold protects memory and the frontier from documents made to hurt.
func TestLimitsHold(t *testing.T) {
	var b strings.Builder
	b.WriteString("<urlset>")
	for i := range 20 {
		fmt.Fprintf(&b, `<url><loc>http://a.test/%d</loc><xhtml:link rel="alternate" href="http://a.test/alt%d"/></url>`, i, i)
	}
	o := group(t, func(o *Options) { o.MaxURLs, o.MaxAlternates = 10, 5 })
	p := page("http://a.test/s.xml", b.String())
	list := o.read(p, mustURL(p.Url))
	if list.Len() != 15 || list.Drops()[listing.OverCap] != 7 { // six alternates, and the rest
		t.Errorf("%d URLs, dropped %v", list.Len(), list.Drops())
	}
	o = group(t, func(o *Options) { o.MaxElements = 10 })
	if list := o.read(p, mustURL(p.Url)); list.Len() != 6 || list.Drops()[listing.OverCap] != 1 {
		t.Errorf("of ten elements: %d URLs, dropped %v", list.Len(), list.Drops())
	}
	lists := page("http://a.test/s.txt", "http://a.test/1\nhttp://a.test/2\nhttp://a.test/3\nhttp://a.test/4\n")
	o = group(t, func(o *Options) { o.MaxURLs = 2 })
	if list := o.read(lists, mustURL(lists.Url)); list.Len() != 2 || list.Drops()[listing.OverCap] != 1 {
		t.Errorf("a text: %d URLs, dropped %v", list.Len(), list.Drops())
	}
	bomb := page("http://a.test/s.xml", zipped("<urlset>"+strings.Repeat(" ", 40<<20)))
	for _, most := range []int{1 << 10, 50 << 20} {
		body, err := listing.Body(bomb, most)
		if limit := min(most, max(1<<20, 200*len(bomb.Body))); err != nil || len(body) != limit {
			t.Errorf("of a bomb of %d bytes came %d, not %d: %v", len(bomb.Body), len(body), limit, err)
		}
	}
}

func handle(t testing.TB, o *Sitemaps, p *schema.Page) ([]streams.Send, map[string]int, error) {
	t.Helper()
	rec := &streamstest.Recorder{}
	err := o.Task(rec.Partition(0, 4)).Handle(t.Context(), &streams.Record[*schema.Page]{Value: p})
	return rec.Take(), rec.Drops(), err
}

// TestRecordsAreTheSameForTheSamePage protects rule 6: repeats change nothing.
func TestRecordsAreTheSameForTheSamePage(t *testing.T) {
	var b strings.Builder
	for i := range 2500 {
		fmt.Fprintf(&b, "http://h%d.a.test/%d\n", i%2, i)
	}
	p := page("http://a.test/s.txt", b.String())
	first, _, err := handle(t, group(t), p)
	if err != nil {
		t.Fatal(err)
	}
	again, _, _ := handle(t, group(t), p)
	if len(first) != 27 || !slices.EqualFunc(first, again, func(a, b streams.Send) bool { return a.Key == b.Key && bytes.Equal(a.Value, b.Value) }) {
		t.Errorf("%d records, then %d", len(first), len(again))
	}
	records, err := streamstest.Decode(first, topics.Discovered())
	if err != nil {
		t.Fatal(err)
	}
	add := records[0].GetAdd()
	if records[0].Host != "test.a.h0" || records[0].DiscoveredAt != p.FetchedAt || len(add.Items) != 100 ||
		add.Producer != "sitemaps" || add.FeedRowKey != p.RowKey || add.Items[0].Depth != 1 {
		t.Errorf("the first record: %s at %d, %d items of %q from %q", records[0].Host, records[0].DiscoveredAt, len(add.Items), add.Producer, add.FeedRowKey)
	}
}

// TestOnlyItsOwnKind protects the other group's pages from being read twice.
func TestOnlyItsOwnKind(t *testing.T) {
	p := page("http://a.test/f", "http://a.test/1\n")
	p.Kind = schema.Kind_FEED
	if sends, drops, err := handle(t, group(t), p); err != nil || len(sends)+len(drops) != 0 {
		t.Errorf("a feed: %d records, dropped %v, %v", len(sends), drops, err)
	}
	p.Kind = schema.Kind_PAGE
	if _, _, err := handle(t, group(t), p); err == nil {
		t.Error("a page among sitemaps did not become a dead letter")
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`<urlset><url><loc>http://a.test/1</loc><lastmod>2024-01-01T00:00</lastmod></url></urlset>`), "text/xml")
	f.Add([]byte(`<rss><item><link/><link href="x"><item></rss>`), "text/xml; charset=koi8-r")
	f.Add([]byte("\xff\xfe<\x00u\x00"), "")
	f.Add([]byte(zipped("http://a.test/1")), "")
	o := group(f, func(o *Options) { o.MaxURLs, o.MaxAlternates, o.MaxBytes = 50, 50, 1<<16 })
	f.Fuzz(func(t *testing.T, body []byte, contentType string) {
		p := page("http://a.test/s.xml", string(body))
		p.ContentType = contentType
		list := o.read(p, mustURL(p.Url))
		if list.Len() > 100 {
			t.Fatalf("%d URLs", list.Len())
		}
		for _, d := range list.Records(Group, p) {
			for _, it := range d.GetAdd().Items {
				if u := mustURL(it.Url); u.Site() != "a.test" || it.Lastmod < 0 || it.PublishedAt < 0 {
					t.Fatalf("item %v", it)
				}
			}
		}
	})
}

func BenchmarkSitemapOf10000(b *testing.B) {
	var s strings.Builder
	s.WriteString(`<?xml version="1.0" encoding="UTF-8"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`)
	for i := range 10_000 {
		fmt.Fprintf(&s, "<url><loc>https://www.example.com/2024/02/03/a-story-about-something-%d.html</loc><lastmod>2024-02-03T04:05:06+00:00</lastmod><changefreq>weekly</changefreq></url>\n", i)
	}
	o := group(b)
	p := page("https://www.example.com/sitemap.xml", s.String())
	b.SetBytes(int64(len(p.Body)))
	for b.Loop() {
		if n := o.read(p, mustURL(p.Url)).Len(); n != 10_000 {
			b.Fatal(n)
		}
	}
}
