package workbench

import "time"

// Item is one thing to do for a politeness key.
type Item[T any] struct {
	Partition int32
	Offset    int64
	Class     uint8 // 0 first
	Value     T
}

// Clock is what is known of a key when its first item arrives.
type Clock struct {
	Delay        time.Duration // from start to start
	NotBefore    time.Time     // no start before: the quarantine of a new owner
	BlockedUntil time.Time     // back-off
	Group        string        // "" for none
}

// entry is an item on the bench.
type entry[T any] struct {
	Item[T]
	arrived, deadline time.Time
	key               *key[T]
	inKey, inDeadline int // places in the heaps
}

// before: by class, then in the order of the log.
func before[T any](a, b *entry[T]) bool {
	if a.Class != b.Class {
		return a.Class < b.Class
	}
	return a.Offset < b.Offset
}

// key is one politeness key: its clocks and what waits for them.
type key[T any] struct {
	name      string
	partition int32
	delay     time.Duration
	started   time.Time // the last start
	notBefore time.Time
	blocked   time.Time
	items     heap[*entry[T]]
	group     *group[T]
	inGroup   int
	busy      bool // a lease is out
	dead      bool // its partition was revoked
}

// ready is when the key may start next.
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

// group is one IP address, or a key alone.
type group[T any] struct {
	name    string // "" if it stands for one key only
	keys    heap[*key[T]]
	started time.Time
	busy    bool
	inQueue int              // place in queue
	queue   *heap[*group[T]] // where it waits; nil if it does not
}
