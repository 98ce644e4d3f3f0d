package shard

import "millrace/consumers/index/rank"

// wordCursor walks over the pages of one word: the union of its terms over title and body.
type wordCursor struct {
	parts []wordPart
	doc   uint64
	bound float64 // no page gets more for this word; also its weight
}

// wordPart is one term with its lists: one per field, or several if the term is a prefix. Terms of one word never
// share a page, so at most one part stands on doc.
type wordPart struct {
	scorer      rank.Scorer
	title, body []*cursor
}

// wordCursor opens the word in the segment; nil if it is on no page there.
func (v *segmentView) wordCursor(plan *rank.Plan, word int) (*wordCursor, error) {
	w := &wordCursor{bound: plan.Weights[word]}
	if w.bound <= 0 {
		return nil, nil
	}
	for _, term := range plan.Words[word].Terms {
		title, err := v.open(fieldTitle, term)
		if err != nil {
			return nil, err
		}
		body, err := v.open(fieldBody, term)
		if err != nil {
			return nil, err
		}
		if len(title)+len(body) > 0 {
			w.parts = append(w.parts, wordPart{plan.Params.Scorer(plan.Lengths[term.Analyser]), title, body})
		}
	}
	if len(w.parts) == 0 {
		return nil, nil
	}
	w.settle()
	return w, nil
}

// open returns cursors for the lists of a term that have pages.
func (v *segmentView) open(field string, term rank.Term) ([]*cursor, error) {
	lists, err := v.termLists(field, term)
	if err != nil {
		return nil, err
	}
	cursors := make([]*cursor, 0, len(lists))
	for _, l := range lists {
		c, err := l.cursor(false)
		if err != nil {
			return nil, err
		}
		cursors = append(cursors, c)
	}
	return cursors, nil
}

// postings is the number of steps it takes to walk over the word.
func (w *wordCursor) postings() uint64 {
	n := uint64(0)
	for _, p := range w.parts {
		for _, c := range p.title {
			n += c.size
		}
		for _, c := range p.body {
			n += c.size
		}
	}
	return n
}

func (w *wordCursor) advance(doc uint64) error {
	if w.doc >= doc {
		return nil
	}
	for i := range w.parts {
		for _, c := range w.parts[i].title {
			if err := c.advance(doc); err != nil {
				return err
			}
		}
		for _, c := range w.parts[i].body {
			if err := c.advance(doc); err != nil {
				return err
			}
		}
	}
	w.settle()
	return nil
}

func (w *wordCursor) settle() {
	w.doc = atEnd
	for i := range w.parts {
		for _, c := range w.parts[i].title {
			w.doc = min(w.doc, c.doc)
		}
		for _, c := range w.parts[i].body {
			w.doc = min(w.doc, c.doc)
		}
	}
}

// score is what the word adds to the page it stands on.
func (w *wordCursor) score() float64 {
	for i := range w.parts {
		p := &w.parts[i]
		freq := 0.0
		for _, c := range p.title {
			if c.doc == w.doc {
				freq += p.scorer.Title(c.freq, c.length)
			}
		}
		for _, c := range p.body {
			if c.doc == w.doc {
				freq += p.scorer.Body(c.freq, c.length)
			}
		}
		if freq > 0 {
			return w.bound * p.scorer.Saturate(freq)
		}
	}
	return 0
}
