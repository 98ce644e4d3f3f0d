package shard

import (
	"cmp"
	"container/heap"
	"slices"

	"millrace/consumers/index/rank"
)

// best keeps the k best pages seen. Pages come in ascending order of place, so of equal scores the first wins.
type best struct {
	k    int
	hits worstFirst
}

// floor is the score a page must exceed to get in.
func (b *best) floor() float64 {
	if len(b.hits) < b.k {
		return -1
	}
	return b.hits[0].Score
}

func (b *best) offer(hit rank.Scored) {
	switch {
	case len(b.hits) < b.k:
		heap.Push(&b.hits, hit)
	case b.k > 0 && hit.Score > b.hits[0].Score:
		b.hits[0] = hit
		heap.Fix(&b.hits, 0)
	}
}

// sorted returns the hits, best first.
func (b *best) sorted() []rank.Scored {
	slices.SortFunc(b.hits, func(x, y rank.Scored) int { return -order(x, y) })
	return b.hits
}

// order is negative if x is the worse hit.
func order(x, y rank.Scored) int {
	return cmp.Or(cmp.Compare(x.Score, y.Score), cmp.Compare(y.Ref.Segment, x.Ref.Segment), cmp.Compare(y.Ref.Doc, x.Ref.Doc))
}

// worstFirst is a heap with the worst hit on top.
type worstFirst []rank.Scored

// Len implements heap.Interface, as do the methods after it.
func (h worstFirst) Len() int           { return len(h) }
func (h worstFirst) Less(i, j int) bool { return order(h[i], h[j]) < 0 }
func (h worstFirst) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }

// Push implements heap.Interface.
func (h *worstFirst) Push(x any) { *h = append(*h, x.(rank.Scored)) }

// Pop implements heap.Interface.
func (h *worstFirst) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}
