package schedule

import (
	"container/heap"
	"context"
	"slices"

	"millrace/schema"
	"millrace/streams"
	"millrace/streams/state"
)

// wheel holds what is due in the future. Rows stand in the table later, by slots
// of ten minutes. A slot is read into timers shortly before it begins, so that
// its URLs become due on time; when it is over, what is left in it (URLs that
// were in flight, or lost with a crash) is moved to the hosts' queues by Tick
// records, and the slot is dropped.
type wheel struct {
	rows   []*schema.ShardRow // of the shards of this partition; nil = has no slots
	moving bool               // a chain of Ticks is at work

	horizon int64 // slots before are in timers
	loading int64 // the slot that is being read: rows for it go to timers too
	shard   int   // next shard to read
	from    []state.Value

	timers [2]timerHeap // first fetches, retries, deferrals; and re-crawls
}

// timer is a URL that becomes due in a loaded slot.
type timer struct {
	due  int64 // ms
	host schema.Host
	entry
}

func slotOf(ms int64) int64 { return ms / slotTime.Milliseconds() }

// shardOf returns the i-th shard of this partition.
func (t *task) shardOf(i int) int { return int(t.p.ID()) + i*int(t.p.Count()) }

func (t *task) shardIndex(h schema.Host) int { return schema.Shard(h) / int(t.p.Count()) }

// postpone puts a URL into the wheel. It reports false if the slot takes no rows
// any more: then the URL is due.
func (t *task) postpone(in input, h *host, u *url, due int64, class int32, first bool) bool {
	slot, i := slotOf(due), t.shardIndex(h.name)
	row := t.wheel.rows[i]
	if row == nil {
		row = &schema.ShardRow{At: in.ts, Slot: slotOf(in.now), Open: slotOf(in.now)}
		t.wheel.rows[i] = row
		t.put(groupQueues, state.Mutation{Table: schema.ShardTable, TS: in.ts,
			Key: shardKey(t.shardOf(i)), Cells: state.Cells{encode(row)}})
	}
	if slot < row.Open {
		return false
	}
	if first {
		t.put(groupQueues, state.Mutation{Table: schema.Later, TS: in.ts,
			Key:   append(laterPartition(t.shardOf(i), slot), state.Str(string(h.name)), state.Str(u.path)),
			Cells: state.Cells{state.Num(int64(class)), state.Num(u.row.Rev)}})
	}
	if slot < max(t.wheel.horizon, t.wheel.loading+1) {
		t.wheel.start(timer{due, h.name, entry{u.path, uint8(class), noSeq}})
	}
	return true
}

// turnWheel loads the slot that is about to begin, makes due what is due, and
// starts the moving of slots that are over.
func (t *task) turnWheel(ctx context.Context) error {
	if err := t.load(ctx); err != nil {
		return err
	}
	for i := range t.wheel.timers {
		if err := t.ring(ctx, &t.wheel.timers[i]); err != nil {
			return err
		}
	}
	if !t.wheel.moving && t.anyOver() {
		t.startMoving()
	}
	return nil
}

// ring offers the URLs whose time has come.
func (t *task) ring(ctx context.Context, timers *timerHeap) error {
	for n := 0; n < stepRows && len(*timers) > 0 && (*timers)[0].due <= t.now; n++ {
		h, err := t.host(ctx, (*timers)[0].host)
		if err != nil {
			return err
		}
		t.offer(h, heap.Pop(timers).(timer).entry)
	}
	return nil
}

func (w *wheel) start(x timer) {
	i := 0
	if x.class >= classRecrawl && x.class < classRest {
		i = 1
	}
	heap.Push(&w.timers[i], x)
}

// load reads a part of the slot that begins next, if it is time.
func (t *task) load(ctx context.Context) error {
	w := &t.wheel
	if w.horizon == 0 { // what is older is moved, not loaded
		w.horizon = slotOf(t.now)
		w.loading = w.horizon - 1
	}
	if slotOf(t.now+slotAhead.Milliseconds()) < w.horizon {
		return nil
	}
	if w.loading < w.horizon {
		w.loading, w.shard, w.from = w.horizon, 0, nil
	}
	for reads := 0; reads < stepReads && w.shard < len(w.rows); reads++ {
		if w.rows[w.shard] == nil {
			w.shard++
			continue
		}
		n, err := t.loadSome(ctx)
		if err != nil {
			return err
		}
		reads += n / 8
	}
	if w.shard >= len(w.rows) {
		w.horizon = w.loading + 1
	}
	return nil
}

