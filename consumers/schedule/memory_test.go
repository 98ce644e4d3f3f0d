package schedule

import (
	"context"
	"maps"
	"slices"
	"sync"
	"testing"

	"millrace/schema"
	"millrace/streams/state"
	"millrace/streams/state/statetest"
)

// memory is a Store without durability: it lets a test crash a thousand times in
// a second. It passes the suite that every Store passes.
type memory struct {
	mu     sync.Mutex
	closed bool
	parts  map[string]*memPart
	reads  int
}

type memPart struct {
	drop  int64
	rows  map[string]*memRow
	order []string // ids, sorted; nil = not known
}

func (p *memPart) sorted() []string {
	if p.order == nil {
		p.order = slices.Sorted(maps.Keys(p.rows))
	}
	return p.order
}

type memRow struct {
	key         state.Key
	live, death int64
	cells       state.Cells
	times       []int64
}

func newMemory() *memory { return &memory{parts: map[string]*memPart{}} }

func TestMemoryStore(t *testing.T) {
	statetest.Run(t, func(*testing.T) state.Store { return newMemory() })
}

func (m *memory) begin(ctx context.Context, err error) error {
	if err == nil {
		err = ctx.Err()
	}
	if m.closed {
		err = state.ErrClosed
	}
	return err
}

func (m *memory) part(t *schema.Table, key state.Key) *memPart {
	id := t.Name + "\x00" + string(state.AppendKey(nil, t, key[:len(t.Partition)]))
	p := m.parts[id]
	if p == nil {
		p = &memPart{rows: map[string]*memRow{}}
		m.parts[id] = p
	}
	return p
}

func (m *memory) Get(ctx context.Context, t *schema.Table, key state.Key) (state.Cells, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.reads++
	if err := m.begin(ctx, state.CheckGet(t, key)); err != nil {
		return nil, err
	}
	r, ok := m.part(t, key).get(string(state.AppendKey(nil, t, key)))
	if !ok {
		return nil, state.ErrNotFound
	}
	return r.Cells, nil
}

func (m *memory) GetMany(ctx context.Context, t *schema.Table, key state.Key, last []state.Value) ([]state.Row, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.reads++
	if err := m.begin(ctx, state.CheckMany(t, key, last)); err != nil {
		return nil, err
	}
	var out []state.Row
	seen := map[string]bool{}
	for _, v := range last {
		id := string(state.AppendKey(nil, t, append(slices.Clone(key), v)))
		if r, ok := m.part(t, key).get(id); ok && !seen[id] {
			out = append(out, r)
		}
		seen[id] = true
	}
	slices.SortFunc(out, func(a, b state.Row) int {
		return slices.Compare(state.AppendKey(nil, t, a.Key), state.AppendKey(nil, t, b.Key))
	})
	return out, nil
}

func (m *memory) Slice(ctx context.Context, t *schema.Table, partition state.Key, from []state.Value, limit int) ([]state.Row, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.reads++
	if err := m.begin(ctx, state.CheckSlice(t, partition, from, limit)); err != nil {
		return nil, err
	}
	p := m.part(t, partition)
	first := string(state.AppendKey(nil, t, slices.Concat(partition, from)))
	var out []state.Row
	at, _ := slices.BinarySearch(p.sorted(), first)
	for _, id := range p.order[at:] {
		if len(out) == limit {
			break
		}
		if r, ok := p.get(id); ok {
			out = append(out, r)
		}
	}
	return out, nil
}

func (m *memory) Write(ctx context.Context, groups ...[]state.Mutation) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.begin(ctx, state.CheckWrite(groups...)); err != nil {
		return err
	}
	for _, g := range groups {
		for i := range g {
			m.part(g[i].Table, g[i].Key).apply(&g[i])
		}
	}
	return nil
}

func (m *memory) Drop(ctx context.Context, t *schema.Table, partition state.Key, ts int64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.begin(ctx, state.CheckDrop(t, partition, ts)); err != nil {
		return err
	}
	p := m.part(t, partition)
	p.drop = max(p.drop, ts)
	return nil
}

func (m *memory) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	return nil
}

func (p *memPart) apply(m *state.Mutation) {
	id := string(state.AppendKey(nil, m.Table, m.Key))
	r := p.rows[id]
	if r == nil {
		r = &memRow{key: slices.Clone(m.Key), cells: make(state.Cells, len(m.Table.Cells)), times: make([]int64, len(m.Table.Cells))}
		p.rows[id], p.order = r, nil
	}
	if m.Delete {
		r.death = max(r.death, m.TS)
		return
	}
	r.live = max(r.live, m.TS)
	for i, v := range m.Cells {
		if v.IsSet() && (m.TS > r.times[i] || m.TS == r.times[i] && bigger(v, r.cells[i])) {
			r.cells[i], r.times[i] = v, m.TS
		}
	}
}

func bigger(a, b state.Value) bool {
	if a.Str() != b.Str() {
		return a.Str() > b.Str()
	}
	return uint64(a.Num()) > uint64(b.Num())
}

func (p *memPart) get(id string) (state.Row, bool) {
	r := p.rows[id]
	if r == nil {
		return state.Row{}, false
	}
	death := max(r.death, p.drop)
	if r.live <= death {
		return state.Row{}, false
	}
	row := state.Row{Key: r.key, Cells: make(state.Cells, len(r.cells))}
	for i, ts := range r.times {
		if ts > death {
			row.Cells[i] = r.cells[i]
			row.TS = max(row.TS, ts)
		}
	}
	return row, true
}
