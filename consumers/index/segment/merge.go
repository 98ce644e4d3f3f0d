package segment

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/RoaringBitmap/roaring/v2"
)

// errStopped: the merge was cancelled.
var errStopped = errors.New("segment: the merge was stopped")

// source is a segment that is merged.
type source struct {
	*Segment
	numbers []uint64 // the new number of each document; dropped = it is left out
	whole   bool     // none is left out
	terms   Terms
	more    bool
}

// merging merges segments into one.
type merging struct {
	*writer
	from    []*source
	stopped <-chan struct{}
	docs    []uint32
	cursor  Cursor
	steps   int
}

// merge writes the documents of the segments without the deleted ones to f. It returns the new
// numbers of the documents, by segment.
func merge(f fileWriter, segments []*Segment, deleted []*roaring.Bitmap, stopped <-chan struct{}) ([][]uint64, uint64, error) {
	m := merging{stopped: stopped}
	numbers, places, err := m.number(segments, deleted)
	if err != nil {
		return nil, 0, err
	}
	if m.writer, err = newWriter(f, places); err != nil {
		return nil, 0, err
	}
	if err := m.documents(); err != nil {
		return nil, 0, err
	}
	for f := range Fields {
		if err := m.mergeField(f); err != nil {
			return nil, 0, fmt.Errorf("merge field %s: %w", f, err)
		}
	}
	err = m.finish()
	return numbers, m.file.at, err
}

// number gives every document its new number.
func (m *merging) number(segments []*Segment, deleted []*roaring.Bitmap) (numbers [][]uint64, places bool, err error) {
	next := uint64(0)
	for i, s := range segments {
		src := &source{Segment: s, numbers: make([]uint64, s.Docs()), whole: true}
		for n := range src.numbers {
			if d := deleted[i]; d != nil && d.Contains(uint32(n)) {
				src.numbers[n], src.whole = dropped, false
				continue
			}
			src.numbers[n] = next
			next++
		}
		m.from, numbers = append(m.from, src), append(numbers, src.numbers)
		places = places || s.table.places != 0
		if i > 0 && s.table.places != segments[0].table.places {
			return nil, false, errors.New("segment: only one of two that are merged has positions")
		}
	}
	if next > maxDocs {
		return nil, false, fmt.Errorf("segment: %d documents are too many", next)
	}
	return numbers, places, nil
}

// documents copies what is kept of the documents.
func (m *merging) documents() error {
	for _, src := range m.from {
		for n, to := range src.numbers {
			if to != dropped {
				lengths := src.lengths(uint32(n))
				m.document(src.Mark(uint32(n)), &lengths)
			}
		}
		for b := range src.stored.blocks() {
			if err := m.interrupted(); err != nil {
				return err
			}
			if err := m.storedBlock(src, b); err != nil {
				return err
			}
		}
	}
	return m.writer.documents()
}

// storedBlock copies a block. One that is full and whole is copied as it is, unless that would
// leave a small one before it.
func (m *merging) storedBlock(src *source, block int) error {
	s := &src.stored
	raw, first, end := s.raw(block), s.first(block), s.first(block+1)
	whole := src.whole
	for n := first; !whole && n < end && src.numbers[n] != dropped; n++ {
		whole = n+1 == end
	}
	if pending := len(m.stored.block); whole && len(raw) >= storedBlock/8 && (pending == 0 || pending >= storedBlock/2) {
		if err := m.stored.flush(); err != nil {
			return err
		}
		return m.stored.write(raw, int(end-first))
	}
	return s.read(block, func(n uint32, record []byte) error {
		if src.numbers[n] == dropped {
			return nil
		}
		return m.stored.addRecord(record)
	})
}

// mergeField merges the dictionaries and lists of a field.
func (m *merging) mergeField(f Field) error {
	m.beginField(f)
	for _, src := range m.from {
		src.terms = src.Dictionary(f).All()
		src.more = src.terms.Next()
	}
	var term []byte
	for {
		least := m.least()
		if least == nil {
			return m.endField()
		}
		if err := m.interrupted(); err != nil {
			return err
		}
		term = append(term[:0], least.terms.term...)
		for _, src := range m.from {
			if src.more && bytes.Equal(src.terms.term, term) {
				m.postings(src)
				src.more = src.terms.Next()
			}
		}
		if err := m.endTerm(string(term)); err != nil {
			return err
		}
	}
}

// least returns the source whose term comes first; nil at the end.
func (m *merging) least() (least *source) {
	for _, src := range m.from {
		if src.more && (least == nil || bytes.Compare(src.terms.term, least.terms.term) < 0) {
			least = src
		}
	}
	return least
}

// postings copies the list of a source's term.
func (m *merging) postings(src *source) {
	l := src.terms.List()
	if !l.words {
		m.docs = l.Docs(m.docs[:0])
		for _, doc := range m.docs {
			if to := src.numbers[doc]; to != dropped {
				m.posting(uint32(to), 0, nil, nil)
			}
		}
		return
	}
	for m.cursor.Open(&l); m.cursor.Doc != AtEnd; m.cursor.Next() {
		if to := src.numbers[m.cursor.Doc]; to != dropped {
			code, freqs, places := m.cursor.raw()
			m.posting(uint32(to), code, freqs, places)
		}
	}
}

// interrupted reports at every 256th step whether the merge was cancelled.
func (m *merging) interrupted() error {
	if m.steps++; m.steps%256 != 0 {
		return nil
	}
	select {
	case <-m.stopped:
		return errStopped
	default:
		return nil
	}
}
