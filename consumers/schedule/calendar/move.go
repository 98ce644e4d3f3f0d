package calendar

import (
	"context"
	"errors"

	"millrace/consumers/schedule/table"
	"millrace/schema"
	"millrace/streams/state"
)

// ErrCursor is the error of a cursor that no wheel has made.
var ErrCursor = errors.New("a cursor that is none")

// step is the work of one Tick on one shard.
type step struct {
	shard int // index of the shard
	alive []Item
	slot  int64   // all slots before it are done
	drops []int64 // days whose slots are all done
}

// Move moves up to StepRows items of the slots up to c.Limit: it calls queue for those that are
// still wanted. It returns the cursor to continue with, or nil. The first Tick that touches a shard
// closes these slots, so that no row is added behind the cursor. now is the record's time: slots
// that end later are not moved.
func (w *Wheel) Move(ctx context.Context, c *schema.WheelCursor, ts, now int64, queue func(Item)) (*schema.WheelCursor, error) {
	if c.Shard < 0 || int(c.Shard) > len(w.rows) || c.Slot < 0 {
		return nil, ErrCursor
	}
	limit := min(c.Limit, SlotOf(now)-1)
	steps, more, err := w.plan(ctx, c, limit)
	if err != nil {
		return nil, err
	}
	for _, s := range steps {
		for _, x := range s.alive {
			queue(x)
		}
		w.moved(s, limit, ts)
	}
	if c.Owner != w.chain {
		return nil, nil // the chain of an earlier owner: this owner begins its own
	}
	if w.since = now; more == nil {
		w.chain = 0
	}
	return more, nil
}

// moved stores a step in the shard's row and drops the days that are done.
func (w *Wheel) moved(s step, limit, ts int64) {
	row := w.rows[s.shard]
	row.Open, row.Slot, row.At = max(row.Open, limit+1), max(row.Slot, s.slot), max(row.At, ts)
	for _, day := range s.drops {
		w.batch.Drop(schema.Later, table.Later(w.Shard(s.shard), day), ts)
	}
	w.batch.Put(table.GroupShards, state.Mutation{Table: schema.ShardTable, TS: ts,
		Key: table.Shard(w.Shard(s.shard)), Cells: state.Cells{table.Encode(row)}})
}

// plan reads what one Tick is to move.
func (w *Wheel) plan(ctx context.Context, c *schema.WheelCursor, limit int64) (steps []step, more *schema.WheelCursor, err error) {
	room := budget{StepRows, StepReads}
	for i := int(c.Shard); i < len(w.rows); i++ {
		row := w.rows[i]
		if row == nil || row.Slot > limit {
			continue
		}
		at := Item{Slot: row.Slot}
		if i == int(c.Shard) && c.Slot >= row.Slot {
			at = Item{Slot: c.Slot, Host: schema.Host(c.Host), Path: c.Path}
		}
		s, next, err := w.planShard(ctx, i, at, limit, &room)
		if err != nil {
			return nil, nil, err
		}
		steps = append(steps, s)
		if next != nil {
			return steps, &schema.WheelCursor{Limit: c.Limit, Owner: c.Owner, Shard: int32(i),
				Slot: next.Slot, Host: string(next.Host), Path: next.Path}, nil
		}
	}
	return steps, nil, nil
}

// budget is how many rows and reads a Tick has left.
type budget struct{ rows, reads int }

// planShard reads the days of a shard, after an item. If the budget ends before, it returns the
// item after which to continue.
func (w *Wheel) planShard(ctx context.Context, i int, at Item, limit int64, room *budget) (step, *Item, error) {
	s := step{shard: i, slot: at.Slot}
	shard := w.Shard(i)
	for day := DayOf(shard, at.Slot); day <= DayOf(shard, limit); day++ {
		if room.rows <= 0 || room.reads <= 0 {
			return s, &at, nil
		}
		from := []state.Value{state.Num(at.Slot)}
		if at.Host != "" {
			from = after(at)
		}
		rows, err := w.batch.Slice(ctx, schema.Later, table.Later(shard, day), from, room.rows)
		if err != nil {
			return s, nil, err
		}
		items := itemsOf(rows, limit)
		alive, err := w.alive(ctx, items)
		if err != nil {
			return s, nil, err
		}
		s.alive = append(s.alive, alive...)
		if len(items) == room.rows {
			at = items[len(items)-1]
			s.slot = at.Slot
			return s, &at, nil
		}
		room.rows -= len(items)
		room.reads--
		s.slot = min(limit+1, (day+1)*daySlots-int64(shard)%daySlots)
		at = Item{Slot: s.slot}
		if DayOf(shard, s.slot) > day {
			s.drops = append(s.drops, day)
		}
	}
	return s, nil, nil
}
