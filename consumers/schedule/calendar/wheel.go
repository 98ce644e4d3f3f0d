package calendar

import (
	"context"
	"math/rand/v2"
	"time"

	"millrace/consumers/schedule/policy"
	"millrace/consumers/schedule/table"
	"millrace/schema"
	"millrace/streams/heap"
	"millrace/streams/state"
)

// Start values that no operator needs to change.
const (
	SlotTime  = 10 * time.Minute
	StepRows  = 1000                 // rows that one record moves at most
	StepReads = 256                  // and partitions that it reads
	Farthest  = 400 * 24 * time.Hour // nothing is due later
	slotAhead = 2 * time.Minute      // a slot is loaded so long before it begins
	daySlots  = 144
)

// Batch is where the wheel reads and stages its rows.
type Batch interface {
	Put(group int, m state.Mutation)
	Drop(t *schema.Table, partition state.Key, ts int64)
	Slice(ctx context.Context, t *schema.Table, partition state.Key, from []state.Value, limit int) ([]state.Row, error)
}

// Item is a URL that is due in the future.
type Item struct {
	Host  schema.Host
	Path  string
	Class int32
	Rev   int64 // of its row when it was put here
	Slot  int64
	Due   int64 // ms
}

// Alive returns those of the items of one slot or more whose URLs still want them,
// in order, with the time that their rows say.
type Alive func(ctx context.Context, items []Item) ([]Item, error)

// Wheel is the calendar of one partition's shards.
type Wheel struct {
	batch   Batch
	alive   Alive
	id, n   int                // partition, of so many
	rows    []*schema.ShardRow // of the shards of this partition; nil = has no slots
	timers  [2]heap.Heap[Item] // first fetches, retries, deferrals; and re-crawls
	load    cursor
	horizon int64 // slots before are in timers

	chain uint64 // of Ticks that is at work; 0 = none
	asked int64  // the limit of the last chain
	since int64  // ms: when its last Tick was sent
}

// cursor is how far a slot is loaded.
type cursor struct {
	slot  int64
	shard int
	from  []state.Value
}

// New returns a wheel whose shards are not read yet (Read).
func New(b Batch, alive Alive, partition, count int32) *Wheel {
	w := &Wheel{batch: b, alive: alive, id: int(partition), n: int(count)}
	w.rows = make([]*schema.ShardRow, (schema.Shards-w.id+w.n-1)/w.n)
	for i := range w.timers {
		w.timers[i].Less = func(a, b Item) bool { return a.Due < b.Due }
	}
	return w
}

// SlotOf is the slot of a time.
func SlotOf(ms int64) int64 { return ms / SlotTime.Milliseconds() }

func startOf(slot int64) int64 { return slot * SlotTime.Milliseconds() }

// DayOf is the day of a shard that a slot stands in.
func DayOf(shard int, slot int64) int64 { return (slot + int64(shard)%daySlots) / daySlots }

// Shards is the number of shards.
func (w *Wheel) Shards() int { return len(w.rows) }

// Shard is the number of the i-th shard of this partition.
func (w *Wheel) Shard(i int) int { return w.id + i*w.n }

// Index is the place of a host's shard among those of this partition.
func (w *Wheel) Index(h schema.Host) int { return schema.Shard(h) / w.n }

// Read reads where the shards stand.
func (w *Wheel) Read(ctx context.Context, s table.Reader) error {
	for i := range w.rows {
		row := &schema.ShardRow{}
		found, err := table.Read(ctx, s, schema.ShardTable, table.Shard(w.Shard(i)), row)
		if err != nil {
			return err
		}
		if found {
			w.rows[i] = row
		}
	}
	return nil
}

// Put stages a row for an item, in a slot that takes rows, and returns when the
// item is due there: as asked, or later if that slot is closed. A replay (first =
// false) stages nothing.
func (w *Wheel) Put(x Item, ts, now int64, first bool) int64 {
	i := w.Index(x.Host)
	shard := w.Shard(i)
	row := w.rows[i]
	if row == nil {
		row = &schema.ShardRow{At: ts, Slot: SlotOf(now), Open: SlotOf(now)}
		w.rows[i] = row
		w.batch.Put(table.GroupQueues, state.Mutation{Table: schema.ShardTable, TS: ts,
			Key: table.Shard(shard), Cells: state.Cells{table.Encode(row)}})
	}
	x.Due = min(x.Due, now+Farthest.Milliseconds())
	if x.Slot = SlotOf(x.Due); x.Slot < row.Open {
		x.Slot, x.Due = row.Open, startOf(row.Open)
	}
	if first {
		w.batch.Put(table.GroupQueues, state.Mutation{Table: schema.Later, TS: ts,
			Key:   append(table.Later(shard, DayOf(shard, x.Slot)), state.Num(x.Slot), state.Str(string(x.Host)), state.Str(x.Path)),
			Cells: state.Cells{state.Num(int64(x.Class)), state.Num(x.Rev)}})
	}
	if x.Slot < max(w.horizon, w.load.slot+1) {
		w.start(x)
	}
	return x.Due
}

