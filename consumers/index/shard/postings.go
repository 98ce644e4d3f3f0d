package shard

import (
	"math"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/blevesearch/bleve/v2/index/scorch"
	segment "github.com/blevesearch/scorch_segment_api/v2"

	"millrace/consumers/index/rank"
)

// segmentView is one segment during one query; it remembers the posting lists it opened.
type segmentView struct {
	snap  *scorch.SegmentSnapshot
	dicts map[string]segment.TermDictionary
	lists map[listName]*list
	terms map[rank.Term]*roaring.Bitmap // pages that have a term in any field
	cols  *columns
}

type listName struct{ field, term string }

// list is one posting list: its live pages as a bitmap (never to be changed) and the means to
// iterate.
type list struct {
	postings segment.PostingsList
	pages    *roaring.Bitmap
}

func newSegmentView(snap *scorch.SegmentSnapshot) *segmentView {
	return &segmentView{snap: snap, dicts: map[string]segment.TermDictionary{}, lists: map[listName]*list{}, terms: map[rank.Term]*roaring.Bitmap{}}
}

// list opens the postings of a term, which may be empty.
func (v *segmentView) list(field, term string) (*list, error) {
	name := listName{field, term}
	if l := v.lists[name]; l != nil {
		return l, nil
	}
	dict, err := v.dict(field)
	if err != nil {
		return nil, err
	}
	postings, err := dict.PostingsList([]byte(term), v.snap.Deleted(), nil)
	if err != nil {
		return nil, err
	}
	l := &list{postings: postings, pages: livePages(postings)}
	v.lists[name] = l
	return l, nil
}

func (v *segmentView) dict(field string) (segment.TermDictionary, error) {
	if dict := v.dicts[field]; dict != nil {
		return dict, nil
	}
	dict, err := v.snap.Segment().Dictionary(field)
	if err != nil {
		return nil, err
	}
	v.dicts[field] = dict
	return dict, nil
}

// livePages returns the pages of a posting list, without deleted ones if the list was opened so.
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

// maxExpansion bounds the lists that a prefix opens in one segment; further terms are not found.
const maxExpansion = 2000

// termLists returns the lists of a term that have pages.
func (v *segmentView) termLists(field string, term rank.Term) ([]*list, error) {
	names := []string{term.Name}
	if term.Prefix {
		var err error
		if names, err = v.expand(field, term.Name); err != nil {
			return nil, err
		}
	}
	var lists []*list
	for _, name := range names {
		l, err := v.list(field, name)
		if err != nil {
			return nil, err
		}
		if !l.pages.IsEmpty() {
			lists = append(lists, l)
		}
	}
	return lists, nil
}

// expand reads the keys that begin with prefix from the dictionary.
func (v *segmentView) expand(field, prefix string) ([]string, error) {
	dict, err := v.dict(field)
	if err != nil {
		return nil, err
	}
	var names []string
	keys := dict.AutomatonIterator(nil, []byte(prefix), append([]byte(prefix), 0xff)) // 0xff is in no UTF-8
	for len(names) < maxExpansion {
		entry, err := keys.Next()
		if err != nil || entry == nil {
			return names, err
		}
		names = append(names, entry.Term)
	}
	return names, nil
}

// termPages returns the pages that have the term in one of the fields.
func (v *segmentView) termPages(term rank.Term, fields ...string) (*roaring.Bitmap, error) {
	var parts []*roaring.Bitmap
	for _, field := range fields {
		lists, err := v.termLists(field, term)
		if err != nil {
			return nil, err
		}
		for _, l := range lists {
			parts = append(parts, l.pages)
		}
	}
	return or(parts), nil
}

// anywhere returns the pages that have the term in any of the fields that are scored.
func (v *segmentView) anywhere(term rank.Term) (*roaring.Bitmap, error) {
	if pages := v.terms[term]; pages != nil {
		return pages, nil
	}
	pages, err := v.termPages(term, fieldTitle, fieldBody, fieldHeadings, fieldAddress, fieldAnchors)
	if err == nil {
		v.terms[term] = pages
	}
	return pages, err
}

// frequencies adds the number of pages of each term of a word, and at last that of its form.
func (v *segmentView) frequencies(w *rank.Word, into []int64) error {
	for i, t := range w.Terms {
		pages, err := v.anywhere(t)
		if err != nil {
			return err
		}
		into[i] += int64(pages.GetCardinality())
	}
	if w.Form == "" {
		return nil
	}
	pages, err := v.formPages(w)
	if err == nil {
		into[len(w.Terms)] += int64(pages.GetCardinality())
	}
	return err
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

// lengthOf is implemented by zap's postings: zap stores the length of the field as the norm.
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
	switch {
	case c.doc >= doc:
		return nil
	case c.doc+1 == doc: // the next page costs less than a search
		return c.take(c.it.Next())
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
