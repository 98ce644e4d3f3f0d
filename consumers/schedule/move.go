package schedule

import (
	"context"

	"millrace/schema"
	"millrace/streams/state"
)

// step is one slot of one shard that a Tick moves, or a part of it.
type step struct {
	shard int // index
	slot  int64
	alive []laterRow
	used  bool       // it had rows
	last  bool       // nothing of the slot is left
	end   *state.Row // else the last row moved
}

// move moves up to stepRows rows of slots up to c.Limit. It returns where to go
// on, or nil. A shard is closed for those slots when its first one is touched,
// so that no row comes in behind the cursor.
func (t *task) move(ctx context.Context, in input, c *schema.WheelCursor) (*schema.WheelCursor, error) {
	steps, more, err := t.plan(ctx, c)
	if err != nil {
		return nil, err
	}
	for _, s := range steps {
		for _, l := range s.alive {
			if t.touch(l.host, in.ts) {
				t.append(l.host, l.class, l.url.path, in.ts)
			}
			t.front.place(l.host.lane, t.now)
		}
		t.moved(in, s, c.Limit)
	}
	t.saveShards(in, steps)
	return more, nil
}

// moved notes a step in its shard's row and drops a slot that is empty now.
func (t *task) moved(in input, s step, limit int64) {
	row := t.wheel.rows[s.shard]
	row.Open = max(row.Open, limit+1)
	if !s.last {
		return
	}
	row.Slot = max(row.Slot, s.slot+1)
	if !s.used {
		return
	}
	if err := t.batch.Drop(schema.Later, laterPartition(t.shardOf(s.shard), s.slot), in.ts); err != nil {
		t.invalid = err
	}
}

// saveShards stages the rows of the shards that were touched, once each.
func (t *task) saveShards(in input, steps []step) {
	for n, s := range steps {
		if n+1 < len(steps) && steps[n+1].shard == s.shard {
			continue
		}
		row := t.wheel.rows[s.shard]
		row.At = max(row.At, in.ts)
		t.put(groupShards, state.Mutation{Table: schema.ShardTable, TS: in.ts,
			Key: shardKey(t.shardOf(s.shard)), Cells: state.Cells{encode(row)}})
	}
}

// plan reads what a Tick is to move.
func (t *task) plan(ctx context.Context, c *schema.WheelCursor) (steps []step, more *schema.WheelCursor, err error) {
	rows, reads := 0, 0
	for i := int(c.Shard); i < len(t.wheel.rows); i++ {
		if t.wheel.rows[i] == nil {
			continue
		}
		slot, from := t.wheel.rows[i].Slot, []state.Value(nil)
		if i == int(c.Shard) && c.Slot >= slot {
			slot = c.Slot
			if c.Host != "" {
				from = []state.Value{state.Str(c.Host), state.Str(c.Path + "\x00")}
			}
		}
		for ; slot <= c.Limit; slot++ {
			if rows >= stepRows || reads >= stepReads {
				return steps, &schema.WheelCursor{Limit: c.Limit, Shard: int32(i), Slot: slot}, nil
			}
			s, n, err := t.planSlot(ctx, i, slot, from, stepRows-rows)
			if err != nil {
				return nil, nil, err
			}
			steps, rows, reads, from = append(steps, s), rows+n, reads+1, nil
			if !s.last {
				return steps, &schema.WheelCursor{Limit: c.Limit, Shard: int32(i), Slot: slot,
					Host: s.end.Key[2].Str(), Path: s.end.Key[3].Str()}, nil
			}
		}
	}
	return steps, nil, nil
}

func (t *task) planSlot(ctx context.Context, i int, slot int64, from []state.Value, limit int) (step, int, error) {
	s := step{shard: i, slot: slot, used: from != nil}
	rows, err := t.batch.Slice(ctx, schema.Later, laterPartition(t.shardOf(i), slot), from, limit)
	if err != nil {
		return s, 0, err
	}
	if s.last = len(rows) < limit; !s.last {
		s.end = &rows[len(rows)-1]
	}
	s.used = s.used || len(rows) > 0
	s.alive, err = t.aliveRows(ctx, rows, slot)
	return s, len(rows), err
}
