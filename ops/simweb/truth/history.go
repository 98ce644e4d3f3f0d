package truth

import (
	"slices"
	"time"

	"millrace/ops/simweb/world"
)

// History is when what a page shows came to be. The zero time is never.
type History struct {
	Appears    time.Time   `json:"appears,omitzero"`
	Disappears time.Time   `json:"disappears,omitzero"`
	Changes    []time.Time `json:"changes"` // of title and text, oldest first
}

// HistoryOf tells the history of what w shows at a URL: its life, and its changes
// from the first moment of the web (its profile's History before its start) until
// a time. Only pages of the tree, items and translations have one; what is missing
// all the time has none. Overrides are no part of it.
func HistoryOf(w *world.World, url string, until time.Time) History {
	h := History{Changes: []time.Time{}}
	req, ok := w.ParseURL(url)
	if !ok || !lives(req.Ref.Page.Space()) {
		return h
	}
	born, dies := w.Life(req.Ref.Host, req.Ref.Page)
	if born.IsZero() {
		return h
	}
	first := w.Answer(req, born)
	if first.Role == world.Missing || first.Role == world.Gone {
		return h
	}
	h.Appears, h.Disappears = born, dies
	if !dies.IsZero() && !dies.After(until) {
		until = dies.Add(-1)
	}
	if first.Text != 0 && until.After(born) { // a copy changes with the page it shows
		changes := w.Changes(first.Source.Host, first.Source.Page, born, until)
		h.Changes = append(h.Changes, slices.CompactFunc(changes, time.Time.Equal)...)
	}
	return h
}

func lives(s world.Space) bool {
	return s == world.Tree || s == world.Item || s == world.Translation
}
