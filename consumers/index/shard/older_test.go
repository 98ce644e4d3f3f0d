package shard

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/blevesearch/bleve/v2/document"
	"github.com/blevesearch/bleve/v2/index/scorch"
	index "github.com/blevesearch/bleve_index_api"

	"millrace/consumers/index/rank"
)

// writeOlder makes a shard as layout 3 had it: segments in the format of bleve.
func writeOlder(t *testing.T, dir string, page rank.Page, at Position) {
	t.Helper()
	queue := index.NewAnalysisQueue(1)
	defer queue.Close()
	s, err := scorch.NewScorch(scorch.Name, map[string]any{"path": dir}, queue)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Open(); err != nil {
		t.Fatal(err)
	}
	stored, err := json.Marshal(storedPage{URL: page.URL, Host: "a.test", Headings: []string{"Wading"}})
	if err != nil {
		t.Fatal(err)
	}
	doc := document.NewDocument(page.Key)
	for name, value := range map[string][]byte{
		storedMark: mark{hash: at.Digest}.encode(), storedInfo: stored, storedBody: []byte(page.Text), storedTitle: []byte(page.Title),
	} {
		doc.AddField(document.NewTextFieldWithIndexingOptions(name, nil, value, index.StoreField))
	}
	b := index.NewBatch()
	b.Update(doc)
	position, err := at.encode()
	if err != nil {
		t.Fatal(err)
	}
	b.SetInternal([]byte(positionKey), position)
	if err := s.(*scorch.Scorch).Batch(b); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// A shard in the files of an older version is refused, so that a new one is filled. What the log
// no longer has is taken over from it. It says that it cannot be searched.
func TestAShardOfAnOlderVersionGivesItsDocumentsToTheNewOne(t *testing.T) {
	dir := t.TempDir()
	page := rank.Page{Key: "test.a:http/1", URL: "http://a.test/1", Title: "Herons", Text: "A heron stands in the reeds."}
	at := Position{Shape: "older", Offset: 7, Docs: 1, Digest: 42}
	writeOlder(t, dir, page, at)
	if _, err := Open(dir, DefaultOptions()); !errors.Is(err, ErrOtherOptions) {
		t.Fatalf("opened with %v", err)
	}
	o := DefaultOptions()
	o.AnyShape = true
	old, err := Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	defer old.Close()
	snap, err := old.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Release()
	if _, err := snap.Top(t.Context(), &rank.Plan{K: 1}); !errors.Is(err, errFormat) || old.Searchable() {
		t.Fatalf("a search of it: %v", err)
	}

	s, err := Open(t.TempDir(), DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Apply(t.Context(), Batch{Next: at.Offset}); err != nil {
		t.Fatal(err)
	}
	if n, _, err := s.Carry(t.Context(), old); n != 1 || err != nil || s.Digest() != at.Digest {
		t.Fatalf("took over %d documents, digest %s: %v", n, s.Digest(), err)
	}
	now, err := s.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer now.Release()
	got, ok, err := now.Lookup(t.Context(), page.Key)
	if err != nil || !ok || got.Title != page.Title || got.Text != page.Text || !s.Searchable() {
		t.Fatalf("%+v %v %v", got, ok, err)
	}
}
