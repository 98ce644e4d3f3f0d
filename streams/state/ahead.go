package state

import (
	"context"

	"millrace/schema"
)

// Ahead is a store together with rows that Fetch read before they are asked for: a task that knows
// the keys of a round gets their rows in a few requests instead of one after the other. A row that
// is not in memory is read when it is asked for. It is for the one writer of the rows and for one
// goroutine, and only Get looks into the memory; Write empties it.
type Ahead struct {
	Store
	Reads int // reads that went to the store; a row of Fetch is one

	rows  map[string]answer
	bytes int
}

// answer is a row in memory; found is false if the store has none.
type answer struct {
	cells Cells
	found bool
}

// maxAheadBytes bounds the rows in memory; further ones are read when they are needed.
const maxAheadBytes = 16 << 20

// NewAhead returns an Ahead without rows.
func NewAhead(store Store) *Ahead { return &Ahead{Store: store, rows: map[string]answer{}} }

// Forget drops the rows: the round is over, or another owner wrote some of them.
func (a *Ahead) Forget() {
	clear(a.rows)
	a.bytes = 0
}

// Get implements Store.
func (a *Ahead) Get(ctx context.Context, t *schema.Table, key Key) (Cells, error) {
	if r, ok := a.rows[id(t, key)]; ok {
		if !r.found {
			return nil, ErrNotFound
		}
		return r.cells, nil
	}
	a.Reads++
	return a.Store.Get(ctx, t, key)
}

// Slice implements Store.
func (a *Ahead) Slice(ctx context.Context, t *schema.Table, partition Key, from []Value, limit int) ([]Row, error) {
	a.Reads++
	return a.Store.Slice(ctx, t, partition, from, limit)
}

// Write implements Store.
func (a *Ahead) Write(ctx context.Context, groups ...[]Mutation) error {
	a.Forget()
	return a.Store.Write(ctx, groups...)
}

// Look returns the cells of a row that is in memory; false if it is not, or if there is no such
// row.
func (a *Ahead) Look(t *schema.Table, key Key) (Cells, bool) {
	r := a.rows[id(t, key)]
	return r.cells, r.found
}

// Fetch reads rows, except those that are in memory already and those whose keys the store would
// refuse. After an error some of them may be in memory.
func (a *Ahead) Fetch(ctx context.Context, list []Wanted) error {
	var missing []Wanted
	known := map[string]bool{}
	for _, w := range list {
		name := id(w.Table, w.Key)
		if _, ok := a.rows[name]; !ok && !known[name] && CheckGet(w.Table, w.Key) == nil {
			known[name] = true
			missing = append(missing, w)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	a.Reads += len(missing)
	found, err := GetAll(ctx, a.Store, missing)
	if err != nil {
		return err
	}
	for i, w := range missing {
		a.keep(id(w.Table, w.Key), found[i])
	}
	return nil
}

func (a *Ahead) keep(name string, cells Cells) {
	size := len(name)
	for _, v := range cells {
		size += len(v.s)
	}
	if a.bytes+size <= maxAheadBytes {
		a.bytes += size
		a.rows[name] = answer{cells, cells != nil}
	}
}
