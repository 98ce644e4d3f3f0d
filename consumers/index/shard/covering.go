package shard

import (
	"math/bits"

	"millrace/consumers/index/rank"
	"millrace/consumers/index/segment"
)

// covering returns the lists of the words of a plan, if the pages that match are exactly those that
// have one of the words, as for one word and for words joined by OR. Then no set of matching pages
// is made. It is nil if they may be others, or if they are wanted for facets.
func (v *segmentView) covering(plan *rank.Plan) []segment.List {
	if plan.Facets || plan.Unscored() {
		return nil
	}
	has := []rank.Match{plan.Match}
	if plan.Match.Op == rank.Some {
		has = plan.Match.Args
	}
	matched := make([]bool, len(plan.Words))
	lists := []segment.List{}
	for _, m := range has {
		if m.Op != rank.Has || m.Word < 0 || m.Word >= len(plan.Words) {
			return nil
		}
		w := &plan.Words[m.Word]
		if matched[m.Word] = true; len(w.Terms) == 0 {
			return nil
		}
		for _, t := range w.Terms {
			if t.Prefix {
				return nil
			}
			if l := v.list(segment.Words, t.Name); l.Count() > 0 {
				lists = append(lists, l.List)
			}
		}
	}
	for i, weight := range plan.Weights {
		if matched[i] != (weight > 0) {
			return nil
		}
	}
	return lists
}

// union counts the live pages that are in one of the lists.
func (v *segmentView) union(lists []segment.List) int {
	switch {
	case len(lists) == 0:
		return 0
	case len(lists) == 1 && v.deleted == nil:
		return lists[0].Count()
	}
	set := make([]uint64, (v.seg.Docs()+63)/64)
	var docs []uint32
	for i := range lists {
		docs = lists[i].Docs(docs[:0])
		for _, d := range docs {
			set[d/64] |= 1 << (d % 64)
		}
	}
	if v.deleted != nil {
		for it := v.deleted.Iterator(); it.HasNext(); {
			d := it.Next()
			set[d/64] &^= 1 << (d % 64)
		}
	}
	n := 0
	for _, w := range set {
		n += bits.OnesCount64(w)
	}
	return n
}
