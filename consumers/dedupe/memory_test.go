package dedupe

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"millrace/schema"
	"millrace/streams/state"
	"millrace/streams/state/statetest"
)

// memory is a small state.Store whose Write can be torn: unlike the embedded
// store it does not write groups at once.
type memory struct {
	mu     sync.Mutex
	rows   map[string]*memoryRow
	order  map[string][]string // ids of rows in order, by partition
	drops  map[string]int64
	closed bool

	fail func(ctx context.Context, groups [][]state.Mutation) ([][]state.Mutation, error) // what of a Write is durable
	read func() error                                                                     // before every read
}

type memoryRow struct {
	table         *schema.Table
	key           state.Key
	deleted, live int64
	cells         state.Cells
	times         []int64
}

func newMemory() *memory {
	return &memory{rows: map[string]*memoryRow{}, order: map[string][]string{}, drops: map[string]int64{}}
}

func TestTheStoreOfTheseTestsKeepsTheContract(t *testing.T) {
	statetest.Run(t, func(*testing.T) state.Store { return newMemory() })
}

func name(t *schema.Table, key state.Key) string {
	return string(state.AppendKey([]byte(t.Name+"\x00"), t, key))
}

func (m *memory) begin(ctx context.Context) error {
	if m.closed {
		return state.ErrClosed
	}
	if m.read != nil {
		if err := m.read(); err != nil {
			return err
		}
	}
	return ctx.Err()
}

func (m *memory) Get(ctx context.Context, t *schema.Table, key state.Key) (state.Cells, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := errors.Join(state.CheckGet(t, key), m.begin(ctx)); err != nil {
		return nil, err
	}
	if row, ok := m.row(name(t, key)); ok {
		return row.Cells, nil
	}
	return nil, state.ErrNotFound
}

func (m *memory) GetMany(ctx context.Context, t *schema.Table, key state.Key, last []state.Value) ([]state.Row, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := errors.Join(state.CheckMany(t, key, last), m.begin(ctx)); err != nil {
		return nil, err
	}
	ids := map[string]bool{}
	for _, v := range last {
		ids[name(t, append(slices.Clone(key), v))] = true
	}
	var rows []state.Row
	for _, id := range slices.Sorted(maps.Keys(ids)) {
		if row, ok := m.row(id); ok {
			rows = append(rows, row)
		}
	}
	return rows, nil
}

func (m *memory) Slice(ctx context.Context, t *schema.Table, partition state.Key, from []state.Value, limit int) ([]state.Row, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := errors.Join(state.CheckSlice(t, partition, from, limit), m.begin(ctx)); err != nil {
		return nil, err
	}
	ids := m.order[name(t, partition)]
	i, _ := slices.BinarySearch(ids, name(t, slices.Concat(partition, from)))
	var rows []state.Row
	for _, id := range ids[i:] {
		if row, ok := m.row(id); ok && len(rows) < limit {
			rows = append(rows, row)
		}
		if len(rows) == limit {
			break
		}
	}
	return rows, nil
}

func (m *memory) Write(ctx context.Context, groups ...[]state.Mutation) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := errors.Join(state.CheckWrite(groups...), ctx.Err()); err != nil {
		return err
	}
	if m.closed {
		return state.ErrClosed
	}
	var failed error
	if m.fail != nil {
		groups, failed = m.fail(ctx, groups)
	}
	for _, g := range groups {
		for _, mutation := range g {
			m.apply(mutation)
		}
	}
	return failed
}

func (m *memory) Drop(ctx context.Context, t *schema.Table, partition state.Key, ts int64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := errors.Join(state.CheckDrop(t, partition, ts), m.begin(ctx)); err != nil {
		return err
	}
	p := name(t, partition)
	m.drops[p] = max(m.drops[p], ts)
	return nil
}

func (m *memory) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	return nil
}

func (m *memory) apply(w state.Mutation) {
	id := name(w.Table, w.Key)
	r := m.rows[id]
	if r == nil {
		r = &memoryRow{table: w.Table, key: w.Key, cells: make(state.Cells, len(w.Table.Cells)), times: make([]int64, len(w.Table.Cells))}
		m.rows[id] = r
		p := name(w.Table, w.Key[:len(w.Table.Partition)])
		i, _ := slices.BinarySearch(m.order[p], id)
		m.order[p] = slices.Insert(m.order[p], i, id)
	}
	if w.Delete {
		r.deleted = max(r.deleted, w.TS)
		return
	}
	r.live = max(r.live, w.TS)
	for i, v := range w.Cells {
		if v.IsSet() && (w.TS > r.times[i] || w.TS == r.times[i] && larger(v, r.cells[i])) {
			r.cells[i], r.times[i] = v, w.TS
		}
	}
}

func larger(a, b state.Value) bool {
	if a.Str() != b.Str() {
		return a.Str() > b.Str()
	}
	return uint64(a.Num()) > uint64(b.Num())
}

// row returns a row as readers see it.
func (m *memory) row(id string) (state.Row, bool) {
	r := m.rows[id]
	if r == nil {
		return state.Row{}, false
	}
	dead := max(r.deleted, m.drops[name(r.table, r.key[:len(r.table.Partition)])])
	row := state.Row{Key: r.key, Cells: make(state.Cells, len(r.cells))}
	for i, ts := range r.times {
		if ts > dead {
			row.Cells[i], row.TS = r.cells[i], max(row.TS, ts)
		}
	}
	return row, r.live > dead
}

// dump returns the rows of the group's tables, without the journal and fold.from.
func (m *memory) dump() map[string]string {
	out := map[string]string{}
	for id, r := range m.rows {
		row, ok := m.row(id)
		if !ok || r.table.Name == schema.Fold.Name {
			continue
		}
		var cells []string
		for _, v := range row.Cells {
			cells = append(cells, v.String())
		}
		out[id] = strings.Join(cells, " ")
	}
	return out
}
