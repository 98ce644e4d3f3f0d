package shard

import (
	"cmp"
	"container/heap"
	"math"
	"slices"

	"millrace/consumers/index/rank"
)

// best keeps the k best pages seen. Pages come in ascending order of place, so of equal scores the
// first wins; if keyed, the one with the smaller key.
type best struct {
	k     int
	keyed bool
	hits  worstFirst
}

// grain is how far scores must differ to differ where the order must be the same each time: sums of
// the same numbers in another order differ by less.
const grain = 1e-6

// floor is the score a page must exceed to get in.
func (b *best) floor() float64 {
	if len(b.hits.all) < b.k {
		return -1
	}
	if b.keyed {
		return b.hits.all[0].Score - 2*grain
	}
	return b.hits.all[0].Score
}

func (b *best) offer(hit rank.Scored) {
	b.hits.keyed = b.keyed
	switch {
	case len(b.hits.all) < b.k:
		heap.Push(&b.hits, hit)
	case b.k > 0 && b.hits.order(b.hits.all[0], hit) < 0 && (b.keyed || hit.Score > b.hits.all[0].Score):
		b.hits.all[0] = hit
		heap.Fix(&b.hits, 0)
	}
}

// sorted returns the hits, best first.
func (b *best) sorted() []rank.Scored {
	slices.SortFunc(b.hits.all, func(x, y rank.Scored) int { return -b.hits.order(x, y) })
	return b.hits.all
}

// rounded is a score that is the same each time.
func rounded(score float64) float64 { return math.Round(score/grain) * grain }

// worstFirst is a heap with the worst hit on top.
type worstFirst struct {
	keyed bool
	all   []rank.Scored
}

// order is negative if x is the worse hit.
func (h *worstFirst) order(x, y rank.Scored) int {
	if h.keyed {
		return -rank.Best(x, y)
	}
	return cmp.Or(cmp.Compare(x.Score, y.Score), cmp.Compare(y.Ref.Segment, x.Ref.Segment), cmp.Compare(y.Ref.Doc, x.Ref.Doc))
}

// Len implements heap.Interface, as do the methods after it.
func (h *worstFirst) Len() int           { return len(h.all) }
func (h *worstFirst) Less(i, j int) bool { return h.order(h.all[i], h.all[j]) < 0 }
func (h *worstFirst) Swap(i, j int)      { h.all[i], h.all[j] = h.all[j], h.all[i] }

// Push implements heap.Interface.
func (h *worstFirst) Push(x any) { h.all = append(h.all, x.(rank.Scored)) }

// Pop implements heap.Interface.
func (h *worstFirst) Pop() any {
	last := h.all[len(h.all)-1]
	h.all = h.all[:len(h.all)-1]
	return last
}
