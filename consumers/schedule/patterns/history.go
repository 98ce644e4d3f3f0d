package patterns

import "millrace/schema"

// history is which writes a row has, so that a replay applies each once.
type history struct{ row *schema.PatternsRow }

// Begin says that the events that follow are a write's; ts is its stamp. It reports false
// if the row has that write already: then its events must be left out.
func (h history) Begin(ts int64) bool {
	if h.Has(ts) {
		return false
	}
	h.row.At = ts
	return true
}

// Has reports whether the row has a write.
func (h history) Has(ts int64) bool { return ts <= h.row.At }

// TurnedSince reports whether which URLs are let in has changed at or after a write.
func (h history) TurnedSince(ts int64) bool { return h.row.TurnedAt >= ts }

// turn notes that the present write changed which URLs are let in.
func (h history) turn() { h.row.TurnedAt = max(h.row.TurnedAt, h.row.At) }
