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
// clustering columns whose keys differ in the last value only are asked for together, also with
// those of other calls (lane); the node that is asked gets them from where they are.
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
	rows := make([]asked, len(list))
	byTable := map[*schema.Table][]*asked{}
	for i, w := range list {
		rows[i] = asked{table: w.Table, key: w.Key}
		byTable[w.Table] = append(byTable[w.Table], &rows[i])
	}
	err := eachTable(byTable, func(t *schema.Table, rows []*asked) error {
		if len(t.Clustering) > 0 {
			return first(s.askAll(ctx, rows))
		}
		return s.lanes.of(t).send(ctx, rows)
	})
	if err != nil {
		return nil, fmt.Errorf("get %d rows: %w", len(list), err)
	}
	out := make([]state.Cells, len(list))
	for i := range rows {
		out[i] = rows[i].cells
	}
	return out, nil
}

// eachTable calls fn for every table, at the same time, and returns an error of one of them.
func eachTable[T any](byTable map[*schema.Table][]T, fn func(*schema.Table, []T) error) error {
	if len(byTable) == 1 { // without a goroutine
		for t, list := range byTable {
			return fn(t, list)
		}
	}
	var wg sync.WaitGroup
	errs := make(chan error, len(byTable))
	for t, list := range byTable {
		wg.Go(func() { errs <- fn(t, list) })
	}
	wg.Wait()
	close(errs)
	for err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// asked is a row that is asked for; cells stay nil if there is none.
type asked struct {
	table *schema.Table
	key   state.Key
	cells state.Cells
}

// askAll reads rows, and returns the error of each; nil if none failed.
func (s *Store) askAll(ctx context.Context, list []*asked) []error {
	return eachPart(list, together(list), func(part []int) error { return s.ask(ctx, list, part) })
}

// eachPart calls fn for parts of a list, by index, at the same time, at most asks. It returns the
// error of each item of list; nil if none failed.
func eachPart[T any](list []T, parts [][]int, fn func([]int) error) (errs []error) {
	var mu sync.Mutex
	one := func(part []int) {
		err := fn(part)
		if err == nil {
			return
		}
		mu.Lock()
		defer mu.Unlock()
		if errs == nil {
			errs = make([]error, len(list))
		}
		for _, i := range part {
			errs[i] = err
		}
	}
	if len(parts) == 1 { // without a goroutine
		one(parts[0])
		return errs
	}
	var wg sync.WaitGroup
	free := make(chan struct{}, asks)
	for _, part := range parts {
		free <- struct{}{}
		wg.Go(func() {
			defer func() { <-free }()
			one(part)
		})
	}
	wg.Wait()
	return errs
}

// first returns the first error of a list.
func first(errs []error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// together splits list, by index, into what one request can ask for.
func together(list []*asked) [][]int {
	var out [][]int
	open := map[alike]int{} // index in out
	for i, w := range list {
		if len(w.table.Clustering) > 0 {
			out = append(out, []int{i})
			continue
		}
		out = join(out, open, alikeOf(w.table, w.key), i)
	}
	return out
}

// alike partitions can be asked for in one request: their keys differ in the last value.
type alike struct {
	table  *schema.Table
	before string // the values before the last
}

func alikeOf(t *schema.Table, partition state.Key) alike {
	kind := alike{table: t}
	if last := len(partition) - 1; last > 0 {
		kind.before = fmt.Sprint(partition[:last])
	}
	return kind
}

// join adds item i to the last part of its kind, or to a new one if that has askRows. open is the
// index in out of the last part of a kind.
func join(out [][]int, open map[alike]int, kind alike, i int) [][]int {
	at, ok := open[kind]
	if !ok || len(out[at]) == askRows {
		at = len(out)
		out = append(out, nil)
		open[kind] = at
	}
	out[at] = append(out[at], i)
	return out
}

// ask reads the rows list[i] for all i of part.
func (s *Store) ask(ctx context.Context, wanted []*asked, part []int) error {
	t, k := wanted[part[0]].table, wanted[part[0]].key
	if len(part) == 1 {
		cells, err := s.get(ctx, t, k)
		if err != nil && !errors.Is(err, state.ErrNotFound) {
			return err
		}
		wanted[part[0]].cells = cells
		return nil
	}
	last := len(k) - 1
	values, places := make([]state.Value, 0, len(part)), map[state.Value][]int{}
	for _, i := range part {
		v := wanted[i].key[last]
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
			wanted[i].cells = row.take(1, len(t.Cells))
		}
	}
	if err := kindOf(it.Close()); err != nil {
		return fmt.Errorf("get %d rows of %s: %w", len(part), t.Name, err)
	}
	return nil
}
