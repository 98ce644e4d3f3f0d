package segment

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// magic ends the table of a file, before the checksum; the last digit is Version.
const magic = "MILLSEG1"

// span is where a part is in the file.
type span struct{ from, to uint64 }

// table says where the parts are. It stands at the end of the file, as 8-byte numbers in the order
// of these fields.
type table struct {
	docs        uint64
	places      uint64 // 1 = words have positions
	stored      span
	storedIndex span
	marks       span // 4 bytes a document and one more: where its mark ends
	markBytes   span
	lengths     span // 4 bytes for each part of each document, part by part
	order       span // 4 bytes a document: the number of its key
	fields      [Fields]fieldTable
}

type fieldTable struct {
	terms uint64
	lists span
	body  span
	index span
}

const tableNumbers = 2 + 6*2 + int(Fields)*7

// numbers are the addresses of all fields of the table, in order.
func (t *table) numbers() []*uint64 {
	all := []*uint64{&t.docs, &t.places}
	for _, s := range []*span{&t.stored, &t.storedIndex, &t.marks, &t.markBytes, &t.lengths, &t.order} {
		all = append(all, &s.from, &s.to)
	}
	for i := range t.fields {
		f := &t.fields[i]
		all = append(all, &f.terms, &f.lists.from, &f.lists.to, &f.body.from, &f.body.to, &f.index.from, &f.index.to)
	}
	return all
}

// tail is the length of what stands behind the parts.
const tail = tableNumbers*8 + len(magic) + crc32.Size

func (t *table) encode() []byte {
	b := make([]byte, 0, tail)
	for _, n := range t.numbers() {
		b = binary.LittleEndian.AppendUint64(b, *n)
	}
	return append(b, magic...)
}

var errTable = errors.New("segment: the table of the file is damaged")

func decodeTable(file []byte) (*table, error) {
	if len(file) < tail {
		return nil, fmt.Errorf("%w: it has %d bytes", errTable, len(file))
	}
	end := uint64(len(file) - tail)
	b := file[end:]
	if string(b[tableNumbers*8:][:len(magic)]) != magic {
		return nil, fmt.Errorf("%w: it is no segment, or of another version", errTable)
	}
	t := &table{}
	for i, n := range t.numbers() {
		*n = binary.LittleEndian.Uint64(b[8*i:])
	}
	if !t.fits(end) {
		return nil, errTable
	}
	return t, nil
}

// fits reports whether all parts are in a file with so many bytes of parts, and have the lengths
// that the number of documents asks for.
func (t *table) fits(end uint64) bool {
	spans := []span{t.stored, t.storedIndex, t.marks, t.markBytes, t.lengths, t.order}
	for _, f := range t.fields {
		spans = append(spans, f.lists, f.body, f.index)
		if (f.terms+blockTerms-1)/blockTerms*4 != f.index.to-f.index.from {
			return false
		}
	}
	for _, s := range spans {
		if s.from > s.to || s.to > end {
			return false
		}
	}
	return t.docs < 1<<31 && t.marks.to-t.marks.from == 4*(t.docs+1) && t.order.to-t.order.from == 4*t.docs &&
		t.lengths.to-t.lengths.from == 4*uint64(Parts)*t.docs && (t.storedIndex.to-t.storedIndex.from)%indexEntry == 0
}

// fileWriter counts and sums what is written.
type fileWriter struct {
	w   io.Writer
	at  uint64
	sum uint32
}

// Write implements io.Writer.
func (f *fileWriter) Write(b []byte) (int, error) {
	n, err := f.w.Write(b)
	f.at += uint64(n)
	f.sum = crc32.Update(f.sum, crc32.IEEETable, b[:n])
	return n, err
}

// span writes b as a part.
func (f *fileWriter) span(b []byte) (span, error) {
	from := f.at
	_, err := f.Write(b)
	return span{from, f.at}, err
}

// finish writes the table and the checksum.
func (f *fileWriter) finish(t *table) error {
	if _, err := f.Write(t.encode()); err != nil {
		return err
	}
	_, err := f.Write(binary.BigEndian.AppendUint32(nil, f.sum))
	return err
}
