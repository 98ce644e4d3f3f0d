package workbench

import (
	"time"

	"millrace/streams/heap"
)

// group holds the keys that share a start-to-start delay, with one lease out for all of them: the
// hosts of one site at one address. A key whose site or address is not known stands in a group of
// its own.
type group[T any] struct {
	name          string // "" if it stands for one key only
	site, address *share[T]
	shares        []*share[T] // those of the two that there are
	fronts        []*front[T]
	started       time.Time
	busy          bool
	keys          int // in its fronts, and those that are detached with a lease out
}

// front holds the keys of a group that may be served alike: those of one partition whose first item
// is urgent, or is not. It is what stands in the queues.
type front[T any] struct {
	group     *group[T]
	partition int32
	urgent    bool
	keys      heap.Heap[*key[T]] // by the time they may start
	queue     *heap.Heap[*front[T]]
	inQueue   int
	woken     *share[T] // which share let it go from its waiters; nil: none
}
