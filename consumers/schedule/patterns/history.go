package patterns

import "millrace/schema"

// history knows which records a row has, so that a replay applies each record once.
type history struct{ row *schema.PatternsRow }

// Begin starts the events of a record with the stamp ts. It returns false if the row has that
// record already; then its events must be left out.
func (h history) Begin(ts int64) bool {
	if h.Has(ts) {
		return false
	}
	h.row.At = ts
	return true
}

// Has reports whether the row has the record with that stamp.
func (h history) Has(ts int64) bool { return ts <= h.row.At }

// TurnedSince reports whether the set of URLs that are let in has changed at that stamp or later.
func (h history) TurnedSince(ts int64) bool { return h.row.TurnedAt >= ts }

// turn notes that the present record changed which URLs are let in.
func (h history) turn() { h.row.TurnedAt = max(h.row.TurnedAt, h.row.At) }
