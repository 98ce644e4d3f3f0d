package schedule

import (
	"testing"
	"time"

	"millrace/consumers/schedule/calendar"
	"millrace/consumers/schedule/policy"
	"millrace/consumers/schedule/table"
	"millrace/schema"
	"millrace/streams/state"
)

// A retry comes when it is due, not when its slot ends; and a restart during the
// wait does not change that.
func TestRetryIsOnTime(t *testing.T) {
	for _, restart := range []bool{false, true} {
		w := newWorld(t, nil)
		w.append(linksTo("com.example", ":http/a"))
		w.run()
		w.finish(0, func(o *schema.Outcome) { o.Result, o.HttpStatus = schema.Outcome_NETWORK, 0 })
		w.run()
		due := time.UnixMilli(w.row("com.example:http/a").NextDue)
		if next := w.group.Status().Next; !next.Equal(due) {
			t.Errorf("the status says %s, the row %s", next, due)
		}
		if restart {
			w.crash()
			w.run()
		}
		w.pass(due.Sub(w.clock)-time.Second, time.Second)
		if len(w.out) != 1 {
			t.Fatal("too early")
		}
		w.pass(2*time.Second, time.Second)
		if len(w.out) != 2 || w.out[1].Class != policy.ClassRetry {
			t.Fatalf("restart %t: two seconds later: %v", restart, w.out[1:])
		}
	}
}

// A frontier that is woken only when it asks to be, as by streams when no records come, sends what
// is due as soon as it is, and is woken rarely: at the edges of slots, and while one is loaded.
func TestAFrontierAtRestIsOnTime(t *testing.T) {
	w := newWorld(t, nil)
	w.append(linksTo("com.example", ":http/a"))
	w.run()
	w.finish(0, nil)
	w.run()
	w.pass(time.Minute, time.Second)
	due := time.UnixMilli(w.row("com.example:http/a").NextDue)
	began, rounds := w.clock, 0
	for len(w.out) == 1 && w.clock.Before(due.Add(time.Minute)) {
		next := w.task.RestsUntil(w.clock)
		if !next.After(w.clock) {
			next = w.clock.Add(50 * time.Millisecond)
		}
		w.clock = next
		w.run()
		rounds++
	}
	if len(w.out) != 2 || w.clock.Before(due) || w.clock.Sub(due) > 50*time.Millisecond {
		t.Fatalf("due %s, sent %d times by %s", due, len(w.out), w.clock)
	}
	if slots := int(due.Sub(began) / calendar.SlotTime); rounds > 100*(slots+1) {
		t.Errorf("woken %d times in %d slots", rounds, slots)
	}
}

// After days without a process everything that became due is moved to the queues,
// a bounded part with each record, and the slots are dropped.
func TestSlotsAreMovedInSteps(t *testing.T) {
	const n = 3*stepRows + 17
	w := newWorld(t, func(o *Options) { o.Delay, o.Window, o.InFlightLeast = 0, 1024, 16_000 })
	w.append(linksTo("com.example", paths(n)...))
	for done := 0; done < n; {
		w.run()
		for ; done < len(w.out); done++ {
			w.finish(done, nil)
		}
	}
	w.run()
	w.clock = w.clock.Add(3 * 24 * time.Hour)
	w.crash()
	before := len(w.in)
	w.run()
	ticks := 0
	for _, r := range w.in[before:] {
		if r.Value.GetTick() != nil {
			ticks++
		}
	}
	if ticks < n/stepRows || ticks > n/stepRows+8 {
		t.Errorf("%d records moved %d rows", ticks, n)
	}
	s := w.group.Status()
	if got := int64(len(w.out)-n) + s.Queued; got != n {
		t.Errorf("%d of %d URLs due again", got, n)
	}
	wheel := w.task.ledger.wheel
	shard := wheel.Shard(wheel.Index("com.example"))
	last := calendar.SlotOf(w.clock.UnixMilli())
	for slot := last - 3*144; slot < last; slot++ {
		day := calendar.DayOf(shard, slot)
		rows, err := w.store.Slice(t.Context(), schema.Later, table.Later(shard, day), nil, 1)
		if err != nil || len(rows) > 0 && day < calendar.DayOf(shard, last) {
			t.Fatalf("slot %d still has rows: %v, %v", slot, rows, err)
		}
	}
	stored := &schema.ShardRow{}
	if _, err := table.Read(t.Context(), w.store, schema.ShardTable, table.Shard(shard), stored); err != nil || stored.Slot != calendar.SlotOf(w.clock.UnixMilli()) {
		t.Errorf("the shard is at slot %d, want %d (%v)", stored.Slot, calendar.SlotOf(w.clock.UnixMilli()), err)
	}
}

