package shard

import (
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
)

// maxScore scores the union of the words (MaxScore: Turtle, Flood 1995). Words are sorted by the
// most that they can add. Words at the low end, as long as their sum is not above the floor, cannot
// bring a page into the best k by themselves: they propose no pages, and are read only on pages
// that another word proposes.
func (r *scoring) maxScore() error {
	slices.SortStableFunc(r.words, compareBounds)
	below := make([]float64, len(r.words)+1) // below[i]: what words[:i] can add
	for i, w := range r.words {
		below[i+1] = below[i] + w.bound
	}
	var pages roaring.IntPeekable
	if r.pages != nil {
		pages = r.pages.Iterator()
	}
	first := 0 // words[first:] propose pages
	for {
		if err := r.interrupted(); err != nil {
			return err
		}
		floor := r.best.floor()
		for first < len(r.words) && below[first+1] <= floor {
			first++
		}
		doc := propose(r.words[first:], pages)
		if doc == atEnd {
			return r.fill()
		}
		if most := r.mostAt(doc, first, below, floor); most > floor {
			if err := r.offer(doc, r.scored(doc)); err != nil {
				return err
			}
		}
		for _, w := range r.words[first:] {
			w.advance(doc + 1)
		}
	}
}

// propose returns the next page that matches and has one of the words, or atEnd. pages is nil if
// all pages that have one match.
func propose(words []*wordCursor, pages roaring.IntPeekable) uint32 {
	for {
		doc := uint32(atEnd)
		for _, w := range words {
			doc = min(doc, w.doc)
		}
		if doc == atEnd || pages == nil {
			return doc
		}
		pages.AdvanceIfNeeded(doc)
		if !pages.HasNext() {
			return atEnd
		}
		match := pages.PeekNext()
		if match == doc {
			return doc
		}
		for _, w := range words {
			w.advance(match)
		}
	}
}

// mostAt adds up what the proposing words can give the page, then what the others can, as long as
// they can raise it above the floor. If it returns more than the floor, all words are at the page
// or behind it.
func (r *scoring) mostAt(doc uint32, first int, below []float64, floor float64) float64 {
	score := 0.0
	for _, w := range r.words[first:] {
		if w.doc == doc {
			score += w.most()
		}
	}
	for i := first - 1; i >= 0 && score+below[i+1] > floor; i-- {
		w := r.words[i]
		if w.advance(doc); w.doc == doc {
			score += w.most()
		}
	}
	return score
}

// scored returns the score of a page at which the words were asked what they can give.
func (r *scoring) scored(doc uint32) float64 {
	score := 0.0
	for _, w := range r.words {
		if w.doc == doc {
			score += w.raw * w.form()
		}
	}
	return score
}

// fill adds matching pages that have none of the words, if fewer than k were found:
// "site:example.com OR word" matches pages without the word.
func (r *scoring) fill() error {
	if r.best.floor() >= 0 || r.pages == nil {
		return nil
	}
	taken := map[uint32]bool{}
	for _, e := range r.best.heap.All() {
		if e.segment == r.segment {
			taken[e.doc] = true
		}
	}
	for it := r.pages.Iterator(); it.HasNext() && r.best.floor() < 0; {
		if doc := it.Next(); !taken[doc] {
			if err := r.offer(doc, 0); err != nil {
				return err
			}
		}
	}
	return r.ctx.Err()
}
