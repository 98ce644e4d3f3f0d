package shard

import (
	"math"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/blevesearch/bleve/v2/index/scorch"
	segment "github.com/blevesearch/scorch_segment_api/v2"
)

// segmentView is one segment during one query; it remembers the posting lists it opened.
type segmentView struct {
	snap  *scorch.SegmentSnapshot
	dicts map[string]segment.TermDictionary
	lists map[listName]*list
}

type listName struct{ field, term string }

// list is one posting list: its live pages as a bitmap (never to be changed) and the means to iterate.
type list struct {
	postings segment.PostingsList
	pages    *roaring.Bitmap
}

func newSegmentView(snap *scorch.SegmentSnapshot) *segmentView {
	return &segmentView{snap: snap, dicts: map[string]segment.TermDictionary{}, lists: map[listName]*list{}}
}

// list opens the postings of a term, which may be empty.
func (v *segmentView) list(field, term string) (*list, error) {
	name := listName{field, term}
	if l := v.lists[name]; l != nil {
		return l, nil
	}
	dict := v.dicts[field]
	if dict == nil {
		var err error
		if dict, err = v.snap.Segment().Dictionary(field); err != nil {
			return nil, err
		}
		v.dicts[field] = dict
	}
	postings, err := dict.PostingsList([]byte(term), v.snap.Deleted(), nil)
	if err != nil {
		return nil, err
	}
	l := &list{postings: postings, pages: livePages(postings)}
	v.lists[name] = l
	return l, nil
}

// livePages reads which pages a list has, without those deleted.
func livePages(p segment.PostingsList) *roaring.Bitmap {
	it, ok := p.Iterator(false, false, false, nil).(segment.OptimizablePostingsIterator)
	if !ok {
		return roaring.New()
	}
	if doc, single := it.DocNum1Hit(); single {
		return roaring.BitmapOf(uint32(doc))
	}
	if pages := it.ActualBitmap(); pages != nil {
		return pages
	}
	return roaring.New()
}

// pages counts the pages that have the term in title or body.
func (v *segmentView) pages(term string) (int64, error) {
	title, err := v.list(fieldTitle, term)
	if err != nil {
		return 0, err
	}
	body, err := v.list(fieldBody, term)
	if err != nil {
		return 0, err
	}
	return int64(title.pages.OrCardinality(body.pages)), nil
}

// atEnd is the page number of an exhausted cursor.
const atEnd = math.MaxUint64

// cursor walks over one posting list.
type cursor struct {
	it     segment.PostingsIterator
	size   uint64 // pages in all
	doc    uint64
	freq   float64
	length float64 // of the field, in tokens
	where  []segment.Location
}

// lengthOf is implemented by zap's postings: what zap stores as norm is the length of the field.
type lengthOf interface{ NormUint64() uint64 }

// cursor opens the list at its first page.
func (l *list) cursor(positions bool) (*cursor, error) {
	c := &cursor{it: l.postings.Iterator(true, true, positions, nil), size: l.pages.GetCardinality()}
	if c.size == 0 {
		c.doc = atEnd
		return c, nil
	}
	return c, c.take(c.it.Next())
}

// advance moves to the first page at or after doc.
func (c *cursor) advance(doc uint64) error {
	if c.doc >= doc {
		return nil
	}
	return c.take(c.it.Advance(doc))
}

func (c *cursor) take(p segment.Posting, err error) error {
	if err != nil {
		return err
	}
	if p == nil {
		c.doc = atEnd
		return nil
	}
	c.doc, c.freq, c.where = p.Number(), float64(p.Frequency()), p.Locations()
	if l, ok := p.(lengthOf); ok {
		c.length = float64(l.NormUint64())
		return nil
	}
	norm := p.Norm() // of another segment format: 1 / sqrt(length)
	c.length = 1 / (norm * norm)
	return nil
}
