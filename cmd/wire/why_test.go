package wire

import (
	"testing"

	"millrace/consumers/dedupe"
	"millrace/consumers/schedule"
	"millrace/schema"
)

func TestTheHeadlineSaysWhyAPageIsNotFound(t *testing.T) {
	w := schedule.Story{URL: "http://a.test/copy", Verdict: "Fetched."}
	for want, c := range map[string]struct {
		x     dedupe.Explanation
		found bool
	}{
		"In the index. Fetched.": {dedupe.Explanation{Status: schema.DocRow_LIVE, Published: w.URL}, true},
		"Not in the index: the same text is published as http://a.test/. Fetched.":          {dedupe.Explanation{Status: schema.DocRow_LIVE, Published: "http://a.test/"}, false},
		"Not in the index: it is another address of http://a.test/. Fetched.":               {dedupe.Explanation{Status: schema.DocRow_ALIAS, StandsFor: "http://a.test/"}, false},
		"Not in the index: too many pages of the site had this text when it came. Fetched.": {dedupe.Explanation{Status: schema.DocRow_SURPLUS, Published: "http://a.test/"}, false},
		"Fetched.": {dedupe.Explanation{}, false},
	} {
		if got := headline(w, c.x, c.found); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
