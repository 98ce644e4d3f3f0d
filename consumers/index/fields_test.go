package index

import (
	"slices"
	"testing"

	"millrace/consumers/sketch"
	"millrace/schema"
	"millrace/schema/filltest"
)

// Copies are folded by the sketches by which the group near compares, so that both say the same. A
// text of one word many times has no part in it: in a sketch each phrase counts once.
func TestADocIsFoldedByItsSketch(t *testing.T) {
	var m sketch.Maker
	for i := range uint64(300) {
		m.Add(i * 0x9e3779b97f4a7c15)
	}
	d := &schema.Doc{Sketch: m.Sketch(), Simhash: 7}
	c, err := change(&Record{Key: "test.a:https/", Value: &schema.Unique{Doc: d}})
	if want := sketch.Short(d.Sketch); err != nil || want == 0 || c.Document.Near != want {
		t.Errorf("near is %x, %v; want %x", c.Document.Near, err, want)
	}
}

// A field of Doc reaches the index, or is named here as one that search does not need.
func TestEveryFieldOfADocIsIndexedOrNamed(t *testing.T) {
	notIndexed := []string{
		"RowKey", // the key of the record
		"Rev", "Edition", "Summary", "TextHash", "Canonical", "RuleId", "Fit", "Score", "Depth", "Kind", "ExtractedAt",
		"Comments", "PageType", "PublishedBy", "PublishedSure", "Simhash",
		"Sketch", // it is, if it has its length: see the test below
	}
	d := &schema.Doc{}
	filltest.Fill(t, d)
	indexed := map[string]bool{}
	look := func() any {
		c, err := change(&Record{Key: "test.a:https/", Value: &schema.Unique{Doc: d}})
		if err != nil {
			t.Fatal(err)
		}
		return *c.Document
	}
	// The date of a page is the first of four that is known: each hides those behind it.
	for _, date := range []*int64{&d.PublishedAt, &d.ModifiedAt, &d.DiscoveredAt, new(int64)} {
		for _, name := range filltest.Matter(d, look) {
			indexed[name] = true
		}
		*date = 0
	}
	for _, name := range filltest.Fields(d) {
		switch named := slices.Contains(notIndexed, name); {
		case named && indexed[name]:
			t.Errorf("Doc.%s is indexed: take it out of notIndexed", name)
		case !named && !indexed[name]:
			t.Errorf("Doc.%s does not reach the index: add it to change (record.go) and to rank.Page, or to notIndexed here", name)
		}
	}
}
