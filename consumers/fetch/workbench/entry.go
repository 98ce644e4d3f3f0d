package workbench

import (
	"time"

	"millrace/streams/heap"
)

// Item is one thing to do for a politeness key.
type Item[T any] struct {
	Partition int32
	Offset    int64
	Class     uint8 // 0 goes first
	Always    bool  // is not held by Pause, and goes before the other items of its key
	Value     T
}

// Clock is the known state of a key when its first item is added.
type Clock struct {
	Delay        time.Duration // from start to start
	NotBefore    time.Time     // no start before: set by a new owner of the partition
	BlockedUntil time.Time     // back-off
	Site         string        // "" if unknown
	Address      string        // "" if unknown or not shared
	Pace         Pace
}

// Pace is how quickly a key's last request was answered.
type Pace uint8

// The paces. A key that has not answered yet may be slow, so such keys have only a part of the
// slots.
const (
	Unproven Pace = iota
	Quick
	Slow
	paces
)

// entry is an item on the bench.
type entry[T any] struct {
	Item[T]
	arrived, deadline time.Time
	key               *key[T]
	inKey, inDeadline int // places in the heaps
}

// before orders the items of a key: Always first, then urgent ones, then the longest wait, with a
// head start of ClassStep for each class over the next, then by offset. By class alone, pages that
// name one good page each would keep all others of their host waiting for ever.
func (o Options) before(a, b claim) bool {
	switch {
	case a.always != b.always:
		return a.always
	case a.class != b.class && min(a.class, b.class) <= o.Urgent:
		return a.class < b.class
	}
	if c := o.turn(a).Compare(o.turn(b)); c != 0 {
		return c < 0
	}
	return a.offset < b.offset
}

// claim holds the values by which items are ordered.
type claim struct {
	always  bool
	class   uint8
	arrived time.Time
	offset  int64
}

func (e *entry[T]) claim() claim { return claim{e.Always, e.Class, e.arrived, e.Offset} }

// turn is the arrival of an item, later by the head start of the classes before its own.
func (o Options) turn(c claim) time.Time {
	return c.arrived.Add(time.Duration(c.class) * o.ClassStep)
}

// key is one politeness key: its clocks and what waits for them.
type key[T any] struct {
	name      string
	partition int32 // of its latest item
	delay     time.Duration
	started   time.Time // time of the last start
	notBefore time.Time
	blocked   time.Time
	pace      Pace
	items     heap.Heap[*entry[T]]
	group     *group[T]
	front     *front[T] // the front of its group that it is in
	inFront   int
	busy      bool // a lease is out
}

// ready is when the key may start its next request.
func (k *key[T]) ready(guard float64) time.Time {
	t := later(k.notBefore, k.blocked)
	if k.started.IsZero() {
		return t
	}
	return later(t, k.started.Add(guarded(k.delay, guard)))
}

func guarded(d time.Duration, guard float64) time.Duration {
	return d + time.Duration(float64(d)*guard)
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
