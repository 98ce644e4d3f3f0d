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
	pages := r.pages.Iterator()
	first := 0 // words[first:] propose pages
	for {
		if err := r.interrupted(); err != nil {
			return err
		}
		floor := r.best.floor()
		for first < len(r.words) && below[first+1] <= floor {
			first++
		}
		doc, err := propose(r.words[first:], pages)
		if err != nil {
			return err
		}
		if doc == atEnd {
			return r.fill()
		}
		score, err := r.scoreAt(doc, first, below, floor)
		if err != nil {
			return err
		}
		if err := r.offer(doc, score); err != nil {
			return err
		}
		for _, w := range r.words[first:] {
			if err := w.advance(doc + 1); err != nil {
				return err
			}
		}
	}
}

// propose returns the next page that matches and has one of the words, or atEnd.
func propose(words []*wordCursor, pages roaring.IntPeekable) (uint64, error) {
	for {
		doc := uint64(atEnd)
		for _, w := range words {
			doc = min(doc, w.doc)
		}
		if doc == atEnd {
			return atEnd, nil
		}
		pages.AdvanceIfNeeded(uint32(doc))
		if !pages.HasNext() {
			return atEnd, nil
		}
		match := uint64(pages.PeekNext())
		if match == doc {
			return doc, nil
		}
		for _, w := range words {
			if err := w.advance(match); err != nil {
				return atEnd, err
			}
		}
	}
}

// scoreAt adds up the proposing words on the page, then the others as long as they can raise it
// above the floor.
func (r *scoring) scoreAt(doc uint64, first int, below []float64, floor float64) (float64, error) {
	score := 0.0
	for _, w := range r.words[first:] {
		if w.doc == doc {
			score += w.score()
		}
	}
	for i := first - 1; i >= 0 && score+below[i+1] > floor; i-- {
		w := r.words[i]
		if err := w.advance(doc); err != nil {
			return 0, err
		}
		if w.doc == doc {
			score += w.score()
		}
	}
	return score, nil
}

// fill adds matching pages that have none of the words, if fewer than k were found:
// "site:example.com OR word" matches pages without the word.
func (r *scoring) fill() error {
	if r.best.floor() >= 0 {
		return nil
	}
	taken := map[uint64]bool{}
	for _, e := range r.best.heap {
		if e.segment == r.segment {
			taken[e.doc] = true
		}
	}
	for it := r.pages.Iterator(); it.HasNext() && r.best.floor() < 0; {
		if doc := uint64(it.Next()); !taken[doc] {
			if err := r.offer(doc, 0); err != nil {
				return err
			}
		}
	}
	return r.ctx.Err()
}
