package extract

import (
	"testing"

	"millrace/consumers/extract/page"
)

// TestSkeletonLeavesOutWhatATemplateFillsIn protects the verdict on traps: pages of one template
// are alike, pages with words or measurements of their own are not.
func TestSkeletonLeavesOutWhatATemplateFillsIn(t *testing.T) {
	empty := skeleton("Calendar", "No events on 12 5 2031.", "com.example:http/calendar?day=2031-05-12")
	for _, same := range []uint64{
		skeleton("Calendar", "No events on 1 11 2044.", "com.example:http/calendar?day=2044-11-01"),
		skeleton("Calendar for Monday", "No events on 3 May", "com.example:http/calendar?for=2044-11-03"),
	} {
		if same != empty {
			t.Error("two empty days differ")
		}
	}
	for _, other := range []uint64{
		skeleton("Calendar", "Concert in the mill on 12 5 2031.", "com.example:http/calendar?day=2031-05-12"),
		skeleton("Calendar", "No events on 12 5 2031. 731 visitors", "com.example:http/calendar?day=2031-05-12"),
	} {
		if other == empty {
			t.Error("a day with something on it is like an empty one")
		}
	}
	gone := func(path string) uint64 {
		return skeleton("Nothing", "There is no page "+path+" here", "com.example:http/"+"weir/old/stone")
	}
	if gone("weir old stone") != gone("old weir") {
		t.Error("a page that repeats its address differs")
	}
	if skeleton("", "", "com.example:http/") != 0 {
		t.Error("a page without words has a skeleton")
	}
}

func TestSoft404IsSaidInTheTitleOfAShortPage(t *testing.T) {
	for title, want := range map[string]bool{"404 – Mill": true, "Page Not Found": true, "Страница не найдена": true, "页面不存在": true,
		"How we found the weir": false, "": false, "Route 4040": false} {
		if got := soft404(&page.Result{Title: title, Text: "short"}); got != want {
			t.Errorf("%q: %v", title, got)
		}
	}
	if soft404(&page.Result{Title: "Not found: a history", Text: string(make([]byte, 5000))}) {
		t.Error("a long text is a soft 404")
	}
}
