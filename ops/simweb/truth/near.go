package truth

import (
	"slices"
	"strings"
	"time"

	"millrace/ops/simweb/world"
)

// NearDuplicate is a page that was made from the paragraphs of another one.
type NearDuplicate struct {
	URL   string  `json:"url"`
	Of    string  `json:"of"`    // the page it was made from, within reach or not
	Share float64 `json:"share"` // part of its paragraphs that stand in Of as well
}

// NearDuplicates lists the documents that are near-duplicates, by their URLs. w
// is the web of the truth without overrides: where one hides a near-duplicate or
// the page it was made from, there is none.
func (t *Truth) NearDuplicates(w *world.World) []NearDuplicate {
	var found []NearDuplicate
	for _, d := range t.Docs {
		for _, member := range d.Members {
			if t.URLs[member].look.Role != world.Near {
				continue
			}
			if n, ok := NearDuplicateAt(t.web, w, member, t.rules.At); ok {
				n.URL = d.URL
				found = append(found, n)
				break
			}
		}
	}
	slices.SortFunc(found, func(a, b NearDuplicate) int { return strings.Compare(a.URL, b.URL) })
	return found
}

// NearDuplicateAt says whether a URL shows a near-duplicate at a time, and of
// which page. web is w with overrides.
func NearDuplicateAt(web Web, w *world.World, url string, at time.Time) (NearDuplicate, bool) {
	of, share, ok := w.NearDuplicate(url, at)
	if !ok || !untouched(web, w, url, at) || !untouched(web, w, of, at) {
		return NearDuplicate{}, false
	}
	return NearDuplicate{URL: url, Of: of, Share: share}, true
}

// untouched says whether a URL shows the text that the web has there by itself.
func untouched(web Web, w *world.World, url string, at time.Time) bool {
	shown, _ := web.Look(url, at)
	own, _ := w.Look(url, at)
	return shown.Text == own.Text
}
