package patterns

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// An exclude rule is proposed for a shape that brings nothing. Its expression matches those
// URLs and no others. No rule is proposed for a shape that brings something.
func TestProposalsMatchWhatBroughtNothing(t *testing.T) {
	tree, ts := New(nil), int64(0)
	for i := range 60 {
		read(tree, &ts, fmt.Sprintf(":https/calendar/2031/%02d/day?view=%d", i, i), "", 7)
		read(tree, &ts, fmt.Sprintf(":https/news/%d/the-weir-was-built-again.html", i), "", uint32(100+i))
	}
	list := tree.Propose("www.example.com")
	if len(list) != 1 {
		t.Fatalf("%d proposals: %+v", len(list), list)
	}
	p := list[0]
	e := regexp.MustCompile(strings.TrimPrefix(p.Rule, "exclude "))
	for url, want := range map[string]bool{
		"https://www.example.com/calendar/2044/11/day?view=3":                 true,
		"https://www.example.com:8443/calendar/2044/day?x=1&view=3":           true,
		"https://www.example.com/calendar/2044/11/day":                        false,
		"https://www.example.com/news/9/the-weir-was-built-again.html?view=1": false,
		"https://www.example.org/calendar/2044/11/day?view=3":                 false,
	} {
		if e.MatchString(url) != want {
			t.Errorf("%s: %v by %s", url, !want, e)
		}
	}
	if p.Confidence < 0.9 || p.Confidence > 1 || !strings.Contains(p.Evidence, "brought a new text") {
		t.Errorf("%+v", p)
	}
}