// Passed reports whether an item of that time stands in no slot any more: its slot
// was closed, and what was in it moved to queues.
func (w *Wheel) Passed(h schema.Host, due int64) bool {
	row := w.rows[w.Index(h)]
	return row == nil || SlotOf(due) < row.Open
}

func (w *Wheel) start(x Item) {
	i := 0
	if x.Class >= policy.ClassRecrawl && x.Class < policy.ClassRest {
		i = 1
	}
	w.timers[i].Push(x)
}

// Timers is the number of URLs that wait in memory.
func (w *Wheel) Timers() int { return w.timers[0].Len() + w.timers[1].Len() }

// Next is when the next timer of a first fetch, retry or deferral rings; 0 = none.
func (w *Wheel) Next() int64 {
	if w.timers[0].Len() == 0 {
		return 0
	}
	return w.timers[0].Top().Due
}

// Horizon is the time before which everything that is due is in timers.
func (w *Wheel) Horizon() int64 { return startOf(w.horizon) }

// Ring calls due for the items whose time has come, at most StepRows of a kind. An
// item leaves its timer when due returns without an error.
func (w *Wheel) Ring(now int64, due func(Item) error) error {
	for i := range w.timers {
		t := &w.timers[i]
		for n := 0; n < StepRows && t.Len() > 0 && t.Top().Due <= now; n++ {
			if err := due(t.Top()); err != nil {
				return err
			}
			t.Pop()
		}
	}
	return nil
}

// Load reads a part of the slot that begins next, if it is time.
func (w *Wheel) Load(ctx context.Context, now int64) error {
	if w.horizon == 0 { // what is older is moved, not loaded
		w.horizon = SlotOf(now)
		w.load.slot = w.horizon - 1
	}
	if SlotOf(now+slotAhead.Milliseconds()) < w.horizon {
		return nil
	}
	if w.load.slot < w.horizon {
		w.load = cursor{slot: w.horizon}
	}
	for reads := 0; reads < StepReads && w.load.shard < len(w.rows); reads++ {
		if w.rows[w.load.shard] == nil {
			w.load.shard++
			continue
		}
		n, err := w.loadSome(ctx)
		if err != nil {
			return err
		}
		reads += n / 8
	}
	if w.load.shard >= len(w.rows) {
		w.horizon = w.load.slot + 1
	}
	return nil
}

// loadSome reads up to StepRows rows of the slot, of one shard.
func (w *Wheel) loadSome(ctx context.Context) (int, error) {
	shard, slot := w.Shard(w.load.shard), w.load.slot
	from := w.load.from
	if from == nil {
		from = []state.Value{state.Num(slot)}
	}
	rows, err := w.batch.Slice(ctx, schema.Later, table.Later(shard, DayOf(shard, slot)), from, StepRows)
	if err != nil {
		return 0, err
	}
	items := itemsOf(rows, slot)
	alive, err := w.alive(ctx, items)
	if err != nil {
		return 0, err
	}
	for _, x := range alive {
		w.start(x)
	}
	if len(items) < StepRows {
		w.load.shard, w.load.from = w.load.shard+1, nil
	} else {
		w.load.from = after(items[len(items)-1])
	}
	return len(items), nil
}

// itemsOf decodes rows up to a slot.
func itemsOf(rows []state.Row, limit int64) []Item {
	out := make([]Item, 0, len(rows))
	for _, r := range rows {
		x := Item{Slot: r.Key[2].Num(), Host: schema.Host(r.Key[3].Str()), Path: r.Key[4].Str(),
			Class: int32(r.Cells[0].Num()), Rev: r.Cells[1].Num()}
		if x.Slot > limit {
			break
		}
		out = append(out, x)
	}
	return out
}

// after returns the clustering values right behind an item.
func after(x Item) []state.Value {
	return []state.Value{state.Num(x.Slot), state.Str(string(x.Host)), state.Str(x.Path + "\x00")}
}

// restart is how long (ms) a chain of Ticks may be silent before another is begun.
const restart = int64(10 * time.Minute / time.Millisecond)

// Begin returns the first Tick of a chain that moves what is over, or nil if there
// is nothing to move or a chain is at work.
func (w *Wheel) Begin(now int64) *schema.WheelCursor {
	limit := SlotOf(now) - 1
	if w.chain != 0 && now-w.since < restart && now >= w.since || w.asked == limit && w.chain == 0 {
		return nil
	}
	over := false
	for _, r := range w.rows {
		over = over || r != nil && r.Slot <= limit
	}
	if !over {
		return nil
	}
	w.chain, w.asked, w.since = rand.Uint64()|1, limit, now
	return &schema.WheelCursor{Limit: limit, Owner: w.chain}
}
