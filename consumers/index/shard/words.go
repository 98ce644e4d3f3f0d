package shard

import (
	"github.com/RoaringBitmap/roaring/v2"

	"millrace/consumers/index/rank"
)

// wordCursor iterates over the pages of one word: the union of its terms over all fields.
type wordCursor struct {
	parts []wordPart
	doc   uint64
	bound float64 // the most that the word adds to a page; also its weight

	forms *roaring.Bitmap // pages that have the word as it was typed; nil = all forms are equal
	other float64         // factor of the score on other pages

	begun *roaring.Bitmap // used instead of parts: pages that have a word with this beginning
	next  roaring.IntPeekable
	once  float64 // score of one occurrence, for begun
}

// wordPart is one term with its lists by field; a field has several lists if the term is a prefix.
// The terms of a word never share a page, so at most one part is on doc.
type wordPart struct {
	scorer rank.Scorer
	in     [rank.Fields][]*cursor
}

// wordCursor opens the word in the segment; nil if it is on no page there.
func (v *segmentView) wordCursor(plan *rank.Plan, word int) (*wordCursor, error) {
	w := &wordCursor{bound: plan.Weights[word]}
	if w.bound <= 0 {
		return nil, nil
	}
	if err := w.open(v, plan, &plan.Words[word]); err != nil {
		return nil, err
	}
	if len(w.parts) == 0 && w.begun == nil {
		return nil, nil
	}
	w.settle()
	return w, nil
}

func (w *wordCursor) open(v *segmentView, plan *rank.Plan, word *rank.Word) error {
	for _, term := range word.Terms {
		part := wordPart{scorer: plan.Params.Scorer(plan.Lengths[term.Analyser])}
		found := false
		for f := range rank.Fields {
			cursors, err := v.open(scored(f), term)
			if err != nil {
				return err
			}
			part.in[f], found = cursors, found || len(cursors) > 0
		}
		if found {
			w.parts = append(w.parts, part)
		}
	}
	if word.Form == "" {
		return nil
	}
	forms, err := v.formPages(word)
	if err != nil {
		return err
	}
	if len(word.Terms) > 0 {
		w.forms, w.other = forms, plan.Params.OtherForm
		if word.Cut {
			w.other = plan.Params.OtherCut
		}
		return nil
	}
	if !forms.IsEmpty() {
		s := plan.Params.Scorer(rank.Lengths{})
		w.begun, w.next, w.once = forms, forms.Iterator(), s.Saturate(1)
	}
	return nil
}

// open returns cursors for the lists of a term that have pages.
func (v *segmentView) open(field string, term rank.Term) ([]*cursor, error) {
	lists, err := v.termLists(field, term)
	if err != nil {
		return nil, err
	}
	var cursors []*cursor
	for _, l := range lists {
		c, err := l.cursor(false)
		if err != nil {
			return nil, err
		}
		cursors = append(cursors, c)
	}
	return cursors, nil
}

// postings returns the number of steps to iterate over all pages of the word.
func (w *wordCursor) postings() uint64 {
	n := uint64(0)
	if w.begun != nil {
		n = w.begun.GetCardinality()
	}
	for i := range w.parts {
		for _, cursors := range w.parts[i].in {
			for _, c := range cursors {
				n += c.size
			}
		}
	}
	return n
}

func (w *wordCursor) advance(doc uint64) error {
	if w.doc >= doc {
		return nil
	}
	for i := range w.parts {
		for _, cursors := range w.parts[i].in {
			for _, c := range cursors {
				if err := c.advance(doc); err != nil {
					return err
				}
			}
		}
	}
	if w.begun != nil {
		w.next.AdvanceIfNeeded(uint32(min(doc, 1<<32-1)))
	}
	w.settle()
	return nil
}

func (w *wordCursor) settle() {
	w.doc = atEnd
	for i := range w.parts {
		for _, cursors := range w.parts[i].in {
			for _, c := range cursors {
				w.doc = min(w.doc, c.doc)
			}
		}
	}
	if w.begun != nil && w.next.HasNext() {
		w.doc = min(w.doc, uint64(w.next.PeekNext()))
	}
}

// score returns what the word adds to the score of its current page.
func (w *wordCursor) score() float64 {
	for i := range w.parts {
		p := &w.parts[i]
		freq := 0.0
		for f, cursors := range p.in {
			for _, c := range cursors {
				if c.doc == w.doc {
					freq += p.scorer.Frequency(rank.Field(f), c.freq, c.length)
				}
			}
		}
		if freq > 0 {
			return w.bound * p.scorer.Saturate(freq) * w.form()
		}
	}
	if w.begun != nil {
		return w.bound * w.once
	}
	return 0
}

// form returns the factor of the score for the form in which the page has the word.
func (w *wordCursor) form() float64 {
	if w.forms == nil || w.forms.Contains(uint32(w.doc)) {
		return 1
	}
	return w.other
}

// fields returns how much each field contributes to score.
func (w *wordCursor) fields() (parts [rank.Fields]float64) {
	total := 0.0
	for i := range w.parts {
		for f, cursors := range w.parts[i].in {
			for _, c := range cursors {
				if c.doc == w.doc {
					parts[f] += w.parts[i].scorer.Frequency(rank.Field(f), c.freq, c.length)
				}
			}
		}
	}
	for _, p := range parts {
		total += p
	}
	if total == 0 {
		parts[rank.Body], total = 1, 1
	}
	score := w.score()
	for f := range parts {
		parts[f] *= score / total
	}
	return parts
}
