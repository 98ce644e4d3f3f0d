package shard

import (
	"millrace/consumers/index/rank"
	"millrace/consumers/index/segment"
)

// nearness sums rank.Near over all occurrences of two words.
func nearness(first, second []uint32) float64 {
	sum, from := 0.0, 0
	for _, p := range first {
		for from < len(second) && second[from]+rank.MaxDistance < p {
			from++
		}
		for _, q := range second[from:] {
			if q > p+rank.MaxDistance {
				break
			}
			sum += rank.Near(int(q) - int(p))
		}
	}
	return sum
}

// placedWord reads where a word is on a page.
type placedWord struct {
	cursors     []*segment.Cursor
	on          *segment.Cursor // the one that has the page; nil = none
	inTitle     bool
	placed      bool // title and body are those of the page
	title, body []uint32
}

// open opens the lists of the word, but not those of a prefix: they would be many, and a single
// character is near everything.
func (w *placedWord) open(v *segmentView, word rank.Word) {
	for _, term := range word.Terms {
		if term.Prefix {
			continue
		}
		if l := v.list(segment.Words, term.Name); l.Count() > 0 {
			w.cursors = append(w.cursors, l.Cursor())
		}
	}
}

// read moves to a page. At most one of the cursors has it.
func (w *placedWord) read(doc uint32) {
	w.on, w.inTitle, w.placed = nil, false, false
	for _, c := range w.cursors {
		if c.Advance(doc); c.Doc == doc {
			w.on = c
		}
	}
	if w.on == nil {
		return
	}
	if _, all := w.on.Body(); !all {
		var f segment.Frequencies
		w.on.Frequencies(&f)
		w.inTitle = f[segment.Title] > 0
	}
}

// places reads the positions on the page, which has the word.
func (w *placedWord) places() {
	if !w.placed {
		w.title, w.body = w.on.Positions(w.title[:0], w.body[:0])
		w.placed = true
	}
}
