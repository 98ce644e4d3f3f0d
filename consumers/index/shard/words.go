package shard

import (
	"encoding/binary"

	"github.com/RoaringBitmap/roaring/v2"

	"millrace/consumers/index/rank"
	"millrace/consumers/index/segment"
)

// wordCursor iterates over the pages of one word: the union of its terms.
type wordCursor struct {
	parts []wordPart
	one   *segment.Cursor // the only cursor of parts, if there is only one and begun is nil
	doc   uint32
	bound float64 // the most that the word adds to a page; also its weight

	forms *list           // pages that have the word as it was typed; nil = all forms are equal
	typed *segment.Cursor // over forms, once form was called
	other float64         // factor of the score on other pages
	raw   float64         // score of the current page, as if it had the word as it was typed

	begun *roaring.Bitmap // used instead of parts: pages that have a word with this beginning
	next  roaring.IntPeekable
	once  float64 // score of one occurrence, for begun
}

// wordPart is one term with its list; it has several if the term is a prefix. The terms of a word
// never share a page, so at most one part is on doc.
type wordPart struct {
	scorer  rank.Scorer
	of      *segment.Segment
	body    []byte // lengths of the body of each page
	cursors []*segment.Cursor
}

// wordCursor opens the word in the segment; nil if it is on no page there.
func (v *segmentView) wordCursor(plan *rank.Plan, word int) *wordCursor {
	w := &wordCursor{bound: plan.Weights[word]}
	if w.bound <= 0 {
		return nil
	}
	w.open(v, plan, &plan.Words[word])
	if len(w.parts) == 0 && w.begun == nil {
		return nil
	}
	if len(w.parts) == 1 && len(w.parts[0].cursors) == 1 && w.begun == nil {
		w.one = w.parts[0].cursors[0]
	}
	w.settle()
	return w
}

func (w *wordCursor) open(v *segmentView, plan *rank.Plan, word *rank.Word) {
	for _, term := range word.Terms {
		if lists := v.termLists(segment.Words, term); len(lists) > 0 {
			part := wordPart{scorer: plan.Params.Scorer(plan.Lengths[term.Analyser]), of: v.seg, body: v.seg.Lengths(segment.Body)}
			for _, l := range lists {
				part.cursors = append(part.cursors, l.Cursor())
			}
			w.parts = append(w.parts, part)
		}
	}
	if word.Form == "" {
		return
	}
	if len(word.Terms) > 0 {
		w.forms, w.other = v.list(segment.Form, word.Form), plan.Params.OtherForm
		if word.Cut {
			w.other = plan.Params.OtherCut
		}
		return
	}
	if forms := v.formPages(word); !forms.IsEmpty() {
		s := plan.Params.Scorer(rank.Lengths{})
		w.begun, w.next, w.once = forms, forms.Iterator(), s.Saturate(1)
	}
}

// postings returns the number of steps to iterate over all pages of the word.
func (w *wordCursor) postings() uint64 {
	n := 0
	if w.begun != nil {
		n = int(w.begun.GetCardinality())
	}
	for i := range w.parts {
		for _, c := range w.parts[i].cursors {
			n += c.Count()
		}
	}
	return uint64(n)
}

func (w *wordCursor) advance(doc uint32) {
	if w.doc >= doc {
		return
	}
	if w.one != nil {
		w.one.Advance(doc)
		w.doc = w.one.Doc
		return
	}
	for i := range w.parts {
		for _, c := range w.parts[i].cursors {
			c.Advance(doc)
		}
	}
	if w.begun != nil {
		w.next.AdvanceIfNeeded(doc)
	}
	w.settle()
}

func (w *wordCursor) settle() {
	w.doc = atEnd
	for i := range w.parts {
		for _, c := range w.parts[i].cursors {
			w.doc = min(w.doc, c.Doc)
		}
	}
	if w.begun != nil && w.next.HasNext() {
		w.doc = min(w.doc, w.next.PeekNext())
	}
}

// most returns the most that the word adds to the score of its current page: score without what the
// page may lose for the form of the word, which costs more to know.
func (w *wordCursor) most() float64 {
	w.raw = 0
	for i := range w.parts {
		p := &w.parts[i]
		if freq := p.frequency(w.doc); freq > 0 {
			w.raw = w.bound * p.scorer.Saturate(freq)
			return w.raw
		}
	}
	if w.begun != nil {
		w.raw = w.bound * w.once
	}
	return w.raw
}

// score returns what the word adds to the score of its current page.
func (w *wordCursor) score() float64 { return w.most() * w.form() }

// frequency is the normalised frequency of the part's terms on a page, 0 if they are not there.
func (p *wordPart) frequency(doc uint32) float64 {
	freq := 0.0
	for _, c := range p.cursors {
		if c.Doc != doc {
			continue
		}
		if n, all := c.Body(); all {
			freq += p.scorer.Frequency(rank.Body, float64(n), float64(binary.LittleEndian.Uint32(p.body[4*doc:])))
			continue
		}
		freq += p.spelled(c, 0, doc)
	}
	return freq
}

// inBlock is the normalised frequency on the page with number i in the block of a cursor.
func (p *wordPart) inBlock(c *segment.Cursor, i int, doc uint32) float64 {
	if n, all := c.BodyOf(i); all {
		return p.scorer.Frequency(rank.Body, float64(n), float64(binary.LittleEndian.Uint32(p.body[4*doc:])))
	}
	return p.spelled(c, i, doc)
}

// spelled is inBlock of a word that is not in the body alone.
func (p *wordPart) spelled(c *segment.Cursor, i int, doc uint32) float64 {
	freq := 0.0
	for _, f := range p.frequencies(c, i, doc) {
		freq += f
	}
	return freq
}

// frequencies are the normalised frequencies in the fields of a page.
func (p *wordPart) frequencies(c *segment.Cursor, i int, doc uint32) (fields [rank.Fields]float64) {
	var counts segment.Frequencies
	c.FrequenciesOf(i, &counts)
	for f, n := range counts {
		if n > 0 {
			fields[f] = p.scorer.Frequency(rank.Field(f), float64(n), float64(p.of.Length(segment.Part(f), doc)))
		}
	}
	return fields
}

// form returns the factor of the score for the form in which the current page has the word. It is
// asked for pages in ascending order.
func (w *wordCursor) form() float64 {
	if w.forms == nil {
		return 1
	}
	if w.typed == nil {
		w.typed = w.forms.Cursor()
	}
	if w.typed.Advance(w.doc); w.typed.Doc == w.doc {
		return 1
	}
	return w.other
}

// fields returns how much each field contributes to score.
func (w *wordCursor) fields() (parts [rank.Fields]float64) {
	total := 0.0
	for i := range w.parts {
		for _, c := range w.parts[i].cursors {
			if c.Doc != w.doc {
				continue
			}
			for f, n := range w.parts[i].frequencies(c, 0, w.doc) {
				parts[f] += n
				total += n
			}
		}
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
