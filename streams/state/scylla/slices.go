package scylla

import (
	"context"
	"fmt"
	"slices"

	"millrace/schema"
	"millrace/streams/state"
)

// Slices returns the first rows of partitions (state.Slices). Partitions whose keys differ in the
// last value only are asked for together.
func (s *Store) Slices(ctx context.Context, t *schema.Table, list []state.Key, limit int) ([][]state.Row, error) {
	for _, partition := range list {
		if err := state.CheckSlice(t, partition, nil, limit); err != nil {
			return nil, err
		}
	}
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.end()
	var parts [][]int
	open := map[alike]int{}
	for i, partition := range list {
		parts = join(parts, open, alikeOf(t, partition), i)
	}
	out := make([][]state.Row, len(list))
	err := first(eachPart(list, parts, func(part []int) error { return s.slices(ctx, t, list, part, limit, out) }))
	if err != nil {
		return nil, fmt.Errorf("slices of %d partitions of %s: %w", len(list), t.Name, err)
	}
	return out, nil
}

// slices reads the first rows of the partitions list[i] into out[i], for all i of part.
func (s *Store) slices(ctx context.Context, t *schema.Table, partitions []state.Key, part []int, limit int, out [][]state.Row) error {
	before := partitions[part[0]]
	last := len(before) - 1
	values, places := make([]state.Value, 0, len(part)), map[state.Value][]int{}
	for _, i := range part {
		v := partitions[i][last]
		if places[v] == nil {
			values = append(values, v)
		}
		places[v] = append(places[v], i)
	}
	args := append(arguments(t.Partition[:last], before[:last]), list(t.Partition[last].Type, values), limit)
	columns := slices.Concat(t.Partition[last:], t.Clustering, t.Cells)
	row := scanColumns(columns, len(t.Cells))
	it := s.query(ctx, selectSlices(t), args...).Iter()
	for it.Scan(row.dests...) {
		for _, i := range places[row.values[0].Value] {
			out[i] = append(out[i], row.rowFrom(1, t, partitions[i]))
		}
	}
	return kindOf(it.Close())
}
