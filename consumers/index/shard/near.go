package shard

import (
	"millrace/consumers/index/rank"
)

// nearness sums rank.Near over all occurrences of two words.
func nearness(first, second []int) float64 {
	sum, from := 0.0, 0
	for _, p := range first {
		for from < len(second) && second[from] < p-rank.MaxDistance {
			from++
		}
		for _, q := range second[from:] {
			if q > p+rank.MaxDistance {
				break
			}
			sum += rank.Near(q - p)
		}
	}
	return sum
}

// placedWord reads the positions of a word on a page.
type placedWord struct {
	opened          bool
	inTitle, inBody []*cursor
	title, body     []int
	titleLength     float64
}

func (w *placedWord) openTitle(v *segmentView, word rank.Word) error {
	return w.openPlaces(v, word, fieldTitle, &w.inTitle)
}

func (w *placedWord) openBody(v *segmentView, word rank.Word) error {
	if w.opened {
		return nil
	}
	w.opened = true
	return w.openPlaces(v, word, fieldBody, &w.inBody)
}

func (w *placedWord) openPlaces(v *segmentView, word rank.Word, field string, into *[]*cursor) error {
	for _, term := range word.Terms {
		if term.Prefix {
			continue // it would open many lists, and a single character is near everything
		}
		l, err := v.list(field, term.Name)
		if err != nil {
			return err
		}
		if l.pages.IsEmpty() {
			continue
		}
		c, err := l.cursor(true)
		if err != nil {
			return err
		}
		*into = append(*into, c)
	}
	return nil
}

func (w *placedWord) read(doc uint64) error {
	var err error
	if w.title, w.titleLength, err = readPlaces(w.inTitle, doc, w.title[:0]); err != nil {
		return err
	}
	w.body, _, err = readPlaces(w.inBody, doc, w.body[:0])
	return err
}

// readPlaces appends the positions on a page, and returns the length of its field. At most one of
// the cursors has the page.
func readPlaces(cursors []*cursor, doc uint64, into []int) (places []int, length float64, err error) {
	for _, c := range cursors {
		if err := c.advance(doc); err != nil {
			return into, 0, err
		}
		if c.doc != doc {
			continue
		}
		length = c.length
		for _, l := range c.where {
			into = append(into, int(l.Pos()))
		}
	}
	return into, length, nil
}
