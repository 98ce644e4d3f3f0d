package segment

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// Field is a dictionary of a segment.
type Field int

// The fields. Key has one term for each document; Words are the words of all scored fields; the
// others are lists of documents.
const (
	Key Field = iota
	Words
	Author
	Day
	Form
	Host
	Lang
	Links
	Near
	Path
	Site
	Type
	Fields // how many there are
)

// String is the name of the field in dumps.
func (f Field) String() string {
	return [...]string{"_id", "words", "author", "day", "form", "host", "lang", "links", "near", "path", "site", "type"}[f]
}

// Part is a scored part of a document, by the same number as rank.Field. The words of the first two
// have positions.
type Part int

// The parts.
const (
	Title Part = iota
	Body
	Headings
	Address
	Anchors
	Parts // how many there are
)

// Document holds the parts of a document that a segment keeps.
type Document struct {
	Key     string
	Mark    []byte // opaque
	Page    []byte // stored, opaque
	Title   string // stored
	Text    string // stored
	Lengths [Parts]uint32
	Words   []Word           // each term once, in any order
	Terms   [Fields][]string // of the fields other than Key and Words; a term may be there twice
}

// Word is a term of a document with its frequencies and positions, as Entry encodes them.
type Word struct {
	Term  string
	Entry []byte
}

// Frequencies are how often a word is in each part.
type Frequencies [Parts]uint32

// An entry begins with its code: 0, 1 and 2 mean that the word is once, twice or three times in the
// body and in no other part; with spelled, a byte follows that has a bit for each part with the
// word, and the frequencies in these parts as uvarints. The positions in title and body come last,
// as uvarints: each is the difference from the one before in its part.
const spelled = 3

// AppendEntry encodes frequencies and positions behind b. The positions of title and body ascend,
// counted from 1; there are none, or as many as the frequencies say.
func AppendEntry(b []byte, freqs *Frequencies, title, body []uint32) []byte {
	b = appendFrequencies(b, freqs)
	for _, places := range [...][]uint32{title, body} {
		last := uint32(0)
		for _, p := range places {
			b = binary.AppendUvarint(b, uint64(p-last))
			last = p
		}
	}
	return b
}

func appendFrequencies(b []byte, freqs *Frequencies) []byte {
	mask := byte(0)
	for p, n := range freqs {
		if n > 0 {
			mask |= 1 << p
		}
	}
	if n := freqs[Body]; mask == 1<<Body && n <= spelled {
		return append(b, byte(n-1))
	}
	b = append(b, spelled, mask)
	for ; mask != 0; mask &= mask - 1 {
		b = binary.AppendUvarint(b, uint64(freqs[bits.TrailingZeros8(mask)]))
	}
	return b
}

// spelledOut is the length of the frequencies at the front of b, which begin with the mask.
func spelledOut(b []byte) int {
	n := 1
	for range bits.OnesCount8(b[0]) {
		n += varintLen(b[n:])
	}
	return n
}

// readSpelled reads frequencies that begin with the mask.
func readSpelled(b []byte, into *Frequencies) (length int) {
	*into = Frequencies{}
	mask, n := b[0], 1
	for ; mask != 0; mask &= mask - 1 {
		v, size := uvarint(b[n:])
		into[bits.TrailingZeros8(mask)] = uint32(v)
		n += size
	}
	return n
}

// split cuts an entry into its code, the frequencies that are spelled out, and the positions.
func split(entry []byte) (code byte, freqs, places []byte) {
	code, rest := entry[0], entry[1:]
	if code != spelled {
		return code, nil, rest
	}
	n := spelledOut(rest)
	return code, rest[:n], rest[n:]
}

// ordered sorts documents by their keys.
func ordered(docs []*Document) {
	slices.SortFunc(docs, func(x, y *Document) int {
		switch {
		case x.Key < y.Key:
			return -1
		case x.Key > y.Key:
			return 1
		}
		return 0
	})
}
