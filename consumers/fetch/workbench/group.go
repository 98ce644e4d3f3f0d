package workbench

import (
	"time"

	"millrace/streams/heap"
)

// group is the keys that share a delay between starts, with one lease for all of them: the hosts of
// one site at one address. A key whose site or address is unknown has a group of its own.
type group[T any] struct {
	name          string // "" if it is the group of one key only
	site, address *share[T]
	shares        []*share[T] // site and address without nil
	fronts        []*front[T]
	started       time.Time
	busy          bool
	keys          int // in its fronts, and those that Revoke removed while their lease is out
}

// front is the keys of a group that are served alike: those of one partition whose first item is
// urgent, or is not. The queues hold fronts.
type front[T any] struct {
	group     *group[T]
	partition int32
	urgent    bool
	keys      heap.Heap[*key[T]] // by the time at which they may start
	queue     *heap.Heap[*front[T]]
	inQueue   int
	woken     *share[T] // the share that released it from its waiters; nil: none
}
