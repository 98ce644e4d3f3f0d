package shard

import (
	"errors"

	"github.com/RoaringBitmap/roaring/v2"
	"github.com/blevesearch/bleve/v2/index/scorch"

	"millrace/consumers/index/rank"
	"millrace/consumers/index/segment"
)

// segmentView is one segment during one query; it remembers the posting lists it opened.
type segmentView struct {
	snap    *scorch.SegmentSnapshot
	seg     *segment.Segment // nil: it has a format that only documents can be read of
	deleted *roaring.Bitmap  // nil = none
	lists   map[listName]*list
	terms   map[rank.Term]*roaring.Bitmap // pages that have one of the terms of a prefix
	cols    *columns
}

type listName struct {
	field segment.Field
	term  string
}

// list is one posting list of a segment.
type list struct {
	segment.List
	of   *segmentView
	live *roaring.Bitmap // see pages
}

func newSegmentView(snap *scorch.SegmentSnapshot) *segmentView {
	v := &segmentView{snap: snap, seg: segment.Of(snap.Segment()), lists: map[listName]*list{}}
	if d := snap.Deleted(); d != nil && !d.IsEmpty() {
		v.deleted = d
	}
	return v
}

// errFormat: the segment was written by an older version.
var errFormat = errors.New("the shard is in the format of an older version; its documents can be read, not searched")

// list opens the postings of a term, which may be empty.
func (v *segmentView) list(field segment.Field, term string) *list {
	name := listName{field, term}
	if l := v.lists[name]; l != nil {
		return l
	}
	l := &list{List: v.seg.Dictionary(field).Find(term), of: v}
	v.lists[name] = l
	return l
}

// pages returns the live pages. The bitmap is never to be changed.
func (l *list) pages() *roaring.Bitmap {
	if l.live == nil {
		l.live = l.of.seg.Bitmap(&l.List, l.of.deleted)
	}
	return l.live
}

// docs is the number of live pages.
func (l *list) docs() int64 {
	if l.of.deleted == nil || l.Count() == 0 {
		return int64(l.Count())
	}
	if l.live != nil {
		return int64(l.live.GetCardinality())
	}
	n, c := int64(l.Count()), l.Cursor()
	for it := l.of.deleted.Iterator(); it.HasNext() && c.Doc != segment.AtEnd; {
		doc := it.Next()
		if c.Advance(doc); c.Doc == doc {
			n--
		}
	}
	return n
}

// maxExpansion bounds the lists that a prefix opens in one segment; further terms are not found.
const maxExpansion = 2000

// termLists returns the lists of a term that have pages.
func (v *segmentView) termLists(field segment.Field, term rank.Term) []*list {
	if !term.Prefix {
		if l := v.list(field, term.Name); l.Count() > 0 {
			return []*list{l}
		}
		return nil
	}
	var lists []*list
	terms := v.seg.Dictionary(field).Prefix(term.Name)
	for len(lists) < maxExpansion && terms.Next() {
		lists = append(lists, v.list(field, string(terms.Term())))
	}
	return lists
}

// fieldPages returns the pages that have the term in a field.
func (v *segmentView) fieldPages(field segment.Field, term rank.Term) *roaring.Bitmap {
	var parts []*roaring.Bitmap
	for _, l := range v.termLists(field, term) {
		parts = append(parts, l.pages())
	}
	return or(parts)
}

// partPages returns the pages that have the term in one of the parts.
func (v *segmentView) partPages(term rank.Term, parts ...segment.Part) *roaring.Bitmap {
	found := roaring.New()
	for _, l := range v.termLists(segment.Words, term) {
		for c := l.Cursor(); c.Doc != segment.AtEnd; c.Next() {
			if inOne(c, parts) {
				found.Add(c.Doc)
			}
		}
	}
	if v.deleted != nil {
		found.AndNot(v.deleted)
	}
	return found
}

func inOne(c *segment.Cursor, parts []segment.Part) bool {
	var f segment.Frequencies
	c.Frequencies(&f)
	for _, p := range parts {
		if f[p] > 0 {
			return true
		}
	}
	return false
}

// anywhere returns the pages that have the term in any of the fields that are scored.
func (v *segmentView) anywhere(term rank.Term) *roaring.Bitmap {
	if !term.Prefix {
		return v.list(segment.Words, term.Name).pages()
	}
	if pages := v.terms[term]; pages != nil {
		return pages
	}
	if v.terms == nil {
		v.terms = map[rank.Term]*roaring.Bitmap{}
	}
	pages := v.fieldPages(segment.Words, term)
	v.terms[term] = pages
	return pages
}

// frequencies adds the number of pages of each term of a word, and at last that of its form.
func (v *segmentView) frequencies(w *rank.Word, into []int64) {
	for i, t := range w.Terms {
		if t.Prefix {
			into[i] += int64(v.anywhere(t).GetCardinality())
			continue
		}
		into[i] += v.list(segment.Words, t.Name).docs()
	}
	switch {
	case w.Form == "":
	case w.Begin:
		into[len(w.Terms)] += int64(v.formPages(w).GetCardinality())
	default:
		into[len(w.Terms)] += v.list(segment.Form, w.Form).docs()
	}
}

// atEnd is the page number of an exhausted cursor.
const atEnd = segment.AtEnd
