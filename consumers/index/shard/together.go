package shard

import (
	"cmp"
	"slices"

	"millrace/consumers/index/rank"
)

// together returns the words of a plan, the rarest first, if the pages that match are exactly those
// that have all of them. Then pages are matched and scored in one pass. No words are returned if
// one of them is on no page. ok is false if other pages may match, or if they are wanted for
// facets.
func (v *segmentView) together(plan *rank.Plan) (words []*wordCursor, ok bool) {
	if plan.Facets || plan.Unscored() || plan.Match.Op != rank.All || len(plan.Match.Args) < 2 || !matchesAll(plan) {
		return nil, false
	}
	for i, weight := range plan.Weights {
		if weight <= 0 {
			continue
		}
		w := v.wordCursor(plan, i)
		if w == nil {
			return nil, true
		}
		words = append(words, w)
	}
	slices.SortStableFunc(words, func(x, y *wordCursor) int { return cmp.Compare(x.postings(), y.postings()) })
	return words, true
}

// matchesAll reports whether the arguments of the match are the words that are scored, each of
// which is spelled out.
func matchesAll(plan *rank.Plan) bool {
	matched := make([]bool, len(plan.Words))
	for _, arg := range plan.Match.Args {
		if arg.Op != rank.Has || arg.Word < 0 || arg.Word >= len(plan.Words) {
			return false
		}
		terms := plan.Words[arg.Word].Terms
		if len(terms) == 0 || slices.ContainsFunc(terms, func(t rank.Term) bool { return t.Prefix }) {
			return false
		}
		matched[arg.Word] = true
	}
	for i, weight := range plan.Weights {
		if matched[i] != (weight > 0) {
			return false
		}
	}
	return true
}

// together scores the pages that have all words, and counts them: it goes over the pages of the
// rarest word and moves the others on to them.
func (r *scoring) together() (n int, err error) {
	bound := 0.0
	for _, w := range r.words {
		bound += w.bound
	}
	rarest, others := r.words[0], r.words[1:]
	for doc := rarest.doc; doc != atEnd; doc = rarest.doc {
		if err := r.interrupted(); err != nil {
			return n, err
		}
		if next := nextOfAll(others, doc); next != doc {
			rarest.advance(next)
			continue
		}
		if r.view.deleted == nil || !r.view.deleted.Contains(doc) {
			n++
			if err := r.offerIfBest(doc, bound); err != nil {
				return n, err
			}
		}
		rarest.advance(doc + 1)
	}
	return n, nil
}

// nextOfAll moves words on to a page. It returns the page if all have it, else one behind it before
// which no page has all.
func nextOfAll(words []*wordCursor, doc uint32) uint32 {
	for _, w := range words {
		if w.advance(doc); w.doc != doc {
			return w.doc
		}
	}
	return doc
}

// offerIfBest scores a page on which all words are, as long as it can be among the best; bound is
// what all words can add.
func (r *scoring) offerIfBest(doc uint32, bound float64) error {
	if r.best.k <= 0 {
		return nil
	}
	floor := r.best.floor()
	for _, w := range r.words {
		if bound <= floor {
			return nil
		}
		bound += w.most() - w.bound
	}
	if bound <= floor {
		return nil
	}
	return r.offer(doc, r.scored(doc))
}
