package calendar

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"

	"millrace/consumers/schedule/policy"
	"millrace/consumers/schedule/table"
	"millrace/schema"
	"millrace/streams/heap"
	"millrace/streams/state"
)

// Values that no operator needs to change.
const (
	SlotTime  = 10 * time.Minute
	StepRows  = 1000                 // most rows that one record moves
	StepReads = 256                  // most partitions that it reads
	Farthest  = 400 * 24 * time.Hour // nothing is due later
	slotAhead = 2 * time.Minute      // how long before it begins a slot is loaded
	daySlots  = 144
)

// Batch reads and stages the wheel's rows.
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
	Rev   int64 // of the URL's row when the item was put here
	Slot  int64
	Due   int64 // ms
}

// Alive returns the items that their URLs still want, in order, with the due times of the URLs'
// rows.
type Alive func(ctx context.Context, items []Item) ([]Item, error)

// Wheel is the calendar of one partition's shards.
type Wheel struct {
	batch   Batch
	alive   Alive
	id, n   int                // number of the partition, and how many there are
	rows    []*schema.ShardRow // one for each shard of this partition; nil = the shard has no rows
	timers  [2]heap.Heap[Item] // first fetches, retries, deferrals; and re-crawls
	load    cursor
	horizon int64 // all slots before this one are loaded

	chain uint64 // the chain of Ticks in progress; 0 = none
	asked int64  // the limit of the last chain
	since int64  // ms: when its last Tick was sent
}

// cursor is how far a slot is loaded.
type cursor struct {
	slot  int64
	shard int
	from  []state.Value
}

// New returns a wheel. Call Read before its first use.
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

// DayOf is the day of a shard that has a slot.
func DayOf(shard int, slot int64) int64 { return (slot + int64(shard)%daySlots) / daySlots }

// Shards is the number of shards.
func (w *Wheel) Shards() int { return len(w.rows) }

// Shard is the number of the i-th shard of this partition.
func (w *Wheel) Shard(i int) int { return w.id + i*w.n }

// Index is the index of a host's shard among those of this partition.
func (w *Wheel) Index(h schema.Host) int { return schema.Shard(h) / w.n }

// readAtOnce is how many rows Read asks for at the same time. A partition may have all 4,096
// shards; one after the other they take as many round trips to the store.
const readAtOnce = 32

// Read reads the rows of the partition's shards. The Reader must be safe for concurrent use.
func (w *Wheel) Read(ctx context.Context, s table.Reader) error {
	var all sync.WaitGroup
	failed := make([]error, readAtOnce)
	for k := range readAtOnce {
		all.Go(func() {
			for i := k; i < len(w.rows) && failed[k] == nil; i += readAtOnce {
				failed[k] = w.readOne(ctx, s, i)
			}
		})
	}
	all.Wait()
	return errors.Join(failed...)
}

func (w *Wheel) readOne(ctx context.Context, s table.Reader, i int) error {
	row := &schema.ShardRow{}
	found, err := table.Read(ctx, s, schema.ShardTable, table.Shard(w.Shard(i)), row)
	if found && err == nil {
		w.rows[i] = row
	}
	return err
}

// Put stages a row for an item in an open slot and returns when the item is due: as asked, later if
// that slot is closed, at most Farthest from now. On a replay (first = false) it stages no row.
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

// Passed reports whether the slot of that time is closed: its items were moved to queues.
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

// Timers is the number of items in memory.
func (w *Wheel) Timers() int { return w.timers[0].Len() + w.timers[1].Len() }

// Next is when (ms) the next first fetch, retry or deferral in memory is due; 0 = none.
func (w *Wheel) Next() int64 {
	if w.timers[0].Len() == 0 {
		return 0
	}
	return w.timers[0].Top().Due
}

// Due is when (ms) Load, Ring or Begin next has something to do, if nothing is put in before: when
// an item is due, when a slot is to be loaded, when one is over. While a slot is loaded that time
// is
// past.
func (w *Wheel) Due(now int64) int64 {
	at := min(startOf(w.horizon)-slotAhead.Milliseconds(), startOf(SlotOf(now)+1))
	for i := range w.timers {
		if w.timers[i].Len() > 0 {
			at = min(at, w.timers[i].Top().Due)
		}
	}
	return at
}

// Horizon is the time (ms) before which everything that is due is in memory.
func (w *Wheel) Horizon() int64 { return startOf(w.horizon) }

// Ring calls due for the items that are due, at most StepRows of each of the two heaps. An item
// leaves its heap when due returns no error.
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

// Load reads a part of the slot that begins next, if that is soon.
func (w *Wheel) Load(ctx context.Context, now int64) error {
	if w.horizon == 0 { // older slots are moved, not loaded
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

// loadSome reads up to StepRows rows of the slot, from one shard.
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

// itemsOf decodes the rows of slots up to limit.
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

// after returns the clustering values that come directly after an item.
func after(x Item) []state.Value {
	return []state.Value{state.Num(x.Slot), state.Str(string(x.Host)), state.Str(x.Path + "\x00")}
}

// Chain is the chain of Ticks in progress; 0 = none.
func (w *Wheel) Chain() uint64 { return w.chain }

// restart is how long (ms) a chain of Ticks may be silent before another one is begun.
const restart = int64(10 * time.Minute / time.Millisecond)

// Begin returns the first Tick of a chain that moves the slots that are over; nil if there are none
// or a chain is in progress.
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
