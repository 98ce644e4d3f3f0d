package segment

import (
	"encoding/binary"
	"fmt"
	"math"
	"sync"

	"github.com/RoaringBitmap/roaring/v2"
)

// Segment reads a segment. It is safe for concurrent use.
type Segment struct {
	data   []byte
	table  *table
	stored stored
	dicts  [Fields]Dictionary
}

// Read returns the segment that is in a file's content.
func Read(data []byte) (*Segment, error) {
	t, err := decodeTable(data)
	if err != nil {
		return nil, err
	}
	cut := func(s span) []byte { return data[s.from:s.to:s.to] }
	s := &Segment{data: data, table: t, stored: stored{data: cut(t.stored), index: cut(t.storedIndex), docs: uint32(t.docs), spare: &sync.Pool{}}}
	for f := range Fields {
		of := &t.fields[f]
		s.dicts[f] = Dictionary{
			field: f, terms: int(of.terms), docs: uint32(t.docs), body: data[of.body.from:], index: cut(of.index), lists: data[of.lists.from:],
			words: f == Words, place: f == Words && t.places != 0,
		}
	}
	return s, nil
}

// Docs is the number of documents, deleted ones too.
func (s *Segment) Docs() int { return int(s.table.docs) }

// Dictionary returns the terms of a field.
func (s *Segment) Dictionary(f Field) *Dictionary { return &s.dicts[f] }

// Length is how many words a part of a document has.
func (s *Segment) Length(p Part, doc uint32) uint32 {
	return binary.LittleEndian.Uint32(s.data[s.table.lengths.from+4*(uint64(p)*s.table.docs+uint64(doc)):])
}

// Lengths returns the lengths of a part of all documents, 4 bytes each in little endian.
func (s *Segment) Lengths(p Part) []byte {
	from := s.table.lengths.from + 4*uint64(p)*s.table.docs
	return s.data[from : from+4*s.table.docs]
}

// lengths reads the lengths of a document.
func (s *Segment) lengths(doc uint32) (l [Parts]uint32) {
	for p := range Parts {
		l[p] = s.Length(p, doc)
	}
	return l
}

// Mark returns the mark of a document.
func (s *Segment) Mark(doc uint32) []byte {
	ends := s.data[s.table.marks.from+4*uint64(doc):]
	all := s.data[s.table.markBytes.from:s.table.markBytes.to]
	return all[binary.LittleEndian.Uint32(ends):binary.LittleEndian.Uint32(ends[4:])]
}

// KeyOf returns the key of a document.
func (s *Segment) KeyOf(doc uint32) ([]byte, error) {
	if doc >= uint32(s.table.docs) {
		return nil, fmt.Errorf("segment: no document %d of %d", doc, s.table.docs)
	}
	n := int(binary.LittleEndian.Uint32(s.data[s.table.order.from+4*uint64(doc):]))
	d := &s.dicts[Key]
	if n >= d.terms {
		return nil, errTable
	}
	return d.term(n), nil
}

// Find returns the document of a key.
func (s *Segment) Find(key string) (doc uint32, ok bool) {
	l := s.dicts[Key].Find(key)
	if l.count == 0 {
		return 0, false
	}
	n, _ := uvarint(l.data)
	return uint32(n), true
}

// Stored returns the stored parts of a document. They are the caller's.
func (s *Segment) Stored(doc uint32) (page, title, text []byte, err error) {
	record, err := s.stored.record(doc)
	if err != nil {
		return nil, nil, nil, err
	}
	page, title, text = parts(record)
	return page, title, text, nil
}

// Bytes says how many bytes the structures of the file take, by name.
func (s *Segment) Bytes() map[string]int64 {
	t := s.table
	size := func(s span) int64 { return int64(s.to - s.from) }
	all := map[string]int64{
		"stored": size(t.stored) + size(t.storedIndex), "marks": size(t.marks) + size(t.markBytes),
		"lengths": size(t.lengths), "order of keys": size(t.order), "table": int64(tail),
	}
	for f := range Fields {
		all[f.String()+" lists"] = size(t.fields[f].lists)
		all[f.String()+" dictionary"] = size(t.fields[f].body) + size(t.fields[f].index)
	}
	return all
}

// Bitmap returns the documents of a list without the deleted ones, which may be nil.
func (s *Segment) Bitmap(l *List, deleted *roaring.Bitmap) *roaring.Bitmap {
	var pages *roaring.Bitmap
	if docs := l.Docs(make([]uint32, 0, l.count)); l.count < s.Docs()/32 || l.count < 64 {
		pages = roaring.New()
		pages.AddMany(docs)
	} else {
		dense := make([]uint64, (s.Docs()+63)/64)
		for _, d := range docs {
			dense[d/64] |= 1 << (d % 64)
		}
		pages = roaring.FromDense(dense, false)
	}
	if deleted != nil && !deleted.IsEmpty() {
		pages.AndNot(deleted)
	}
	return pages
}

// maxDocs bounds the documents of a segment.
const maxDocs = math.MaxInt32
