package feeds

import (
	"archive/zip"
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mmcdole/gofeed"

	"millrace/bench/outside"
	"millrace/consumers/listing"
	"millrace/schema"
	"millrace/streams"
	"millrace/streams/streamstest"
	"millrace/topics"
)

const at = "http://www.a.test/blog/feed.xml"

func group(t testing.TB, change ...func(*Options)) *Feeds {
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

func page(body string) *schema.Page {
	u := mustURL(at)
	return &schema.Page{RowKey: string(u.RowKey()), Url: at, Site: string(u.Site()), Kind: schema.Kind_FEED,
		FetchedAt: 1_700_000_000_000, Depth: 2, Body: []byte(body)}
}

// lines writes items as `URL [pub …] [mod …]`.
func lines(list *listing.List, p *schema.Page) []string {
	var out []string
	for _, d := range list.Records(Group, p) {
		for _, it := range d.GetAdd().Items {
			s := it.Url
			if it.PublishedAt != 0 {
				s += " pub " + time.UnixMilli(it.PublishedAt).UTC().Format(time.RFC3339)
			}
			if it.Lastmod != 0 {
				s += " mod " + time.UnixMilli(it.Lastmod).UTC().Format(time.RFC3339)
			}
			out = append(out, s)
		}
	}
	return out
}

func zipped(s string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	fmt.Fprint(z, s)
	z.Close()
	return b.String()
}

func rssOf(items string) string {
	return `<?xml version="1.0" encoding="utf-8"?><rss version="2.0"><channel><title>t</title>` + items + `</channel></rss>`
}

func TestWhatAFeedNames(t *testing.T) {
	const one = `<item><link>http://a.test/1</link></item>`
	for name, c := range map[string]struct {
		body, contentType string
		want              []string
		drops             map[string]int
	}{
		"RSS": {rssOf(`<item><link> http://b.test/1?utm_source=rss </link><pubDate>Mon, 05 Feb 2024 10:00:00 +0100</pubDate>
			<enclosure url="http://a.test/x.mp3"/><image><url>http://a.test/i.png</url></image></item>`), "",
			[]string{"http://b.test/1 pub 2024-02-05T09:00:00Z"}, nil},
		"a guid that is an address": {rssOf(`<item><guid>http://a.test/1</guid></item><item><guid isPermaLink="false">http://a.test/2</guid></item>`), "",
			[]string{"http://a.test/1"}, map[string]int{schema.ErrEmpty: 1}},
		"RDF": {`<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/">
			<channel><title>t</title></channel><item><link>http://a.test/1</link><dc:date>2024-02-05T10:00:00Z</dc:date></item></rdf:RDF>`, "",
			[]string{"http://a.test/1 pub 2024-02-05T10:00:00Z mod 2024-02-05T10:00:00Z"}, nil},
		"Atom": {`<feed xmlns="http://www.w3.org/2005/Atom" xml:base="http://b.test/x/"><entry><link rel="enclosure" href="/e.mp3"/><link href="../1"/>
			<published>2024-02-05T10:00:00Z</published><updated>2024-02-06T10:00:00Z</updated></entry></feed>`, "",
			[]string{"http://b.test/1 pub 2024-02-05T10:00:00Z mod 2024-02-06T10:00:00Z"}, nil},
		"JSON Feed": {`{"version":"https://jsonfeed.org/version/1.1","author":{"name":"x"},"items":[{"id":"1","url":"/1","date_published":"2024-02-05T10:00:00+01:00"},
			{"external_url":"http://b.test/2"}]}`, "", []string{"http://www.a.test/1 pub 2024-02-05T09:00:00Z", "http://b.test/2"}, nil},
		"JSON that breaks off": {`{"version":"https://jsonfeed.org/version/1","items":[{"url":"http://a.test/1"},{"url":"http://a.te`, "", []string{"http://a.test/1"}, nil},
		"other JSON":           {`{"version":"1","items":[{"url":"http://a.test/1"}]}`, "", nil, map[string]int{listing.NotListing: 1}},
		"relative to the feed": {rssOf(`<item><link>1.html</link></item>`), "", []string{"http://www.a.test/blog/1.html"}, nil},
		"relative to the site": {rssOf(`<link>http://b.test/news/</link><item><link>1.html</link></item>`), "", []string{"http://b.test/news/1.html"}, nil},
		"each once":            {rssOf(one + one + `<item><link>mailto:x@a.test</link></item>`), "", []string{"http://a.test/1"}, map[string]int{schema.ErrScheme: 1}},
		"breaks off":           {rssOf(one)[:len(rssOf(one))-6] + `<item><link>http://a.test/2`, "", []string{"http://a.test/1"}, nil},
		"too deep":             {rssOf(one + strings.Repeat("<a>", 100)), "", []string{"http://a.test/1"}, map[string]int{listing.Depth: 1}},
		"entities":             {`<!DOCTYPE r [<!ENTITY e SYSTEM "file:///etc/passwd"><!ENTITY l "lol">]>` + rssOf(`<item><link>http://a.test/&e;1</link></item>`), "", []string{"http://a.test/&e;1"}, nil},
		"gzip":                 {zipped(rssOf(one)), "", []string{"http://a.test/1"}, nil},
		"an old encoding": {strings.Replace(rssOf("<item><title>\x8e\x8f</title><link>http://a.test/1</link></item>"), "utf-8", "IBM855", 1), "text/xml",
			[]string{"http://a.test/1"}, nil},
		"a blank line first, control letters": {"\n" + rssOf("<item><title>\x00\x08</title><link>http://a.test/1</link></item>"), "", []string{"http://a.test/1"}, nil},
		"a long comment first":                {"<!--" + strings.Repeat("-= licence =", 1000) + "-->" + rssOf(one), "", []string{"http://a.test/1"}, nil},
		"an error page":                       {"<!doctype html><title>no</title>", "", nil, map[string]int{listing.NotListing: 1}},
		"a sitemap":                           {"<urlset><url><loc>http://a.test/1</loc></url></urlset>", "", nil, map[string]int{listing.NotListing: 1}},
		"nothing":                             {"", "", nil, map[string]int{listing.NotListing: 1}},
		"no items":                            {rssOf(""), "", nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			p := page(c.body)
			p.ContentType = c.contentType
			list := group(t).read(p, mustURL(at))
			if got := lines(list, p); !slices.Equal(got, c.want) {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if !maps.Equal(list.Drops(), c.drops) {
				t.Errorf("dropped %v, want %v", list.Drops(), c.drops)
			}
		})
	}
}

// TestLimitsHoldBeforeParsing protects memory: gofeed takes hundreds of times a feed's size if that
// is made to hurt.
func TestLimitsHoldBeforeParsing(t *testing.T) {
	item := `<item><link>http://a.test/%d</link></item>`
	var many strings.Builder
	for i := range 100 {
		fmt.Fprintf(&many, item, i)
	}
	for name, c := range map[string]struct {
		change func(*Options)
		body   string
		want   int
	}{
		"items":         {func(o *Options) { o.MaxItems = 10 }, rssOf(many.String()), 10},
		"items of JSON": {func(o *Options) { o.MaxItems = 10 }, `{"version":"https://jsonfeed.org/version/1","items":[` + strings.Repeat(`{"url":"/1"},`, 11), 1},
		"elements":      {func(o *Options) { o.MaxElements = 50 }, rssOf(many.String()), 23},
		"namespaces": {func(o *Options) { o.MaxNamespaces = 3 }, rssOf(fmt.Sprintf(item, 1) +
			`<item xmlns:a="a"/><item xmlns:a="a" xmlns:b="b"><x xmlns="c"/></item><item xmlns:a="a"><x xmlns:b="b"><y xmlns:c="c" xmlns:d="d"/></x></item>` + fmt.Sprintf(item, 2)), 1},
		"elements inside": {func(o *Options) { o.MaxElements = 50 }, rssOf(fmt.Sprintf(item, 1) + "<item>" + strings.Repeat("<x:a/>", 100)), 1},
	} {
		p := page(c.body)
		list := group(t, c.change).read(p, mustURL(at))
		if list.Len() != c.want || list.Drops()[listing.OverCap] != 1 {
			t.Errorf("%s: %d items, dropped %v", name, list.Len(), list.Drops())
		}
	}
	if got := worst(t); got > 400<<20 {
		t.Errorf("the worst feed took %d MiB", got>>20)
	}
}

// worst is the memory that the worst feed within the limits allocates.
func worst(t *testing.T) uint64 {
	t.Helper()
	p := page(zipped(rssOf("<item><link>http://a.test/1</link></item>" + strings.Repeat("<item>"+strings.Repeat("<x:a/>", 18)+"</item>", 60_000))))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if list := group(t).read(p, mustURL(at)); list.Len() != 1 {
		t.Errorf("%d items, dropped %v", list.Len(), list.Drops())
	}
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

func handle(t testing.TB, p *schema.Page) ([]streams.Send, map[string]int) {
	t.Helper()
	rec := &streamstest.Recorder{}
	if err := group(t).Task(rec.Partition(0, 4)).Handle(t.Context(), &streams.Record[*schema.Page]{Value: p}); err != nil {
		t.Fatal(err)
	}
	return rec.Take(), rec.Drops()
}

// TestRecordsAreTheSameForTheSamePage protects rule 6: repeats change nothing.
func TestRecordsAreTheSameForTheSamePage(t *testing.T) {
	p := page(rssOf(`<item><link>http://b.test/1</link></item><item><link>/2</link></item><item><link>http://b.test/3</link></item><item/>`))
	first, drops := handle(t, p)
	again, _ := handle(t, p)
	if !slices.EqualFunc(first, again, func(a, b streams.Send) bool { return a.Key == b.Key && bytes.Equal(a.Value, b.Value) }) {
		t.Error("the second time is another")
	}
	records, err := streamstest.Decode(first, topics.Discovered())
	if err != nil {
		t.Fatal(err)
	}
	if len(records) != 3 || drops[schema.ErrEmpty] != 1 {
		t.Fatalf("%d records, dropped %v", len(records), drops)
	}
	r, add := records[0], records[0].GetAdd()
	if r.Host != "test.b" || r.DiscoveredAt != p.FetchedAt || len(add.Items) != 2 || add.Producer != "feeds" || add.FeedRowKey != p.RowKey || add.Items[0].Depth != 2 {
		t.Errorf("the first record: %v", r)
	}
	if m := records[2].GetListed(); records[2].Host != "test.a.www" || m.RowKey != p.RowKey || len(m.Ids) != 3 || len(m.Hash) != 8 {
		t.Errorf("the last record: %v", records[2])
	}
}

// TestWhatAFeedSaysOfItself: when it changes, when it wants to be left alone, and who
// tells of its changes.
func TestWhatAFeedSaysOfItself(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want *schema.Listed
	}{
		"RSS 2.0": {`<rss xmlns:atom="http://www.w3.org/2005/Atom"><channel><ttl> 90 </ttl><skipHours><hour>0</hour><hour>23</hour><hour>x</hour></skipHours>
			<skipDays><day>sunday</day><day>Friday</day></skipDays><atom:link rel="hub" href="https://hub.test/"/><atom:link rel="self" href="/feed"/>
			<item><link>/1</link></item></channel></rss>`,
			&schema.Listed{EveryMs: 90 * 60_000, SkipHours: 1 | 1<<23, SkipDays: 1 | 1<<5, Hub: "https://hub.test/", Self: "http://www.a.test/feed"}},
		"syndication": {`<rss xmlns:sy="http://purl.org/rss/1.0/modules/syndication/"><channel><ttl>5</ttl><sy:updatePeriod>daily</sy:updatePeriod>
			<sy:updateFrequency>4</sy:updateFrequency><item><link>/1</link></item></channel></rss>`, &schema.Listed{EveryMs: 6 * 3600_000}},
		"Atom": {`<feed xmlns="http://www.w3.org/2005/Atom"><link rel="hub" href="//hub.test/x"/><link rel="self" href="http://a.test/f"/>
			<entry><link href="/1"/></entry></feed>`, &schema.Listed{Hub: "http://hub.test/x", Self: "http://a.test/f"}},
		"JSON": {`{"version":"https://jsonfeed.org/version/1.1","feed_url":"http://a.test/j","hubs":[{"type":"rssCloud","url":"http://no.test/"},
			{"type":"WebSub","url":"http://hub.test/"}],"items":[{"url":"/1"}]}`, &schema.Listed{Hub: "http://hub.test/", Self: "http://a.test/j"}},
		"nonsense": {`<rss><channel><ttl>-9</ttl><skipHours><hour>99</hour></skipHours><item><link>/1</link></item></channel></rss>`, &schema.Listed{}},
	} {
		t.Run(name, func(t *testing.T) {
			sent, _ := handle(t, page(c.text))
			records, err := streamstest.Decode(sent, topics.Discovered())
			if err != nil {
				t.Fatal(err)
			}
			m := records[len(records)-1].GetListed()
			got := &schema.Listed{EveryMs: m.GetEveryMs(), SkipHours: m.GetSkipHours(), SkipDays: m.GetSkipDays(), Hub: m.GetHub(), Self: m.GetSelf()}
			if got.String() != c.want.String() {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(rssOf(`<item><link>http://a.test/1</link></item>`)), "text/xml; charset=koi8-r")
	f.Add([]byte(`<feed><entry><link href="x"/><updated>2024-01-01</updated></entry></feed>`), "")
	f.Add([]byte(`{"version":"https://jsonfeed.org/version/1","items":[{"url":"/1"}]}`), "")
	f.Add([]byte("<rdf:RDF><item><link>1"), "")
	o := group(f, func(o *Options) { o.MaxItems, o.MaxBytes = 20, 1<<16 })
	f.Fuzz(func(t *testing.T, body []byte, contentType string) {
		p := page(string(body))
		p.ContentType = contentType
		list := o.read(p, mustURL(at))
		if list.Len() > 20 {
			t.Fatalf("%d items", list.Len())
		}
		for _, d := range list.Records(Group, p) {
			for _, it := range d.GetAdd().Items {
				if mustURL(it.Url); it.Lastmod < 0 || it.PublishedAt < 0 {
					t.Fatalf("item %v", it)
				}
			}
		}
	})
}

// TestRealFeeds measures over feeds in 38 encodings: how many give items, and how many gofeed alone
// would read.
func TestRealFeeds(t *testing.T) {
	files := realFeeds(t)
	ours, alone := 0, 0
	for _, name := range slices.Sorted(maps.Keys(files)) {
		body := files[name]
		p := page(string(body))
		if list := group(t).read(p, mustURL(at)); list.Len() > 0 {
			ours++
		} else {
			t.Logf("%s gives nothing: %v", name, list.Drops())
		}
		if f, err := gofeed.NewParser().Parse(bytes.NewReader(body)); err == nil && len(f.Items) > 0 {
			alone++
		}
	}
	t.Logf("%d of %d feeds give items; gofeed alone %d", ours, len(files), alone)
	if len(files) == 0 || ours*100 < len(files)*98 {
		t.Errorf("%d of %d feeds give items", ours, len(files))
	}
}

func realFeeds(t testing.TB) map[string][]byte {
	t.Helper()
	dir := outside.Need(t, "charset")
	manifest, err := os.Open(filepath.Join(dir, "chardet_manifest.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer manifest.Close()
	archive, err := zip.OpenReader(filepath.Join(dir, "chardet_tests.zip"))
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	files := map[string][]byte{}
	for lines := bufio.NewScanner(manifest); lines.Scan(); {
		var m struct {
			File string
			Feed bool
		}
		if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
			t.Fatal(err)
		}
		if !m.Feed {
			continue
		}
		f, err := archive.Open(m.File)
		if err != nil {
			t.Fatal(err)
		}
		if files[m.File], err = io.ReadAll(f); err != nil {
			t.Fatal(err)
		}
		f.Close()
	}
	return files
}

func BenchmarkFeedOf50(b *testing.B) {
	var s strings.Builder
	for i := range 50 {
		fmt.Fprintf(&s, `<item><title>A story about something %d</title><link>https://www.example.com/2024/02/03/a-story-%d.html</link><guid>https://www.example.com/?p=%d</guid>
<pubDate>Sat, 03 Feb 2024 04:05:06 +0000</pubDate><category>news</category><description>&lt;p&gt;%s&lt;/p&gt;</description></item>`, i, i, i, strings.Repeat("Some words of it. ", 20))
	}
	o := group(b)
	p := page(rssOf(s.String()))
	b.SetBytes(int64(len(p.Body)))
	for b.Loop() {
		if n := o.read(p, mustURL(at)).Len(); n != 50 {
			b.Fatal(n)
		}
	}
}