// A slot that is being moved takes no more rows: a URL due in it goes to the next open slot.
func TestClosedSlotsTakeNoRows(t *testing.T) {
	w := newWorld(t, nil)
	w.append(linksTo("com.example", ":http/b"))
	w.run()
	w.finish(0, func(o *schema.Outcome) { o.Result, o.HttpStatus = schema.Outcome_NETWORK, 0 })
	w.append(linksTo("com.example", ":http/a"))
	w.pass(5*time.Second, time.Second)
	old := w.clock
	w.pass(40*time.Minute, time.Minute) // the slot is over; a is in flight
	w.finish(1, func(o *schema.Outcome) { o.Result, o.Until = schema.Outcome_DEFERRED, old.Add(time.Second).UnixMilli() })
	w.in[len(w.in)-1].Time = old // appended long ago, read only now
	w.run()
	for i := 2; i < len(w.out); i++ {
		w.finish(i, nil)
	}
	w.crash()
	n := len(w.out)
	w.pass(10*time.Second, time.Second)
	if again := w.out[n:]; len(again) != 1 || again[0].RowKey != w.out[1].RowKey {
		t.Errorf("a URL whose slot is over was not emitted again: %v", w.out[1:])
	}
}

// Chunks behind the head of a queue are dropped, once, and nothing else is.
func TestChunksAreDropped(t *testing.T) {
	const n = 2*1024 + 100
	w := newWorld(t, func(o *Options) { o.Delay, o.InFlightLeast = 0, 16_000 })
	w.append(linksTo("com.example", paths(n)...))
	for done := 0; done < n; {
		w.run()
		for ; done < len(w.out); done++ {
			w.finish(done, nil)
		}
	}
	w.run()
	for chunk, want := range []int{0, 0, 100} {
		rows, err := w.store.Slice(t.Context(), schema.Todo, table.Todo("com.example", policy.ClassRest, int64(chunk)), []state.Value{}, 1024)
		if err != nil || len(rows) != want {
			t.Errorf("chunk %d has %d rows, want %d (%v)", chunk, len(rows), want, err)
		}
	}
}

// A URL may stand in several queues; all its entries are done with its outcome.
func TestHeadsPassEveryEntryOfAURL(t *testing.T) {
	w := newWorld(t, nil)
	w.append(linksTo("com.example", ":http/z"))
	w.run()
	w.finish(0, nil)
	w.pass(10*time.Second, time.Second)
	w.append(linksTo("com.example", ":http/a"))
	for class := int32(5); class >= 0; class-- {
		w.append(&schema.Discovered{Host: "com.example", Body: &schema.Discovered_Recheck{Recheck: &schema.Recheck{
			Target: &schema.Recheck_RowKey{RowKey: "com.example:http/a"}, Class: class}}})
	}
	w.pass(10*time.Second, time.Second)
	w.finish(1, nil)
	w.run()
	h, err := w.task.ledger.hosts.Get(t.Context(), "com.example")
	if err != nil {
		t.Fatal(err)
	}
	for c, q := range h.Row.Queues {
		if q.Head != q.Tail {
			t.Errorf("class %d: head %d, tail %d", c, q.Head, q.Tail)
		}
	}
	if len(w.out) != 2 || w.out[1].Class != policy.ClassNow {
		t.Errorf("emitted %v", w.out)
	}
}
