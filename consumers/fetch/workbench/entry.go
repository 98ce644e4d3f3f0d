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

// before orders the items of a key: Always first, then by class, then by offset.
func before[T any](a, b *entry[T]) bool {
	switch {
	case a.Always != b.Always:
		return a.Always
	case a.Class != b.Class:
		return a.Class < b.Class
	}
	return a.Offset < b.Offset
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
