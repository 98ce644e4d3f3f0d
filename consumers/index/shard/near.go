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
	places      bool // positions are wanted
	cursors     []*segment.Cursor
	title, body []uint32
	inTitle     bool
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

// read reads the word on a page. At most one of the cursors has the page.
func (w *placedWord) read(doc uint32) {
	w.title, w.body, w.inTitle = w.title[:0], w.body[:0], false
	for _, c := range w.cursors {
		if c.Advance(doc); c.Doc != doc {
			continue
		}
		if _, all := c.Body(); !all {
			var f segment.Frequencies
			c.Frequencies(&f)
			w.inTitle = f[segment.Title] > 0
		}
		if w.places {
			w.title, w.body = c.Positions(w.title, w.body)
		}
	}
}
