package shard

import "millrace/consumers/index/rank"

// wordCursor walks over the pages of one word: the union of its terms over title and body.
type wordCursor struct {
	parts []wordPart
	doc   uint64
	bound float64 // no page gets more for this word; also its weight
}

// wordPart is one term. Terms of one word never share a page, so at most one part stands on doc.
type wordPart struct {
	scorer      rank.Scorer
	title, body *cursor
}

// wordCursor opens the word in the segment; nil if it is on no page there.
func (v *segmentView) wordCursor(plan *rank.Plan, word int) (*wordCursor, error) {
	w := &wordCursor{bound: plan.Weights[word]}
	for _, term := range plan.Words[word].Terms {
		title, err := v.open(fieldTitle, term.Name)
		if err != nil {
			return nil, err
		}
		body, err := v.open(fieldBody, term.Name)
		if err != nil {
			return nil, err
		}
		if title.doc == atEnd && body.doc == atEnd {
			continue
		}
		scorer := plan.Params.Scorer(plan.Lengths[term.Analyser])
		w.parts = append(w.parts, wordPart{scorer: scorer, title: title, body: body})
	}
	if len(w.parts) == 0 || w.bound <= 0 {
		return nil, nil
	}
	w.settle()
	return w, nil
}

func (v *segmentView) open(field, term string) (*cursor, error) {
	l, err := v.list(field, term)
	if err != nil {
		return nil, err
	}
	return l.cursor(false)
}

func (w *wordCursor) advance(doc uint64) error {
	if w.doc >= doc {
		return nil
	}
	for i := range w.parts {
		p := &w.parts[i]
		if err := p.title.advance(doc); err != nil {
			return err
		}
		if err := p.body.advance(doc); err != nil {
			return err
		}
	}
	w.settle()
	return nil
}

func (w *wordCursor) settle() {
	w.doc = atEnd
	for i := range w.parts {
		w.doc = min(w.doc, w.parts[i].title.doc, w.parts[i].body.doc)
	}
}

// score is what the word adds to the page it stands on.
func (w *wordCursor) score() float64 {
	for i := range w.parts {
		p := &w.parts[i]
		freq := 0.0
		if p.title.doc == w.doc {
			freq += p.scorer.Title(p.title.freq, p.title.length)
		}
		if p.body.doc == w.doc {
			freq += p.scorer.Body(p.body.freq, p.body.length)
		}
		if freq > 0 {
			return w.bound * p.scorer.Saturate(freq)
		}
	}
	return 0
}
