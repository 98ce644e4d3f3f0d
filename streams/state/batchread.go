package state

import (
	"context"
	"errors"
	"slices"
	"strings"

	"millrace/schema"
)

// Get returns what Store.Get will return after Commit.
func (b *Batch) Get(ctx context.Context, t *schema.Table, key Key) (Cells, error) {
	if err := CheckGet(t, key); err != nil {
		return nil, err
	}
	name := id(t, key)
	o := b.rows[name]
	c, known := b.cache.rows[name]
	if !known && (o == nil || !o.hides()) {
		var err error
		if c, err = b.read(ctx, t, key); err != nil {
			return nil, err
		}
		b.cache.put(name, c)
	}
	row, found := o.or(c)
	if !found {
		return nil, ErrNotFound
	}
	return row.Cells, nil
}

func (b *Batch) read(ctx context.Context, t *schema.Table, key Key) (cached, error) {
	cells, err := b.store.Get(ctx, t, key)
	if errors.Is(err, ErrNotFound) {
		return cached{dated: true}, nil
	}
	return cached{row: Row{Key: key, Cells: cells}, found: err == nil}, err
}

// GetMany returns what Store.GetMany will return after Commit.
func (b *Batch) GetMany(ctx context.Context, t *schema.Table, key Key, last []Value) ([]Row, error) {
	if err := CheckMany(t, key, last); err != nil {
		return nil, err
	}
	known, missing := b.known(t, key, last)
	if len(missing) > 0 {
		rows, err := b.store.GetMany(ctx, t, key, missing)
		if err != nil {
			return nil, err
		}
		b.learn(t, key, missing, rows, known)
	}
	return b.merge(known), nil
}

// learn adds the store's answer for the keys asked to known and to the cache.
func (b *Batch) learn(t *schema.Table, key Key, asked []Value, rows []Row, known map[string]cached) {
	for _, v := range asked {
		known[id(t, append(slices.Clone(key), v))] = cached{dated: true}
	}
	for _, row := range rows {
		known[id(t, row.Key)] = cached{row: row, found: true, dated: true}
	}
	for _, v := range asked {
		name := id(t, append(slices.Clone(key), v))
		b.cache.put(name, known[name])
	}
}

// known returns the rows that need not be read, by id, and the values of last whose rows must be
// read.
func (b *Batch) known(t *schema.Table, key Key, last []Value) (map[string]cached, []Value) {
	known := make(map[string]cached, len(last))
	var missing []Value
	for _, v := range last {
		name := id(t, append(slices.Clone(key), v))
		if c, ok := b.cache.rows[name]; ok && c.dated {
			known[name] = c
		} else if o := b.rows[name]; o != nil && o.hides() {
			known[name] = cached{}
		} else {
			missing = append(missing, v)
		}
	}
	return known, missing
}

// Slice returns what Store.Slice will return after Commit.
func (b *Batch) Slice(ctx context.Context, t *schema.Table, partition Key, from []Value, limit int) ([]Row, error) {
	if err := CheckSlice(t, partition, from, limit); err != nil {
		return nil, err
	}
	known, gone := b.stagedFrom(t, partition, from)
	rows, err := b.store.Slice(ctx, t, partition, from, limit+gone)
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		known[id(t, row.Key)] = cached{row: row, found: true}
	}
	merged := b.merge(known)
	return merged[:min(limit, len(merged))], nil
}

// stagedFrom returns the staged rows of a partition from the clustering values in from on, and how
// many of them are deletions: so many rows more must be read from the store.
func (b *Batch) stagedFrom(t *schema.Table, partition Key, from []Value) (rows map[string]cached, gone int) {
	first := id(t, slices.Concat(partition, from))
	rows = map[string]cached{}
	for _, name := range b.partitions[id(t, partition)] {
		if name < first {
			continue
		}
		rows[name] = cached{}
		if b.rows[name].gone() {
			gone++
		}
	}
	return rows, gone
}

// merge applies the staged mutations to rows of the store and returns them in clustering order.
func (b *Batch) merge(known map[string]cached) []Row {
	type named struct {
		name string
		row  Row
	}
	var list []named
	for name, c := range known {
		if row, found := b.rows[name].or(c); found {
			list = append(list, named{name, row})
		}
	}
	slices.SortFunc(list, func(a, b named) int { return strings.Compare(a.name, b.name) })
	rows := make([]Row, len(list))
	for i, n := range list {
		rows[i] = n.row
	}
	return rows
}

// or returns the row as it will be after Commit; c is the store's. o may be nil: nothing is staged.
func (o *overlay) or(c cached) (Row, bool) {
	if o != nil {
		return o.over(c.row, c.found)
	}
	c.row.Cells = slices.Clone(c.row.Cells)
	return c.row, c.found
}
