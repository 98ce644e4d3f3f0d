package table

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
	"go.uber.org/goleak"

	"millrace/consumers/taps"
	"millrace/schema"
	"millrace/streams"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// encode writes records in a format and returns the file.
func encode(t *testing.T, f taps.Format, records ...*taps.Record) []byte {
	t.Helper()
	var b bytes.Buffer
	err := f.Encode(&b, taps.File{}, func() (*taps.Record, error) {
		if len(records) == 0 {
			return nil, io.EOF
		}
		r := records[0]
		records = records[1:]
		return r, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func put(offset int64, d *schema.Doc) *taps.Record {
	return &taps.Record{
		Topic: "docs.unique", Partition: 3, Era: 1, Offset: offset, Time: time.UnixMilli(1_700_000_000_000), Key: d.RowKey,
		Message: &schema.Unique{Doc: d, ClusterHash: []byte{0xab, 1}},
	}
}

func deletion(offset int64, key string) *taps.Record {
	return &taps.Record{
		Topic: "docs.unique", Partition: 3, Era: 1, Offset: offset, Time: time.UnixMilli(1_700_000_000_000), Key: key, Tombstone: true,
		Headers: []streams.Header{{Key: "rev", Value: []byte("9")}, {Key: "reason", Value: []byte("NOT_FOUND")}, {Key: "site", Value: []byte("a.test")}},
	}
}

// seen is a row as a reader of Parquet sees it.
type seen struct {
	Key       string    `parquet:"key"`
	Op        string    `parquet:"op"`
	Offset    int64     `parquet:"log_offset"`
	LoggedAt  time.Time `parquet:"logged_at,timestamp(millisecond)"`
	URL       *string   `parquet:"url,optional"`
	Site      *string   `parquet:"site,optional"`
	Rev       *int64    `parquet:"rev,optional"`
	Reason    *string   `parquet:"reason,optional"`
	Title     *string   `parquet:"title,optional"`
	Headings  []string  `parquet:"headings"`
	Published *int64    `parquet:"published_at,optional"`
	Depth     *int32    `parquet:"depth,optional"`
	Kind      *string   `parquet:"kind,optional"`
	TextHash  *string   `parquet:"text_hash,optional"`
	Directive *string   `parquet:"directives,optional"`
	Language  *string   `parquet:"language,optional"`
}

func is[T comparable](t *testing.T, what string, got *T, want T) {
	t.Helper()
	if got == nil || *got != want {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func TestADocumentAndItsDeletionAreRows(t *testing.T) {
	d := &schema.Doc{
		RowKey: "test.a:https/x", Url: "https://a.test/x", Site: "a.test", Rev: 5, Title: "T \xff", Lang: "de-AT",
		Headings: []string{"one", "two"}, PublishedAt: 1_600_000_000_123, TextHash: []byte{1, 0xfe}, Kind: schema.Kind_FEED,
		Directives: &schema.Directives{Nosnippet: true},
	}
	raw := encode(t, NewDocuments(), put(7, d), deletion(8, "test.a:https/x"))
	rows, err := parquet.Read[seen](bytes.NewReader(raw), int64(len(raw)))
	if err != nil || len(rows) != 2 {
		t.Fatalf("%d rows: %v", len(rows), err)
	}
	a, b := rows[0], rows[1]
	if a.Op != "put" || a.Key != d.RowKey || a.Offset != 7 || a.LoggedAt.UnixMilli() != 1_700_000_000_000 {
		t.Errorf("document: %+v", a)
	}
	is(t, "url", a.URL, d.Url)
	is(t, "rev", a.Rev, 5)
	is(t, "title", a.Title, "T \uFFFD")
	is(t, "published_at", a.Published, d.PublishedAt)
	is(t, "depth", a.Depth, 0)
	is(t, "kind", a.Kind, "feed")
	is(t, "text_hash", a.TextHash, "01fe")
	is(t, "directives", a.Directive, `{"nosnippet":true}`)
	is(t, "language", a.Language, "de-AT")
	if len(a.Headings) != 2 || a.Headings[1] != "two" || a.Reason != nil {
		t.Errorf("document: headings %v, reason %v", a.Headings, a.Reason)
	}
	if b.Op != "delete" || b.Title != nil || b.Depth != nil || len(b.Headings) != 0 || b.Published != nil {
		t.Errorf("deletion: %+v", b)
	}
	is(t, "url of a deletion", b.URL, "https://a.test/x")
	is(t, "site of a deletion", b.Site, "a.test")
	is(t, "rev of a deletion", b.Rev, 9)
	is(t, "reason", b.Reason, "not_found")
}

// Every field of Doc has a column: none is forgotten when one is added.
func TestEveryFieldOfADocumentIsAColumn(t *testing.T) {
	own := map[string]string{"row_key": "key", "lang": "language"}
	schemaOf := NewDocuments().table.schema
	fields := (*schema.Doc)(nil).ProtoReflect().Descriptor().Fields()
	for i := range fields.Len() {
		name := string(fields.Get(i).Name())
		if to, ok := own[name]; ok {
			name = to
		}
		if _, ok := schemaOf.Lookup(name); !ok {
			t.Errorf("no column %s", name)
		}
	}
}

func TestALanguageNamesADirectory(t *testing.T) {
	for tag, want := range map[string]string{"de-AT": "de", "EN": "en", "": "und", "../x": "und", "zh-Hant-TW": "zh", "e1": "und", "gsw": "gsw"} {
		if got := NewDocuments().Part(put(1, &schema.Doc{Lang: tag})); got != "day=2023-11-14/lang="+want {
			t.Errorf("%q: %s", tag, got)
		}
	}
	if got := NewDocuments().Part(deletion(1, "k")); got != "day=2023-11-14/lang=und" {
		t.Errorf("deletion: %s", got)
	}
}

func TestALinkIsARow(t *testing.T) {
	r := &taps.Record{Offset: 4, Time: time.UnixMilli(1), Message: &schema.Discovered{Host: "test.b", Body: &schema.Discovered_Links{Links: &schema.Links{
		SourceRowKey: "test.a:https/", SourceSite: "a.test", SourceRev: 3,
		Links: []*schema.Link{{Path: ":https/x", Anchor: "the x", Rel: relNofollow | relSponsored}, {Path: ":http:8080/y"}},
	}}}}
	raw := encode(t, NewLinks(), r)
	type row struct {
		Source    *string `parquet:"source_url,optional"`
		Target    *string `parquet:"target_url,optional"`
		Anchor    *string `parquet:"anchor,optional"`
		Rev       int64   `parquet:"source_rev"`
		Nofollow  bool    `parquet:"nofollow"`
		Sponsored bool    `parquet:"sponsored"`
		UGC       bool    `parquet:"ugc"`
	}
	rows, err := parquet.Read[row](bytes.NewReader(raw), int64(len(raw)))
	if err != nil || len(rows) != 2 {
		t.Fatalf("%d rows: %v", len(rows), err)
	}
	is(t, "source", rows[0].Source, "https://a.test/")
	is(t, "target", rows[0].Target, "https://b.test/x")
	is(t, "target with a port", rows[1].Target, "http://b.test:8080/y")
	is(t, "anchor", rows[0].Anchor, "the x")
	if rows[0].Rev != 3 || !rows[0].Nofollow || !rows[0].Sponsored || rows[0].UGC || rows[1].Nofollow || rows[1].Anchor != nil {
		t.Errorf("rows: %+v", rows)
	}
	if NewLinks().Wants(&taps.Record{Message: &schema.Discovered{Body: &schema.Discovered_Tick{Tick: &schema.Tick{}}}}) {
		t.Error("a tick has links")
	}
}

func TestAFileThatCannotBeWrittenIsAnError(t *testing.T) {
	r := put(1, &schema.Doc{RowKey: "test.a:https/", Text: "text"})
	once := []*taps.Record{r}
	err := NewDocuments().Encode(broken{}, taps.File{}, func() (*taps.Record, error) {
		if len(once) == 0 {
			return nil, io.EOF
		}
		once = nil
		return r, nil
	})
	if !errors.Is(err, errFull) {
		t.Errorf("got %v", err)
	}
}

var errFull = errors.New("the disk is full")

type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errFull }
