package shard

import (
	"testing"

	"millrace/consumers/index/rank"
	"millrace/consumers/index/text"
)

// A document whose text makes the analysis panic is indexed without its words; the batch goes on.
func TestADocumentThatStopsTheAnalysisIsIndexedWithoutItsText(t *testing.T) {
	o := DefaultOptions()
	o.Workers = 1
	told := ""
	o.OnBare = func(key string, _ error) { told = key }
	s, err := Open(t.TempDir(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	s.words[0][text.ForLanguage("en")] = &text.Normaliser{} // not usable: the first text panics
	doc := func(key string) Change {
		return Change{Key: key, Document: &Document{Hash: 3, Host: "a.test", Headings: []string{"herons"},
			Shown: rank.Page{Lang: "en", Title: "herons", Author: "heron", URL: key}}}
	}
	if _, err := s.Apply(t.Context(), Batch{Changes: []Change{doc("bad"), doc("good")}, Next: 2}); err != nil {
		t.Fatal(err)
	}
	snap, err := s.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Release()
	bad, ok, err := snap.Lookup(t.Context(), "bad")
	if err != nil || !ok || bad.Title != "" || bad.Author != "" || bad.URL != "bad" || told != "bad" {
		t.Fatalf("%+v %v %v, told of %q", bad, ok, err, told)
	}
	if good, ok, err := snap.Lookup(t.Context(), "good"); err != nil || !ok || good.Title != "herons" {
		t.Fatalf("%+v %v %v", good, ok, err)
	}
}
