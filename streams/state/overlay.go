package state

import (
	"slices"

	"millrace/schema"
)

// overlay is the result of the staged mutations of one row, by the rules of the package comment.
type overlay struct {
	table   *schema.Table
	key     Key
	deleted int64 // 0: never
	live    int64 // newest set; 0: never
	cells   Cells
	times   []int64 // of cells
}

func newOverlay(t *schema.Table, key Key) *overlay {
	return &overlay{table: t, key: key, cells: make(Cells, len(t.Cells)), times: make([]int64, len(t.Cells))}
}

func (o *overlay) apply(m *Mutation) {
	if m.Delete {
		o.deleted = max(o.deleted, m.TS)
	} else {
		o.live = max(o.live, m.TS)
	}
	for i, v := range m.Cells {
		if v.IsSet() && (m.TS > o.times[i] || m.TS == o.times[i] && larger(v, o.cells[i])) {
			o.cells[i], o.times[i] = v, m.TS
		}
	}
	for i, ts := range o.times {
		if ts <= o.deleted {
			o.cells[i], o.times[i] = Value{}, 0
		}
	}
}

// larger compares as CQL does, by serialised bytes: -1 is larger than 1.
func larger(a, b Value) bool {
	if a.kind == number {
		return uint64(a.n) > uint64(b.n)
	}
	return a.s > b.s
}

// hides reports whether the row in the store need not be read: it is deleted, or all its cells are
// set here.
func (o *overlay) hides() bool {
	return o.deleted > 0 || o.live > 0 && !slices.Contains(o.times, 0)
}

// gone reports whether the row is deleted.
func (o *overlay) gone() bool { return o.deleted > 0 && o.live <= o.deleted }

// over returns the row as it will be after Commit; below is the one in the store, if found.
func (o *overlay) over(below Row, found bool) (Row, bool) {
	if o.gone() {
		return Row{}, false
	}
	row := Row{Key: o.key, Cells: slices.Clone(o.cells)}
	for _, ts := range o.times {
		row.TS = max(row.TS, ts)
	}
	if !found || o.deleted > 0 {
		return row, true
	}
	for i, v := range row.Cells {
		if !v.IsSet() {
			row.Cells[i] = below.Cells[i]
		}
	}
	row.TS = max(row.TS, below.TS)
	return row, true
}