// loadSome reads up to stepRows rows of the slot, of one shard.
func (t *task) loadSome(ctx context.Context) (int, error) {
	w := &t.wheel
	part := laterPartition(t.shardOf(w.shard), w.loading)
	rows, err := t.batch.Slice(ctx, schema.Later, part, w.from, stepRows)
	if err != nil {
		return 0, err
	}
	alive, err := t.aliveRows(ctx, rows, w.loading)
	if err != nil {
		return 0, err
	}
	for _, l := range alive {
		w.start(timer{l.url.row.NextDue, l.host.name, entry{l.url.path, uint8(l.class), noSeq}})
	}
	if len(rows) < stepRows {
		w.shard, w.from = w.shard+1, nil
	} else {
		w.from = after(rows[len(rows)-1])
	}
	return len(rows), nil
}

// after returns the clustering values right behind a row of later.
func after(r state.Row) []state.Value {
	return []state.Value{r.Key[2], state.Str(r.Key[3].Str() + "\x00")}
}

// laterRow is a row of the wheel that its URL still wants.
type laterRow struct {
	host  *host
	url   *url
	class int32
}

// aliveRows returns those rows of a slot whose URLs were not touched since they
// were put there, in order.
func (t *task) aliveRows(ctx context.Context, rows []state.Row, slot int64) ([]laterRow, error) {
	var out []laterRow
	for len(rows) > 0 {
		name := rows[0].Key[2]
		n := 1
		for n < len(rows) && rows[n].Key[2] == name {
			n++
		}
		some, err := t.aliveOf(ctx, schema.Host(name.Str()), rows[:n], slot)
		if err != nil {
			return nil, err
		}
		out, rows = append(out, some...), rows[n:]
	}
	return out, nil
}

func (t *task) aliveOf(ctx context.Context, name schema.Host, rows []state.Row, slot int64) ([]laterRow, error) {
	h, err := t.host(ctx, name)
	if err != nil {
		return nil, err
	}
	paths := make([]string, len(rows))
	for i, r := range rows {
		paths[i] = r.Key[3].Str()
	}
	known, err := t.urls(ctx, h, paths...)
	if err != nil {
		return nil, err
	}
	var out []laterRow
	for i, r := range rows {
		u := known[paths[i]]
		if u != nil && u.row.Rev == r.Cells[1].Num() && u.row.NextDue > 0 && slotOf(u.row.NextDue) == slot {
			out = append(out, laterRow{h, u, int32(r.Cells[0].Num())})
		}
	}
	return out, nil
}

// anyOver reports whether a slot that is over was not moved yet.
func (t *task) anyOver() bool {
	return slices.ContainsFunc(t.wheel.rows, func(r *schema.ShardRow) bool {
		return r != nil && r.Slot < slotOf(t.now)
	})
}

// startMoving appends the first Tick of a chain. It is also how an owner learns
// that everything before it is handled.
func (t *task) startMoving() {
	t.wheel.moving = true
	t.sendTick(&schema.WheelCursor{Limit: slotOf(t.now) - 1, Owner: t.owner})
}

func (t *task) sendTick(c *schema.WheelCursor) {
	b := make([]byte, c.SizeVT())
	if _, err := c.MarshalToSizedBufferVT(b); err != nil { // only for a buffer too small
		t.invalid = err
	}
	t.discovered.SendTo(t.p.ID(), &schema.Discovered{DiscoveredAt: t.now, Body: &schema.Discovered_Tick{
		Tick: &schema.Tick{What: schema.Tick_WHEEL, Cursor: b, At: t.now}}})
}

// tick moves a part of the slots that are over, and appends the record that goes
// on with the next part.
func (t *task) tick(ctx context.Context, in input, m *schema.Tick) error {
	if m.What != schema.Tick_WHEEL {
		return streams.Poison("enum", "a tick for %d", m.What)
	}
	c := &schema.WheelCursor{}
	if err := c.UnmarshalVT(m.Cursor); err != nil {
		return streams.Poison("decode", "cursor of a tick: %w", err)
	}
	more, err := t.move(ctx, in, c)
	if err != nil {
		return err
	}
	t.wheel.moving = more != nil
	if more != nil {
		t.sendTick(more)
	}
	if c.Owner == t.owner && !t.ready {
		t.ready, t.began = true, in.ts
		t.group.deps.Logger.Info("frontier ready", "partition", t.p.ID(), "hosts", len(t.hosts), "in_flight", len(t.flights))
	}
	return nil
}
