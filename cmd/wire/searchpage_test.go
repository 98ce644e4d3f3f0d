package wire

import (
	"slices"
	"testing"

	"millrace/consumers/index/search"
	"millrace/schema/filltest"
)

// A new field of search.Hit that is forgotten on its way to the search page and the API is empty
// there, and nothing else tells.
func TestEveryFieldOfAHitReachesTheSearchPage(t *testing.T) {
	notShown := []string{"Key"} // the URL says the same
	var h search.Hit
	filltest.Fill(t, &h)
	shown := shownHit(h)
	if empty := filltest.Empty(&shown); len(empty) > 0 {
		t.Errorf("%v is empty in web.Hit: fill it in shownHit (searchpage.go)", empty)
	}
	matter := filltest.Matter(&h, func() any { return shownHit(h) })
	for _, name := range filltest.Fields(&h) {
		if slices.Contains(matter, name) == slices.Contains(notShown, name) {
			t.Errorf("search.Hit.%s: add it to web.Hit and shownHit (searchpage.go), or to notShown here", name)
		}
	}
}
