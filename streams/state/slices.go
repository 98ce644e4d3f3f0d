package state

import (
	"context"

	"millrace/schema"
)

// Slices returns the first rows of partitions of a table, up to limit of each, in the order of
// list: what Slice returns for each without from. If the store has a method Slices, as one behind a
// network has, it takes few requests; else the partitions are read one after the other.
func Slices(ctx context.Context, s Store, t *schema.Table, list []Key, limit int) ([][]Row, error) {
	if all, ok := s.(interface {
		Slices(context.Context, *schema.Table, []Key, int) ([][]Row, error)
	}); ok {
		return all.Slices(ctx, t, list, limit)
	}
	found := make([][]Row, len(list))
	for i, partition := range list {
		rows, err := s.Slice(ctx, t, partition, nil, limit)
		if err != nil {
			return nil, err
		}
		found[i] = rows
	}
	return found, nil
}

// Slices returns what Slices of the store will return after Commit.
func (b *Batch) Slices(ctx context.Context, t *schema.Table, list []Key, limit int) ([][]Row, error) {
	found := make([][]Row, len(list))
	var ask []Key
	var places []int
	for i, partition := range list {
		if err := CheckSlice(t, partition, nil, limit); err != nil {
			return nil, err
		}
		if len(b.partitions[id(t, partition)]) == 0 {
			ask, places = append(ask, partition), append(places, i)
			continue
		}
		rows, err := b.Slice(ctx, t, partition, nil, limit)
		if err != nil {
			return nil, err
		}
		found[i] = rows
	}
	answers, err := Slices(ctx, b.store, t, ask, limit)
	if err != nil {
		return nil, err
	}
	for i, rows := range answers {
		found[places[i]] = rows
	}
	return found, nil
}
