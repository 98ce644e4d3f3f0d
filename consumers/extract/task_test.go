package extract

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"millrace/consumers/extract/rules"
	"millrace/schema"
	"millrace/streams"
	"millrace/streams/streamstest"
	"millrace/topics"
)

func newWorker(t testing.TB, change func(*Options)) *Worker {
	t.Helper()
	canon, err := schema.NewCanonicalizer(schema.DefaultCanonOptions())
	if err != nil {
		t.Fatal(err)
	}
	o := DefaultOptions()
	if change != nil {
		change(&o)
	}
	w, err := New(o, Deps{Canon: canon, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func newRuledWorker(t testing.TB, find rules.Lookup) *Worker {
	t.Helper()
	canon, err := schema.NewCanonicalizer(schema.DefaultCanonOptions())
	if err != nil {
		t.Fatal(err)
	}
	w, err := New(DefaultOptions(), Deps{Canon: canon, Rules: find, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func somePage(body string) *schema.Page {
	return &schema.Page{RowKey: "test.en.www:http/a", Url: "http://www.en.test/a", Site: "en.test", Kind: schema.Kind_PAGE, Rev: 7,
		HttpStatus: 200, ContentType: "text/html; charset=utf-8", Body: []byte(body), FetchedAt: 1_700_000_000_000, Score: 1}
}

const story = `<html><head><title>A story</title></head><body><h1>A story</h1><p>` +
	`Once upon a time there was a page that said something, and it said it in many words, so that nobody could take it for a menu.` +
	`</p><a href="/b">next</a> <a href="http://other.test/c">there</a></body></html>`

// TestEveryPageBecomesOneDocOrGone protects contract 4: an old document never outlives its page.
func TestEveryPageBecomesOneDocOrGone(t *testing.T) {
	zipped := func(s string) []byte {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		fmt.Fprint(z, s)
		z.Close()
		return b.Bytes()
	}
	cases := map[string]struct {
		change func(*schema.Page)
		want   schema.Gone_Reason // 0 = a Doc
	}{
		"html":             {func(p *schema.Page) {}, 0},
		"gzip":             {func(p *schema.Page) { p.Body, p.ContentEncoding = zipped(story), "gzip" }, 0},
		"gzip cut short":   {func(p *schema.Page) { b := zipped(story); p.Body, p.ContentEncoding = b[:len(b)-12], "gzip" }, 0},
		"gzip that is not": {func(p *schema.Page) { p.ContentEncoding = "gzip" }, 0},
		"brotli":           {func(p *schema.Page) { p.ContentEncoding = "br" }, schema.Gone_BROKEN},
		"pdf":              {func(p *schema.Page) { p.ContentType = "application/pdf" }, schema.Gone_NOT_HTML},
		"feed":             {func(p *schema.Page) { p.Body = []byte("<?xml version='1.0'?><rss></rss>") }, schema.Gone_NOT_HTML},
		"empty":            {func(p *schema.Page) { p.Body = nil }, schema.Gone_EMPTY},
		"noindex header": {func(p *schema.Page) {
			p.Headers = []*schema.Header{{Name: "x-robots-tag", Value: "millrace: noindex"}}
		}, schema.Gone_NOINDEX},
		"noindex for another": {func(p *schema.Page) {
			p.Headers = []*schema.Header{{Name: "x-robots-tag", Value: "otherbot: noindex"}}
		}, 0},
		"unavailable": {func(p *schema.Page) {
			p.Headers = []*schema.Header{{Name: "x-robots-tag", Value: "unavailable_after: 25 Jun 2010 15:00:00 PST"}}
		}, schema.Gone_NOINDEX},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			p := somePage(story)
			c.change(p)
			extracted, discovered := handle(t, newWorker(t, nil), p)
			if len(extracted) != 1 {
				t.Fatalf("%d records on docs.extracted", len(extracted))
			}
			if got := extracted[0].GetGone().GetReason(); got != c.want {
				t.Errorf("reason %v, want %v", got, c.want)
			}
			digest := discovered[len(discovered)-1].GetDigest()
			if digest == nil || (digest.DropReason == "") != (c.want == 0) || (len(digest.TextHash) == hashBytes) != (c.want == 0) {
				t.Errorf("digest %v", digest)
			}
		})
	}
}

func handle(t *testing.T, w *Worker, p *schema.Page) ([]*schema.Extracted, []*schema.Discovered) {
	t.Helper()
	rec := &streamstest.Recorder{}
	task := w.Task(rec.Partition(0, 4))
	if err := task.Handle(context.Background(), &streams.Record[*schema.Page]{Value: p}); err != nil {
		t.Fatal(err)
	}
	sends := rec.Take()
	extracted, err := streamstest.Decode(sends, topics.Extracted())
	if err != nil {
		t.Fatal(err)
	}
	discovered, err := streamstest.Decode(sends, topics.Discovered())
	if err != nil {
		t.Fatal(err)
	}
	return extracted, discovered
}

// TestRepeatsAreEqual protects delivery: the same page gives the same bytes.
func TestRepeatsAreEqual(t *testing.T) {
	w := newWorker(t, nil)
	first, second := work(t, w, somePage(story)), work(t, w, somePage(story))
	if !bytes.Equal(streams.Encode(first.Extracted), streams.Encode(second.Extracted)) {
		t.Error("another document")
	}
	if len(first.Discovered) != 3 || len(second.Discovered) != 3 {
		t.Fatalf("%d and %d records, want links to two hosts and a digest", len(first.Discovered), len(second.Discovered))
	}
	for i := range first.Discovered {
		if !bytes.Equal(streams.Encode(first.Discovered[i]), streams.Encode(second.Discovered[i])) {
			t.Errorf("record %d differs", i)
		}
	}
}

// TestLinksAreCut protects the sizes of messages: at most 1,000 links a page and MaxLinksBytes a
// message.
func TestLinksAreCut(t *testing.T) {
	var b strings.Builder
	b.WriteString("<title>many</title>")
	for i := range 1200 {
		fmt.Fprintf(&b, `<a href="/%04d%s">link</a>`, i, strings.Repeat("x", 1000))
	}
	w := newWorker(t, nil)
	made := work(t, w, somePage(b.String()))
	links := 0
	for _, d := range made.Discovered {
		if n := d.SizeVT(); n > w.opts.MaxLinksBytes {
			t.Errorf("a message of %d bytes", n)
		}
		links += len(d.GetLinks().GetLinks())
	}
	if links != 1000 || made.LinksCut != 200 {
		t.Errorf("%d links kept, %d cut", links, made.LinksCut)
	}
}

// TestForeignRecordsBecomeDeadLetters protects the partition from records that are no pages.
func TestForeignRecordsBecomeDeadLetters(t *testing.T) {
	rec := &streamstest.Recorder{}
	task := newWorker(t, nil).Task(rec.Partition(0, 4))
	unknown := somePage(story)
	unknown.Kind = 77
	for _, p := range []*schema.Page{{}, unknown, nil} {
		if err := task.Handle(context.Background(), &streams.Record[*schema.Page]{Value: p}); err == nil {
			t.Errorf("%v was handled", p)
		}
	}
}

func work(t *testing.T, w *Worker, p *schema.Page) Made {
	t.Helper()
	made, err := w.Work(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return made
}
