package dedupe

import (
	"slices"
	"testing"

	"millrace/schema"
	"millrace/schema/filltest"
)

// A field of Doc is of the page, or follows from the text that the pages of a cluster share. Who
// adds a field decides that here; what follows from the text must be in setBody, else a copy is
// published with the value of another page.
func TestEveryFieldOfADocIsOfThePageOrOfTheText(t *testing.T) {
	ofThePage := []string{
		"RowKey", "Url", "Host", "Site", "Rev", "Edition", "Author", "Lang", "PublishedAt", "ModifiedAt", "TextHash", "Simhash",
		"Canonical", "Directives", "RuleId", "Fit", "Score", "Depth", "Kind", "DiscoveredAt", "FetchedAt", "ExtractedAt",
		"Filetype", "PageType", "PublishedBy", "PublishedSure", "ListedAt",
	}
	d := &schema.Doc{}
	filltest.Fill(t, d)
	ofTheText := filltest.Matter(d, func() any { return bodyPart(d) })
	own := filltest.Matter(d, func() any { return ownPart(d) })
	for _, name := range filltest.Fields(d) {
		switch page, text := slices.Contains(ofThePage, name), slices.Contains(ofTheText, name); {
		case !page && !text:
			t.Errorf("Doc.%s: if it follows from the text, add it to setBody (subject.go), else to ofThePage here", name)
		case page && text:
			t.Errorf("Doc.%s is in setBody and in ofThePage", name)
		case text == slices.Contains(own, name):
			t.Errorf("Doc.%s is lost, or kept twice, where a document is taken apart", name)
		}
	}
}

// Each document is published again when a field changes that tells something of the page; a field
// that changes with every fetch must not be one of them (I2).
func TestEveryFieldOfADocIsContentOrChangesWithTheFetch(t *testing.T) {
	ofTheFetch := []string{"Rev", "Edition", "Fit", "Score", "Depth", "DiscoveredAt", "FetchedAt", "ExtractedAt", "ListedAt"}
	d := &schema.Doc{}
	filltest.Fill(t, d)
	content := filltest.Matter(d, func() any { return contentHash(d) })
	for _, name := range filltest.Fields(d) {
		if slices.Contains(ofTheFetch, name) == slices.Contains(content, name) {
			t.Errorf("Doc.%s: if it can change while the page does not, leave it out in contentHash (fold.go) and name it here", name)
		}
	}
	if len(content) < 20 {
		t.Errorf("only %v is content", content)
	}
}
