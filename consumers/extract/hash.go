package extract

import (
	"bytes"
	"crypto/sha256"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"

	"millrace/consumers/sketch"
)

// hashBytes is the length of a text hash: 128 bits of SHA-256 keep 10^12 documents apart.
const hashBytes = 16

// fingerprints reads a document's words once and returns its text hash, its simhash and its sketch
// (package sketch; nil for a short text). Case, punctuation and white space do not count.
//
// The hash is of the title and the text that copies of a page have in common (page.Identity). A
// line of the text that repeats the title does not count, because whether the heading is inside the
// main part is a matter of markup.
func fingerprints(title, text string) (hash []byte, simhash uint64, near []byte) {
	h := sha256.New()
	words := appendWords(make([]byte, 0, len(title)+len(text)+64), title)
	head := len(words)
	h.Write(words)
	h.Write([]byte{'\n'})
	for line := range strings.Lines(text) {
		from := len(words)
		if words = appendWords(words, line); !bytes.Equal(words[from:], words[:head]) {
			h.Write(words[from:])
		}
	}
	simhash, near = likeness(words)
	return h.Sum(nil)[:hashBytes], simhash, near
}

// appendWords appends the words of s in lower case, each with one space before it.
func appendWords(dst []byte, s string) []byte {
	inWord := false
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			i++
			if 'A' <= c && c <= 'Z' {
				c += 'a' - 'A'
			}
			if word := 'a' <= c && c <= 'z' || '0' <= c && c <= '9'; word {
				dst = begin(dst, inWord)
				dst = append(dst, c)
				inWord = true
			} else {
				inWord = false
			}
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		i += size
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) {
			inWord = false
			continue
		}
		dst = begin(dst, inWord)
		dst = utf8.AppendRune(dst, unicode.ToLower(r))
		inWord = true
	}
	return dst
}

func begin(dst []byte, inWord bool) []byte {
	if inWord {
		return dst
	}
	return append(dst, ' ')
}

// shingle is how many words (or Han characters) are one feature of the simhash.
const shingle = 3

// likeness returns Charikar's fingerprint (2002) over shingles of words, of which those of near
// equal texts differ in few bits, and the sketch of the words.
func likeness(words []byte) (uint64, []byte) {
	var c ballot
	m := makers.Get().(*sketch.Maker)
	defer makers.Put(m)
	m.Reset()
	var window [shingle]uint64
	seen := 0
	eachWord(words, func(w []byte) {
		copy(window[:], window[1:])
		window[shingle-1] = xxhash.Sum64(w)
		m.Add(window[shingle-1])
		if seen++; seen >= shingle {
			c.vote(mix(window))
		}
	})
	if seen < shingle {
		c.vote(mix(window))
	}
	return c.majority(), m.Sketch()
}

// makers are kept for their memory, which is as large as the longest text.
var makers = sync.Pool{New: func() any { return new(sketch.Maker) }}

// ballot counts, for each of 64 bits, how many hashes have it set. It counts in bytes, eight in a
// word, and adds them to the counts before one can overflow: 8 additions for each hash instead of
// 64.
type ballot struct {
	lanes [8]uint64 // lane i, byte j: bit 8*j + i
	n     uint8     // hashes in lanes
	set   [64]int32
	total int32
}

func (b *ballot) vote(h uint64) {
	const everyEighth = 0x0101010101010101
	for i := range b.lanes {
		b.lanes[i] += h >> i & everyEighth
	}
	if b.n++; b.n == 255 {
		b.empty()
	}
}

func (b *ballot) empty() {
	for i, lane := range b.lanes {
		for j := range 8 {
			b.set[8*j+i] += int32(lane >> (8 * j) & 0xff)
		}
	}
	b.total += int32(b.n)
	b.lanes, b.n = [8]uint64{}, 0
}

// majority returns the bits that more than half of the hashes have set.
func (b *ballot) majority() uint64 {
	b.empty()
	var h uint64
	for i, n := range b.set {
		if 2*n > b.total {
			h |= 1 << i
		}
	}
	return h
}

// eachWord calls f for every word; a wide character, three bytes or more, is a word of its own.
func eachWord(words []byte, f func([]byte)) {
	start := 0
	for i := 0; i < len(words); {
		switch c := words[i]; {
		case c == ' ':
			if i > start {
				f(words[start:i])
			}
			i++
			start = i
		case c >= 0xe3 && c < 0xee && i+3 <= len(words): // kana, Han, Hangul
			if i > start {
				f(words[start:i])
			}
			f(words[i : i+3])
			i += 3
			start = i
		default:
			i++
		}
	}
	if start < len(words) {
		f(words[start:])
	}
}

func mix(w [shingle]uint64) uint64 {
	h := w[0]*0x9e3779b97f4a7c15 ^ w[1]*0xc2b2ae3d27d4eb4f ^ w[2]*0x165667b19e3779f9
	h ^= h >> 29
	h *= 0xbf58476d1ce4e5b9
	return h ^ h>>32
}

// Sketch returns the sketch of a title and a text: see Doc.sketch.
func Sketch(title, text string) []byte {
	_, _, near := fingerprints(title, text)
	return near
}

// Simhash returns the fingerprint of a title and a text: see Doc.simhash.
func Simhash(title, text string) uint64 {
	_, near, _ := fingerprints(title, text)
	return near
}
