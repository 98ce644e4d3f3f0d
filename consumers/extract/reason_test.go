package extract

import (
	"testing"

	"millrace/consumers/extract/page"
	"millrace/schema"
)

// A page without a document is told with the reason that its drop is mapped to. One that nobody
// mapped would be told as broken.
func TestEveryReasonOfAPageIsMapped(t *testing.T) {
	found := 0
	for _, r := range schema.Reasons() {
		if r.Pages == "" || r.Code == "sitemap" { // known by its kind: extract does not see it
			continue
		}
		found++
		if _, mapped := reason(page.Drop(r.Code)); !mapped {
			t.Errorf("%s has Pages in schema/reason.go, but no Gone.Reason: map its constant of package page in reason (work.go)", r.Code)
		}
	}
	if found < 9 {
		t.Fatalf("only %d reasons", found)
	}
}
