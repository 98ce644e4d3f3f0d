package shard

// wordByWord scores word by word: it adds what each word gives to the pages that have it, then
// offers the pages. It takes one step for each posting and one for each page of the segment, but
// these steps are much cheaper than those of the other ways. It returns how many pages have one of
// the words, if these are the pages that match.
func (r *scoring) wordByWord() (int, error) {
	sums := r.best.room(r.view.seg.Docs())
	for _, w := range r.words {
		if err := r.ctx.Err(); err != nil {
			return 0, err
		}
		w.addAll(sums)
	}
	if r.pages == nil {
		return r.offerAll(sums)
	}
	for it := r.pages.Iterator(); it.HasNext(); {
		doc := it.Next()
		if err := r.interrupted(); err != nil {
			return 0, err
		}
		if score := sums[doc]; score > r.best.floor() {
			if err := r.offer(doc, score); err != nil {
				return 0, err
			}
		}
	}
	return 0, nil
}

// offerAll offers every page that has a score, and counts them without the deleted ones.
func (r *scoring) offerAll(sums []float64) (int, error) {
	n, floor := 0, max(0, r.best.floor())
	for doc, score := range sums {
		if score > 0 {
			n++
		}
		if score > floor {
			if err := r.offer(uint32(doc), score); err != nil {
				return n, err
			}
			floor = max(0, r.best.floor())
		}
	}
	if r.view.deleted == nil {
		return n, nil
	}
	for it := r.view.deleted.Iterator(); it.HasNext(); {
		if sums[it.Next()] > 0 {
			n--
		}
	}
	return n, nil
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

// stepCost is what a step of the other ways costs, in steps of wordByWord.
const stepCost = 4

// way chooses how a segment is scored, by the steps that each way takes. Page by page is best if
// few pages match, word by word if the words are on many pages, MaxScore for rare words of a large
// segment.
func (r *scoring) way() func() error {
	if r.pages != nil && r.pages.GetCardinality()*uint64(len(r.words))*stepCost <= r.postings() {
		return r.pageByPage
	}
	if r.dense() {
		return func() error { _, err := r.wordByWord(); return err }
	}
	return r.maxScore
}

func (r *scoring) postings() uint64 {
	n := uint64(0)
	for _, w := range r.words {
		n += w.postings()
	}
	return n
}

// dense reports whether wordByWord takes less than maxScore.
func (r *scoring) dense() bool {
	postings := r.postings()
	return uint64(r.view.seg.Docs())/stepCost+postings <= stepCost*postings
}
