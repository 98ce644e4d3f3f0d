package shard

// wordByWord scores word by word: it adds what each word gives to the pages that have it, then
// offers the pages. It takes one step for each posting and one for each page of the segment, but
// these steps are much cheaper than those of the other ways.
func (r *scoring) wordByWord() error {
	sums := r.best.room(r.view.seg.Docs())
	for _, w := range r.words {
		if err := r.ctx.Err(); err != nil {
			return err
		}
		w.addAll(sums)
	}
	if r.pages == nil {
		return r.offerAll(sums)
	}
	for it := r.pages.Iterator(); it.HasNext(); {
		doc := it.Next()
		if err := r.interrupted(); err != nil {
			return err
		}
		if score := sums[doc]; score > r.best.floor() {
			if err := r.offer(doc, score); err != nil {
				return err
			}
		}
	}
	return nil
}

// offerAll offers every page that has a score.
func (r *scoring) offerAll(sums []float64) error {
	floor := max(0, r.best.floor())
	for doc, score := range sums {
		if score > floor {
			if err := r.offer(uint32(doc), score); err != nil {
				return err
			}
			floor = max(0, r.best.floor())
		}
	}
	return nil
}

// addAll adds the word's score to each of its pages, from the first one on.
func (w *wordCursor) addAll(sums []float64) {
	if w.one == nil || w.forms == nil {
		for w.doc != atEnd {
			sums[w.doc] += w.score()
			w.advance(w.doc + 1)
		}
		return
	}
	part, typed := &w.parts[0], w.forms.Cursor()
	for c := w.one; c.Doc != atEnd; c.NextBlock() {
		for i, doc := range c.Block() {
			score := w.bound * part.scorer.Saturate(part.inBlock(c, i, doc))
			if typed.Doc < doc {
				typed.Advance(doc)
			}
			if typed.Doc != doc {
				score *= w.other
			}
			sums[doc] += score
		}
	}
	w.doc = atEnd
}

// way chooses how a segment is scored, by the steps that each way takes. Page by page is best if
// few pages match, word by word if the words are on many pages, MaxScore for rare words of a large
// segment.
func (r *scoring) way() func() error {
	postings := uint64(0)
	for _, w := range r.words {
		postings += w.postings()
	}
	const stepCost = 4 // of the other ways, in steps of wordByWord
	if r.pages != nil && r.pages.GetCardinality()*uint64(len(r.words))*stepCost <= postings {
		return r.pageByPage
	}
	if uint64(r.view.seg.Docs())/stepCost+postings <= stepCost*postings {
		return r.wordByWord
	}
	return r.maxScore
}
