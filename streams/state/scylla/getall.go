package scylla

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"millrace/schema"
	"millrace/streams/state"
)

const (
	askRows = 16 // rows of different partitions that one request asks for
	asks    = 64 // requests of one call at the same time
)

// GetAll returns the cells of rows, nil where there is none (state.GetAll). Rows of a table without
// clustering columns whose keys differ in the last value only are asked for together; the node that
// is asked gets them from where they are.
func (s *Store) GetAll(ctx context.Context, list []state.Wanted) ([]state.Cells, error) {
	for _, w := range list {
		if err := state.CheckGet(w.Table, w.Key); err != nil {
			return nil, err
		}
	}
	if err := s.begin(ctx); err != nil {
		return nil, err
	}
	defer s.end()
	out := make([]state.Cells, len(list))
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var wg sync.WaitGroup
	free := make(chan struct{}, asks)
	for _, part := range together(list) {
		free <- struct{}{}
		wg.Go(func() {
			defer func() { <-free }()
			if err := s.ask(ctx, list, part, out); err != nil {
				cancel(err)
			}
		})
	}
	wg.Wait()
	if err := context.Cause(ctx); err != nil {
		return nil, fmt.Errorf("get %d rows: %w", len(list), err)
	}
	return out, nil
}

// together splits list, by index, into what one request can ask for.
func together(list []state.Wanted) [][]int {
	var out [][]int
	type alike struct {
		table  *schema.Table
		before string // the values before the last
	}
	open := map[alike]int{} // index in out
	for i, w := range list {
		if len(w.Table.Clustering) > 0 {
			out = append(out, []int{i})
			continue
		}
		kind := alike{table: w.Table}
		if last := len(w.Key) - 1; last > 0 {
			kind.before = fmt.Sprint(w.Key[:last])
		}
		at, ok := open[kind]
		if !ok || len(out[at]) == askRows {
			at = len(out)
			out = append(out, nil)
			open[kind] = at
		}
		out[at] = append(out[at], i)
	}
	return out
}

// ask reads the rows of list[i] for all i of part into out[i].
func (s *Store) ask(ctx context.Context, wanted []state.Wanted, part []int, out []state.Cells) error {
	t, k := wanted[part[0]].Table, wanted[part[0]].Key
	if len(part) == 1 {
		cells, err := s.get(ctx, t, k)
		if err != nil && !errors.Is(err, state.ErrNotFound) {
			return err
		}
		out[part[0]] = cells
		return nil
	}
	last := len(k) - 1
	values, places := make([]state.Value, 0, len(part)), map[state.Value][]int{}
	for _, i := range part {
		v := wanted[i].Key[last]
		if places[v] == nil {
			values = append(values, v)
		}
		places[v] = append(places[v], i)
	}
	args := append(arguments(t.Partition[:last], k[:last]), list(t.Partition[last].Type, values))
	row := scanColumns(append(t.Partition[last:len(t.Partition):len(t.Partition)], t.Cells...), 0)
	it := s.query(ctx, selectAll(t), args...).Iter()
	for it.Scan(row.dests...) {
		for _, i := range places[row.values[0].Value] {
			out[i] = row.take(1, len(t.Cells))
		}
	}
	if err := kindOf(it.Close()); err != nil {
		return fmt.Errorf("get %d rows of %s: %w", len(part), t.Name, err)
	}
	return nil
}
