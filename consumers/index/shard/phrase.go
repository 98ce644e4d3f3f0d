package shard

import (
	"errors"
	"slices"

	"github.com/RoaringBitmap/roaring/v2"
	segment "github.com/blevesearch/scorch_segment_api/v2"

	"millrace/consumers/index/rank"
)

// rows returns the pages that have one of the sequences in one of the fields.
func (m *matching) rows(sequences []rank.Sequence, fields ...string) (*roaring.Bitmap, error) {
	found := roaring.New()
	for _, field := range fields {
		for _, s := range sequences {
			if err := m.row(found, field, s); err != nil {
				return nil, err
			}
		}
	}
	return found, nil
}

// row adds the pages whose field has the terms at their positions.
func (m *matching) row(found *roaring.Bitmap, field string, s rank.Sequence) error {
	if len(s.Names) == 0 || len(s.At) != len(s.Names) {
		return errors.New("a row needs terms, each with its place")
	}
	lists := make([]*list, len(s.Names))
	var candidates *roaring.Bitmap
	for i, name := range s.Names {
		l, err := m.view.list(field, name)
		if err != nil {
			return err
		}
		lists[i] = l
		if candidates == nil {
			candidates = l.pages
		} else {
			candidates = roaring.And(candidates, l.pages)
		}
		if candidates.IsEmpty() {
			return nil
		}
	}
	if len(lists) == 1 {
		found.Or(candidates)
		return nil
	}
	return m.placed(found, candidates, lists, s.At)
}

// placed adds those of the candidates that have the terms at their positions.
func (m *matching) placed(found, candidates *roaring.Bitmap, lists []*list, at []int) error {
	cursors := make([]*cursor, len(lists))
	for i, l := range lists {
		c, err := l.cursor(true)
		if err != nil {
			return err
		}
		cursors[i] = c
	}
	var starts []uint64
	for it := candidates.Iterator(); it.HasNext(); {
		doc := it.Next()
		if doc%256 == 0 && m.ctx.Err() != nil {
			return m.ctx.Err()
		}
		for _, c := range cursors {
			if err := c.advance(uint64(doc)); err != nil {
				return err
			}
		}
		if starts = beginnings(starts, cursors, at); len(starts) > 0 {
			found.Add(doc)
		}
	}
	return nil
}

// beginnings returns the positions at which the sequence begins on the cursors' page. It uses the
// memory of buf.
func beginnings(buf []uint64, cursors []*cursor, at []int) []uint64 {
	starts := buf[:0]
	for _, l := range cursors[0].where {
		starts = append(starts, l.Pos())
	}
	for i, c := range cursors[1:] {
		kept := starts[:0]
		for _, start := range starts {
			if has(c, start+uint64(at[i+1]-at[0])) {
				kept = append(kept, start)
			}
		}
		if starts = kept; len(starts) == 0 {
			break
		}
	}
	return starts
}

// has reports whether the cursor's page has the term at a position; positions ascend.
func has(c *cursor, position uint64) bool {
	_, ok := slices.BinarySearchFunc(c.where, position, func(l segment.Location, p uint64) int {
		switch at := l.Pos(); {
		case at < p:
			return -1
		case at > p:
			return 1
		}
		return 0
	})
	return ok
}
