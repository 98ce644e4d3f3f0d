package segment

import (
	"encoding/binary"
	"errors"
	"math"
)

// writer writes a segment: first the documents in order (document), then the fields in order, each
// term with its postings (begin, posting, end).
type writer struct {
	file    fileWriter
	table   table
	stored  *storedWriter
	marks   []byte // ends
	mark    []byte
	lengths [Parts][]byte
	order   []byte

	list  listWriter
	dict  dictionaryWriter
	field Field
	buf   []byte
	from  uint64 // where the lists of the field begin
}

func newWriter(f fileWriter, places bool) (*writer, error) {
	w := &writer{file: f, marks: make([]byte, 4)}
	if places {
		w.table.places = 1
	}
	var err error
	w.stored, err = newStoredWriter(&w.file)
	return w, err
}

// document notes mark and lengths of a document; its stored parts are written to stored.
func (w *writer) document(mark []byte, lengths *[Parts]uint32) {
	w.mark = append(w.mark, mark...)
	w.marks = binary.LittleEndian.AppendUint32(w.marks, uint32(len(w.mark)))
	for p, n := range lengths {
		w.lengths[p] = binary.LittleEndian.AppendUint32(w.lengths[p], n)
	}
	w.table.docs++
}

// documents writes what was noted of them.
func (w *writer) documents() error {
	if err := w.stored.flush(); err != nil {
		return err
	}
	if len(w.mark) > math.MaxUint32 {
		return errLarge
	}
	t := &w.table
	t.stored = span{w.stored.from, w.file.at}
	var lengths []byte
	for _, l := range w.lengths {
		lengths = append(lengths, l...)
	}
	for _, p := range []struct {
		at *span
		b  []byte
	}{{&t.storedIndex, w.stored.index}, {&t.marks, w.marks}, {&t.markBytes, w.mark}, {&t.lengths, lengths}} {
		var err error
		if *p.at, err = w.file.span(p.b); err != nil {
			return err
		}
	}
	w.stored, w.marks, w.mark, w.lengths = nil, nil, nil, [Parts][]byte{}
	w.order = make([]byte, 4*t.docs)
	return nil
}

// beginField begins the terms of a field.
func (w *writer) beginField(f Field) {
	w.field, w.from = f, w.file.at
	w.dict.reset()
	w.list.words = f == Words
	w.list.reset()
}

// posting adds a document to the list of the term that comes next.
func (w *writer) posting(doc uint32, code byte, freqs, places []byte) {
	w.list.add(doc, code, freqs, places)
}

// endTerm writes the list of a term; a term without documents is left out.
func (w *writer) endTerm(term string) error {
	if w.list.count == 0 {
		return nil
	}
	if w.field == Key {
		binary.LittleEndian.PutUint32(w.order[4*w.list.docs[0]:], uint32(w.dict.terms))
	}
	var docs int
	w.buf, docs = w.list.finish(w.buf[:0])
	w.dict.add(term, docs, len(w.buf))
	w.list.reset()
	_, err := w.file.Write(w.buf)
	return err
}

// errLarge: places in the file no longer fit into 32 bits.
var errLarge = errors.New("segment: too large; merge fewer documents into one")

// endField writes the dictionary.
func (w *writer) endField() error {
	if len(w.dict.out) > math.MaxUint32 {
		return errLarge
	}
	f := &w.table.fields[w.field]
	f.terms, f.lists = uint64(w.dict.terms), span{w.from, w.file.at}
	var err error
	if f.body, err = w.file.span(w.dict.out); err != nil {
		return err
	}
	f.index, err = w.file.span(w.dict.index)
	return err
}

// finish writes the rest.
func (w *writer) finish() error {
	var err error
	if w.table.order, err = w.file.span(w.order); err != nil {
		return err
	}
	return w.file.finish(&w.table)
}

// dropped is the new number of a document that a merge leaves out.
const dropped = math.MaxUint64
