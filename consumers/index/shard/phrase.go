package shard

import (
	"errors"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"

	"millrace/consumers/index/rank"
	"millrace/consumers/index/segment"
)

// rows returns the pages that have one of the sequences in the title, or with body in the title or
// the body.
func (m *matching) rows(sequences []rank.Sequence, body bool) (*roaring.Bitmap, error) {
	found := roaring.New()
	for _, s := range sequences {
		if err := m.row(found, s, body); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// row adds the pages that have the terms at their positions.
func (m *matching) row(found *roaring.Bitmap, s rank.Sequence, body bool) error {
	if len(s.Names) == 0 || len(s.At) != len(s.Names) {
		return errors.New("a row needs terms, each with its place")
	}
	if len(s.Names) == 1 {
		found.Or(m.alone(s.Names[0], body))
		return nil
	}
	lists := make([]*list, len(s.Names))
	for i, name := range s.Names {
		if lists[i] = m.view.list(segment.Words, name); lists[i].Count() == 0 {
			return nil
		}
	}
	return m.placed(found, lists, s.At, body)
}

func (m *matching) alone(name string, body bool) *roaring.Bitmap {
	parts := []segment.Part{segment.Title}
	if body {
		parts = append(parts, segment.Body)
	}
	return m.view.partPages(rank.Term{Name: name}, parts...)
}

// placedTerm is a term of a sequence with its positions on a page.
type placedTerm struct {
	*segment.Cursor
	at          uint32 // positions after the first term
	title, body []uint32
}

// placed adds the pages that have the terms at their positions. The rarest term goes ahead, and the
// others follow it.
func (m *matching) placed(found *roaring.Bitmap, lists []*list, at []int, body bool) error {
	terms := make([]*placedTerm, len(lists))
	for i, l := range lists {
		terms[i] = &placedTerm{Cursor: l.Cursor(), at: uint32(at[i] - at[0])}
	}
	byCount := slices.Clone(terms)
	slices.SortStableFunc(byCount, func(x, y *placedTerm) int { return x.Count() - y.Count() })
	var starts []uint32
	steps := 0
	for doc := byCount[0].Doc; doc != atEnd; {
		if steps++; steps%256 == 0 && m.ctx.Err() != nil {
			return m.ctx.Err()
		}
		next := meet(byCount, doc)
		if next != doc {
			doc = next
			continue
		}
		if m.view.deleted == nil || !m.view.deleted.Contains(doc) {
			var ok bool
			if starts, ok = inRow(starts, terms, body); ok {
				found.Add(doc)
			}
		}
		byCount[0].Next()
		doc = byCount[0].Doc
	}
	return nil
}

// meet moves the cursors to doc. It returns doc if all have it, else a later page that the first of
// them has, or atEnd.
func meet(terms []*placedTerm, doc uint32) uint32 {
	for _, t := range terms[1:] {
		if t.Advance(doc); t.Doc != doc {
			if t.Doc == atEnd {
				return atEnd
			}
			terms[0].Advance(t.Doc)
			return terms[0].Doc
		}
	}
	return doc
}

// inRow reports whether the terms are in a row on the page on which all are. It uses the memory of
// buf.
func inRow(buf []uint32, terms []*placedTerm, body bool) ([]uint32, bool) {
	for _, t := range terms {
		t.title, t.body = t.Positions(t.title[:0], t.body[:0])
	}
	buf = beginnings(buf, terms, func(t *placedTerm) []uint32 { return t.title })
	if len(buf) > 0 || !body {
		return buf, len(buf) > 0
	}
	buf = beginnings(buf, terms, func(t *placedTerm) []uint32 { return t.body })
	return buf, len(buf) > 0
}

// beginnings returns the positions at which the sequence begins.
func beginnings(buf []uint32, terms []*placedTerm, in func(*placedTerm) []uint32) []uint32 {
	starts := append(buf[:0], in(terms[0])...)
	for _, t := range terms[1:] {
		places, kept := in(t), starts[:0]
		for _, start := range starts {
			if _, ok := slices.BinarySearch(places, start+t.at); ok {
				kept = append(kept, start)
			}
		}
		if starts = kept; len(starts) == 0 {
			break
		}
	}
	return starts
}
