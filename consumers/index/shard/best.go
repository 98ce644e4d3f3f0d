package shard

import (
	"cmp"
	"math"
	"strings"

	"millrace/consumers/index/rank"
)

// best keeps the k best pages offered, in a heap. Of pages with equal scores the one that comes
// first in the index is better, or, if keyed, the one with the smaller key.
//
// The heap is its own: every page that matches is offered here, and streams/heap passes elements by
// value and compares them through a function.
type best struct {
	k     int
	keyed bool
	heap  []ranked // the worst on top
	sums  []float64
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
	if len(b.heap) < b.k {
		return -1
	}
	if b.keyed {
		return b.heap[0].score - 2*grain
	}
	return b.heap[0].score
}

func (b *best) offer(e ranked) {
	switch {
	case len(b.heap) < b.k:
		b.heap = append(b.heap, e)
		b.up(len(b.heap) - 1)
	case b.k > 0 && (e.score > b.heap[0].score || b.keyed && b.order(&b.heap[0], &e) < 0):
		b.heap[0] = e
		b.down(0)
	}
}

func (b *best) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if b.order(&b.heap[parent], &b.heap[i]) <= 0 {
			return
		}
		b.heap[parent], b.heap[i] = b.heap[i], b.heap[parent]
		i = parent
	}
}

func (b *best) down(i int) {
	for {
		worst := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(b.heap); child++ {
			if b.order(&b.heap[child], &b.heap[worst]) < 0 {
				worst = child
			}
		}
		if worst == i {
			return
		}
		b.heap[worst], b.heap[i] = b.heap[i], b.heap[worst]
		i = worst
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
	hits := make([]rank.Scored, len(b.heap))
	out := make([]*rank.Scored, len(b.heap))
	for i, e := range b.heap {
		hits[i] = rank.Scored{Ref: rank.Ref{Segment: e.segment, Doc: uint64(e.doc)}, Key: e.key, Score: e.score}
		out[i] = &hits[i]
	}
	return out
}

// rounded returns a score that is the same in every search.
func rounded(score float64) float64 { return math.Round(score/grain) * grain }
