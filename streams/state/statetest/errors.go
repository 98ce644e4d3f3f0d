package statetest

import (
	"context"
	"errors"
	"strings"
	"testing"

	"millrace/schema"
	"millrace/streams/state"
)

func wrongCalls(c *suite) {
	good := state.Mutation{Table: chunks(), Key: c.key(1), TS: 1, Cells: values("v", 1)}
	for name, change := range map[string]func(*state.Mutation){
		"no table":             func(m *state.Mutation) { m.Table = nil },
		"short key":            func(m *state.Mutation) { m.Key = c.key() },
		"long key":             func(m *state.Mutation) { m.Key = c.key(1, 2) },
		"unset key":            func(m *state.Mutation) { m.Key = c.key(nil) },
		"key of another type":  func(m *state.Mutation) { m.Key = c.key("1") },
		"number too large":     func(m *state.Mutation) { m.Key = c.key(int64(1) << 31) },
		"number too small":     func(m *state.Mutation) { m.Cells = values("v", -int64(1)<<31-1) },
		"key too large":        func(m *state.Mutation) { m.Key = state.Key(values(strings.Repeat("k", 1<<16), 1)) },
		"empty partition key":  func(m *state.Mutation) { m.Key = state.Key(values("", 1)) },
		"text not UTF-8":       func(m *state.Mutation) { m.Cells = values("\xff", 1) },
		"cell of another type": func(m *state.Mutation) { m.Cells = values(1, 1) },
		"too few cells":        func(m *state.Mutation) { m.Cells = values("v") },
		"row too large":        func(m *state.Mutation) { m.Cells = values(strings.Repeat("x", state.MaxRowBytes), 1) },
		"delete with cells":    func(m *state.Mutation) { m.Delete = true },
		"no timestamp":         func(m *state.Mutation) { m.TS = 0 },
	} {
		bad := good
		change(&bad)
		c.wantInvalid(name, c.s.Write(c.ctx, []state.Mutation{good}, []state.Mutation{bad}))
	}
	c.wantNone(chunks(), good.Key)
	_, err := c.s.Get(c.ctx, chunks(), c.key())
	c.wantInvalid("Get of a partition", err)
	_, err = c.s.GetMany(c.ctx, chunks(), c.key(1), values(1))
	c.wantInvalid("GetMany with a whole key", err)
	_, err = c.s.GetMany(c.ctx, chunks(), c.key(), values("x"))
	c.wantInvalid("GetMany of another type", err)
	_, err = c.s.GetMany(c.ctx, chunks(), c.key(), make([]state.Value, state.MaxKeys+1))
	c.wantInvalid("GetMany of too many", err)
	_, err = c.s.GetMany(c.ctx, schema.Polite, nil, values("x"))
	c.wantInvalid("GetMany without clustering", err)
	_, err = c.s.Slice(c.ctx, chunks(), c.key(), nil, 0)
	c.wantInvalid("Slice without limit", err)
	_, err = c.s.Slice(c.ctx, chunks(), c.key(), values(1, 2), 1)
	c.wantInvalid("Slice from a long key", err)
	c.wantInvalid("Drop of a row", c.s.Drop(c.ctx, chunks(), c.key(1), 1))
	c.wantInvalid("Drop elsewhere", c.s.Drop(c.ctx, bare(), c.key(), 1))
	c.wantInvalid("Drop without timestamp", c.s.Drop(c.ctx, chunks(), c.key(), 0))
}

func (c *suite) wantInvalid(what string, err error) {
	c.Helper()
	if !errors.Is(err, state.ErrInvalid) {
		c.Errorf("%s: %v, want ErrInvalid", what, err)
	}
}

func cancelled(c *suite) {
	c.put(chunks(), c.key(1), 1, "v", 1)
	ctx, cancel := context.WithCancel(c.ctx)
	cancel()
	for call, err := range calls(ctx, c.s, c.name) {
		if !errors.Is(err, context.Canceled) {
			c.Errorf("%s: %v, want context.Canceled", call, err)
		}
	}
	c.wantRow(chunks(), c.key(1), "v", 1)
	c.wantNone(chunks(), c.key(2))
}

func closed(t *testing.T, s state.Store) {
	for range 2 {
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	}
	for call, err := range calls(t.Context(), s, t.Name()) {
		if !errors.Is(err, state.ErrClosed) {
			t.Errorf("%s: %v, want ErrClosed", call, err)
		}
	}
}

// calls makes one right call of each kind.
func calls(ctx context.Context, s state.Store, partition string) map[string]error {
	p := state.Key{state.Str(partition)}
	_, get := s.Get(ctx, chunks(), state.Key{p[0], state.Num(1)})
	_, many := s.GetMany(ctx, chunks(), p, values(1))
	_, slice := s.Slice(ctx, chunks(), p, nil, 1)
	m := state.Mutation{Table: chunks(), Key: state.Key{p[0], state.Num(2)}, TS: 1, Cells: values("w", 1)}
	return map[string]error{"Get": get, "GetMany": many, "Slice": slice,
		"Write": s.Write(ctx, []state.Mutation{m}), "Drop": s.Drop(ctx, chunks(), p, 9)}
}
