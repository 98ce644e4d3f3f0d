package statetest

import (
	"errors"
	"reflect"
	"slices"
	"strconv"

	"pgregory.net/rapid"

	"millrace/streams/state"
)

// reference is the contract in its simplest form: it keeps every mutation of one partition and
// computes each answer from all of them.
type reference struct {
	log   []state.Mutation
	drops []int64
}

func (r *reference) get(seq int64) (state.Row, bool) {
	var dead int64
	for _, ts := range r.drops {
		dead = max(dead, ts)
	}
	var live int64
	for _, m := range r.log {
		if m.Key[1].Num() == seq && m.Delete {
			dead = max(dead, m.TS)
		}
		if m.Key[1].Num() == seq && !m.Delete {
			live = max(live, m.TS)
		}
	}
	row := state.Row{Cells: make(state.Cells, len(chunks().Cells))}
	times := make([]int64, len(row.Cells))
	for _, m := range r.log {
		if m.Key[1].Num() != seq || m.Delete || m.TS <= dead {
			continue
		}
		row.Key = m.Key
		for i, v := range m.Cells {
			if v.IsSet() && (m.TS > times[i] || m.TS == times[i] && larger(v, row.Cells[i])) {
				row.Cells[i], times[i] = v, m.TS
			}
		}
		row.TS = slices.Max(times)
	}
	return row, live > dead
}

func larger(a, b state.Value) bool {
	if a.Str() != b.Str() {
		return a.Str() > b.Str()
	}
	return uint32(a.Num()) > uint32(b.Num())
}

const modelRows = 4

// model writes at random, with few timestamps so that there are many ties, and compares every way
// of reading with the reference.
func model(c *suite) {
	checks := 0
	rapid.Check(c.T, func(t *rapid.T) {
		checks++
		p := state.Str(c.name + strconv.Itoa(checks))
		ref := &reference{}
		for range rapid.IntRange(1, 6).Draw(t, "writes") {
			if rapid.IntRange(0, 5).Draw(t, "drop?") == 0 {
				ts := rapid.Int64Range(1, 5).Draw(t, "drop ts")
				ref.drops = append(ref.drops, ts)
				if err := c.s.Drop(c.ctx, chunks(), state.Key{p}, ts); err != nil {
					t.Fatalf("Drop: %v", err)
				}
			}
			groups := rapid.SliceOfN(rapid.SliceOfN(mutation(p), 0, 4), 1, 3).Draw(t, "groups")
			if err := c.s.Write(c.ctx, groups...); err != nil {
				t.Fatalf("Write: %v", err)
			}
			ref.log = append(ref.log, slices.Concat(groups...)...)
			c.compare(t, ref, p)
		}
	})
}

func mutation(p state.Value) *rapid.Generator[state.Mutation] {
	return rapid.Custom(func(t *rapid.T) state.Mutation {
		m := state.Mutation{Table: chunks(),
			Key: state.Key{p, state.Num(rapid.Int64Range(0, modelRows-1).Draw(t, "seq"))},
			TS:  rapid.Int64Range(1, 6).Draw(t, "ts")}
		if m.Delete = rapid.IntRange(0, 3).Draw(t, "delete?") == 0; m.Delete {
			return m
		}
		m.Cells = make(state.Cells, 2)
		if rapid.Bool().Draw(t, "a?") {
			m.Cells[0] = state.Str(rapid.SampledFrom([]string{"", "a", "ab", "b", "\x00"}).Draw(t, "a"))
		}
		if rapid.Bool().Draw(t, "b?") {
			m.Cells[1] = state.Num(rapid.Int64Range(-2, 2).Draw(t, "b"))
		}
		return m
	})
}

func (c *suite) compare(t *rapid.T, ref *reference, p state.Value) {
	var want []state.Row
	var keys []state.Value
	for seq := range int64(modelRows) {
		keys = append(keys, state.Num(seq))
		row, ok := ref.get(seq)
		if ok {
			want = append(want, row)
		}
		cells, err := c.s.Get(c.ctx, chunks(), state.Key{p, state.Num(seq)})
		if ok && (err != nil || !reflect.DeepEqual(cells, row.Cells)) || !ok && !errors.Is(err, state.ErrNotFound) {
			t.Fatalf("Get %d = %v, %v, want %v, %v", seq, cells, err, row.Cells, ok)
		}
	}
	many, err := c.s.GetMany(c.ctx, chunks(), state.Key{p}, keys)
	c.same(t, "GetMany", many, err, want)
	rows, err := c.s.Slice(c.ctx, chunks(), state.Key{p}, nil, modelRows)
	c.same(t, "Slice", rows, err, want)
}

func (c *suite) same(t *rapid.T, call string, got []state.Row, err error, want []state.Row) {
	if err != nil || len(got) != len(want) || len(got) > 0 && !reflect.DeepEqual(got, want) {
		t.Fatalf("%s = %v, %v, want %v", call, got, err, want)
	}
}
