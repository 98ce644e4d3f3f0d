package segment

import "encoding/binary"

// blockDocs is the number of documents of a block of a posting list.
const blockDocs = 128

// listWriter encodes one posting list at a time.
type listWriter struct {
	words  bool // with frequencies and positions
	out    []byte
	skips  []byte
	blocks int
	count  int
	last   int64 // document of the blocks that are written

	docs   [blockDocs]uint32 // of the block: differences
	n      int
	prev   int64
	codes  [blockDocs]byte
	freqs  []byte
	places []byte
}

func (w *listWriter) reset() {
	w.out, w.skips = w.out[:0], w.skips[:0]
	w.blocks, w.count, w.n = 0, 0, 0
	w.prev, w.last = -1, -1
	w.freqs, w.places = w.freqs[:0], w.places[:0]
}

// add appends a posting; documents ascend. Without words only the document counts.
func (w *listWriter) add(doc uint32, code byte, freqs, places []byte) {
	if w.n == blockDocs {
		w.flush()
	}
	w.docs[w.n] = uint32(int64(doc) - w.prev - 1)
	w.codes[w.n] = code
	w.n++
	w.count++
	w.prev = int64(doc)
	if w.words {
		w.freqs, w.places = append(w.freqs, freqs...), append(w.places, places...)
	}
}

// flush writes the block.
func (w *listWriter) flush() {
	from := len(w.out)
	docs := w.docs[:w.n]
	width := widthOf(docs)
	w.out = append(w.out, byte(width))
	if w.words {
		w.out = binary.AppendUvarint(w.out, uint64(len(w.freqs)))
	}
	w.out = pack(w.out, docs, width)
	if w.words {
		w.out = append(packCodes(w.out, w.codes[:w.n]), w.freqs...)
		w.out = append(w.out, w.places...)
	}
	w.skips = binary.AppendUvarint(w.skips, uint64(w.prev-w.last))
	w.skips = binary.AppendUvarint(w.skips, uint64(len(w.out)-from))
	w.last = w.prev
	w.blocks++
	w.n, w.freqs, w.places = 0, w.freqs[:0], w.places[:0]
}

func packCodes(b []byte, codes []byte) []byte {
	for len(codes) > 0 {
		v := byte(0)
		n := min(4, len(codes))
		for i, c := range codes[:n] {
			v |= c << (2 * i)
		}
		b, codes = append(b, v), codes[n:]
	}
	return b
}

// finish returns the encoded list behind b, and how many documents it has.
func (w *listWriter) finish(b []byte) ([]byte, int) {
	if w.count == 1 {
		b = binary.AppendUvarint(b, uint64(w.docs[0]))
		if w.words {
			b = append(append(append(b, w.codes[0]), w.freqs...), w.places...)
		}
		return b, 1
	}
	if w.n > 0 {
		w.flush()
	}
	if w.blocks > 1 {
		b = binary.AppendUvarint(b, uint64(len(w.skips)))
		b = append(b, w.skips...)
	}
	return append(b, w.out...), w.count
}

// List is the posting list of a term; the zero value is empty.
type List struct {
	data   []byte // from the list to the end of the file
	count  int
	words  bool
	places bool // it has positions
}

// Count is the number of documents, deleted ones too.
func (l *List) Count() int { return l.count }

// Docs appends the documents, in ascending order.
func (l *List) Docs(into []uint32) []uint32 {
	if l.count == 1 {
		doc, _ := uvarint(l.data)
		return append(into, uint32(doc))
	}
	for c := l.blocks(); c.next(); {
		n := len(into)
		into = append(into, make([]uint32, c.count)...)
		c.read(into[n:])
	}
	return into
}

// blocks walks over the blocks of a list with more than one document.
type blocks struct {
	skips []byte // what is left of the table; nil = there is one block
	data  []byte // the list behind the block
	left  int    // documents behind the block
	words bool

	block []byte // up to the end of the file
	count int    // documents of the block
	after int64  // last document of the block before
	last  int64  // last document of the block
	size  int    // bytes of the block; 0 = not known
}

func (l *List) blocks() blocks {
	b := blocks{data: l.data, left: l.count, words: l.words, last: -1}
	if l.count > blockDocs {
		n, at := uvarint(l.data)
		b.skips, b.data = l.data[at:at+int(n)], l.data[at+int(n):]
	}
	return b
}

// next moves to the next block; false at the end. The last document of an only block is not known
// before it is read.
func (b *blocks) next() bool {
	if b.left == 0 {
		return false
	}
	b.after, b.block = b.last, b.data
	b.count = min(b.left, blockDocs)
	b.left -= b.count
	if b.skips == nil {
		b.last, b.size = 1<<32-1, 0
		return true
	}
	docs, n := uvarint(b.skips)
	size, m := uvarint(b.skips[n:])
	b.skips = b.skips[n+m:]
	b.last += int64(docs)
	b.size = int(size)
	b.data = b.data[size:]
	return true
}

// read reads the documents of the block and returns what is behind them; into has room for count.
func (b *blocks) read(into []uint32) (freqs int, rest []byte) {
	width, at := int(b.block[0]), 1
	if b.words {
		v, n := uvarint(b.block[1:])
		freqs, at = int(v), 1+n
	}
	unpackDocs(b.block[at:], width, b.after, into[:b.count])
	return freqs, b.block[at+packed(b.count, width):]
}
