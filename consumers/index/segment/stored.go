package segment

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"sort"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// storedBlock is how many bytes of documents are compressed together, at least. A result of a
// search reads a whole block.
const storedBlock = 6 << 10

// maxStored bounds a decompressed block: one document and what was before it.
const maxStored = 1 << 30

// encoder is shared: as many goroutines as there are processors may call EncodeAll at a time.
var encoder = sync.OnceValues(func() (*zstd.Encoder, error) {
	return zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedDefault), zstd.WithWindowSize(1<<20))
})

// decoder is shared, as encoder is. Concurrency 0 lets as many goroutines decode as there are
// processors.
var decoder = sync.OnceValues(func() (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(maxStored))
})

// storedWriter writes the stored parts of documents in blocks.
type storedWriter struct {
	file  *fileWriter
	zstd  *zstd.Encoder
	block []byte // the documents of the block
	head  []byte // their lengths
	docs  int
	out   []byte

	index []byte // of each block: first document, place
	done  uint32 // documents of all blocks
	from  uint64 // where the part begins in the file
}

func newStoredWriter(f *fileWriter) (*storedWriter, error) {
	z, err := encoder()
	return &storedWriter{file: f, zstd: z, from: f.at}, err
}

// add writes the parts of a document.
func (w *storedWriter) add(page []byte, title, text string) error {
	from := len(w.block)
	w.block = binary.AppendUvarint(w.block, uint64(len(page)))
	w.block = append(w.block, page...)
	w.block = binary.AppendUvarint(w.block, uint64(len(title)))
	w.block = append(append(w.block, title...), text...)
	return w.added(len(w.block) - from)
}

// addRecord writes a document as it stands in another block.
func (w *storedWriter) addRecord(record []byte) error {
	w.block = append(w.block, record...)
	return w.added(len(record))
}

func (w *storedWriter) added(size int) error {
	w.head = binary.AppendUvarint(w.head, uint64(size))
	w.docs++
	if len(w.block) >= storedBlock {
		return w.flush()
	}
	return nil
}

// flush compresses the block.
func (w *storedWriter) flush() error {
	if w.docs == 0 {
		return nil
	}
	w.out = binary.AppendUvarint(w.out[:0], uint64(w.docs))
	w.out = append(w.out, w.head...)
	w.out = w.zstd.EncodeAll(w.block, w.out)
	docs := w.docs
	w.block, w.head, w.docs = w.block[:0], w.head[:0], 0
	return w.write(w.out, docs)
}

// write writes a block that is compressed already.
func (w *storedWriter) write(block []byte, docs int) error {
	w.index = binary.LittleEndian.AppendUint32(w.index, w.done)
	w.index = binary.LittleEndian.AppendUint64(w.index, w.file.at-w.from)
	w.done += uint32(docs)
	_, err := w.file.Write(block)
	return err
}

// indexEntry is the size of an entry of the index of blocks.
const indexEntry = 4 + 8

// stored reads the stored parts.
type stored struct {
	data  []byte
	index []byte
	docs  uint32
	spare *sync.Pool // of *[]byte: memory of blocks that were read
}

func (s *stored) blocks() int { return len(s.index) / indexEntry }

// first is the first document of a block; that of the block behind the last one is the number of
// documents.
func (s *stored) first(block int) uint32 {
	if block == s.blocks() {
		return s.docs
	}
	return binary.LittleEndian.Uint32(s.index[block*indexEntry:])
}

// raw is a block as it is stored.
func (s *stored) raw(block int) []byte {
	from := binary.LittleEndian.Uint64(s.index[block*indexEntry+4:])
	to := uint64(len(s.data))
	if block+1 < s.blocks() {
		to = binary.LittleEndian.Uint64(s.index[(block+1)*indexEntry+4:])
	}
	return s.data[from:to]
}

var errStored = errors.New("segment: a block of stored documents is damaged")

// maxSpare bounds the memory that is kept for reading the next block.
const maxSpare = 256 << 10

// room returns memory for a block.
func (s *stored) room(size int) *[]byte {
	if size <= maxSpare {
		if b, ok := s.spare.Get().(*[]byte); ok && cap(*b) >= size {
			return b
		}
	}
	b := make([]byte, 0, min(size, 1<<20))
	return &b
}

// read decompresses a block and calls visit with each record, which is valid until visit returns.
func (s *stored) read(block int, visit func(doc uint32, record []byte) error) error {
	raw := s.raw(block)
	docs, at := uvarint(raw)
	if docs == 0 || docs > uint64(s.docs) {
		return errStored
	}
	lengths := make([]int, docs)
	size := 0
	for i := range lengths {
		v, n := uvarint(raw[at:])
		lengths[i], at = int(v), at+n
		size += int(v)
	}
	if size < 0 || size > maxStored {
		return errStored
	}
	z, err := decoder()
	if err != nil {
		return err
	}
	room := s.room(size)
	b, err := z.DecodeAll(raw[at:], (*room)[:0])
	if err != nil {
		return fmt.Errorf("%w: %w", errStored, err)
	}
	*room = b
	if cap(b) <= maxSpare {
		defer s.spare.Put(room)
	}
	doc := s.first(block)
	for i, n := range lengths {
		if n > len(b) {
			return errStored
		}
		if err := visit(doc+uint32(i), b[:n:n]); err != nil {
			return err
		}
		b = b[n:]
	}
	return nil
}

// record returns the record of a document.
func (s *stored) record(doc uint32) (found []byte, err error) {
	block := sort.Search(s.blocks(), func(i int) bool { return s.first(i) > doc }) - 1
	if block < 0 {
		return nil, errStored
	}
	err = s.read(block, func(n uint32, record []byte) error {
		if n == doc {
			found = bytes.Clone(record)
		}
		return nil
	})
	if err == nil && found == nil {
		err = errStored
	}
	return found, err
}

// parts cuts a record.
func parts(record []byte) (page, title, text []byte) {
	n, at := uvarint(record)
	page, record = record[at:at+int(n)], record[at+int(n):]
	n, at = uvarint(record)
	return page, record[at : at+int(n)], record[at+int(n):]
}
