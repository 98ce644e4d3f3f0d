package shard

import (
	"cmp"
	"math"
	"strings"

	"millrace/consumers/index/rank"
	"millrace/streams/heap"
)

// best keeps the k best pages offered, the worst of them on top of a heap. Of pages with equal
// scores the one that comes first in the index is better, or, if keyed, the one with the smaller
// key.
type best struct {
	k     int
	keyed bool
	heap  heap.Heap[ranked]
	sums  []float64
}

func newBest(k int, keyed bool) *best {
	b := &best{k: k, keyed: keyed}
	b.heap.Less = func(x, y ranked) bool { return b.order(&x, &y) < 0 }
	return b
}

// lendBest returns an empty best with the memory of an earlier search; spare takes it back.
func (k *kept) lendBest(plan *rank.Plan) *best {
	b, _ := k.spare.Get().(*best)
	if b == nil {
		b = newBest(0, false)
	}
	b.heap.Clear()
	b.k, b.keyed = plan.K, plan.After != nil
	if plan.K > 0 && !plan.Unscored() {
		b.k = max(plan.K, plan.Rescore)
	}
	return b
}

// room returns memory for n sums, all zero, which is used again for the next segment.
func (b *best) room(n int) []float64 {
	if cap(b.sums) < n {
		b.sums = make([]float64, n)
		return b.sums
	}
	b.sums = b.sums[:n]
	clear(b.sums)
	return b.sums
}

// ranked is a page in the heap: the part of a Scored that orders it.
type ranked struct {
	score   float64
	doc     uint32
	segment int
	key     string // if keyed
}

// grain is the difference from which on scores differ, where the order must be the same in every
// search: sums of the same numbers in another order differ by less.
const grain = 1e-6

// floor returns the score that a page must exceed to be kept; -1 while there is room.
func (b *best) floor() float64 {
	if b.heap.Len() < b.k {
		return -1
	}
	if b.keyed {
		return b.heap.Top().score - 2*grain
	}
	return b.heap.Top().score
}

func (b *best) offer(e ranked) {
	if b.heap.Len() < b.k {
		b.heap.Push(e)
	} else if worst := b.heap.Top(); e.score > worst.score || b.keyed && b.order(&worst, &e) < 0 {
		b.heap.Replace(e)
	}
}

// order is negative if x is the worse page.
func (b *best) order(x, y *ranked) int {
	switch {
	case x.score < y.score:
		return -1
	case x.score > y.score:
		return 1
	}
	if b.keyed {
		return strings.Compare(y.key, x.key)
	}
	return cmp.Or(cmp.Compare(y.segment, x.segment), cmp.Compare(y.doc, x.doc))
}

// list returns the pages in any order.
func (b *best) list() []*rank.Scored {
	hits := make([]rank.Scored, b.heap.Len())
	out := make([]*rank.Scored, b.heap.Len())
	for i, e := range b.heap.All() {
		hits[i] = rank.Scored{Ref: rank.Ref{Segment: e.segment, Doc: uint64(e.doc)}, Key: e.key, Score: e.score}
		out[i] = &hits[i]
	}
	return out
}

// rounded returns a score that is the same in every search.
func rounded(score float64) float64 { return math.Round(score/grain) * grain }
