package sketch

import (
	"math/bits"
	"slices"
)

const (
	// Bytes is the length of a sketch.
	Bytes = 64
	// MinWords is how many words a text must have to get a sketch.
	MinWords = 5
	// Near is the similarity from which two texts are called nearly the same: half way between .5,
	// which is not, and .8, which is.
	Near = 0.65

	phrase = 5 // words
)

// Maker makes the sketch of one text, word by word. The zero value is ready; Reset makes it ready
// for another text. It is for one goroutine.
type Maker struct {
	window  [phrase]uint64
	words   int
	phrases []uint64
}

// Reset forgets the words.
func (m *Maker) Reset() { m.words, m.phrases = 0, m.phrases[:0] }

// Add adds the next word of the text, as its hash (64 bits, well mixed).
func (m *Maker) Add(word uint64) {
	copy(m.window[:], m.window[1:])
	m.window[phrase-1] = word
	if m.words++; m.words >= phrase {
		m.phrases = append(m.phrases, join(m.window))
	}
}

// join hashes the words of a phrase, in their order.
func join(words [phrase]uint64) uint64 {
	var h uint64
	for _, w := range words {
		h = mix(h*0x9e3779b97f4a7c15 + w)
	}
	return h
}

// mix is the finalizer of SplitMix64 (Steele, Lea, Flood 2014).
func mix(h uint64) uint64 {
	h ^= h >> 30
	h *= 0xbf58476d1ce4e5b9
	h ^= h >> 27
	h *= 0x94d049bb133111eb
	return h ^ h>>31
}

// Sketch returns the sketch of the words that were added, Bytes long; nil for fewer than MinWords.
func (m *Maker) Sketch() []byte {
	if m.words < MinWords {
		return nil
	}
	least := [Bytes]uint64{}
	for i := range least {
		least[i] = ^uint64(0)
	}
	filled := 0
	for round := uint64(0); filled < Bytes; round++ {
		filled += m.fill(&least, round)
	}
	out := make([]byte, Bytes)
	for i, h := range least {
		out[i] = byte(mix(h))
	}
	return out
}

// fill is one round of Dahlgaard, Knudsen and Thorup: it hashes every phrase once. In the first 64
// rounds the hash chooses the value that the phrase counts for; in round 64+i that is value i. A
// value keeps the least hash of the first round in which it got one: those of later rounds are
// greater, as the round is in the upper bits. It returns how many values got their first hash.
func (m *Maker) fill(least *[Bytes]uint64, round uint64) (filled int) {
	const hashBits = 48
	empty := [Bytes]bool{}
	for i, h := range least {
		empty[i] = h == ^uint64(0)
	}
	for _, p := range m.phrases {
		h := mix(p ^ mix(round+1))
		i := h >> 58
		if round >= Bytes {
			i = round - Bytes
		}
		if h = round<<hashBits | h&(1<<hashBits-1); h < least[i] {
			least[i] = h
		}
	}
	for i, h := range least {
		if empty[i] && h != ^uint64(0) {
			filled++
		}
	}
	return filled
}

// Similarity estimates, from two sketches, the share of phrases that two texts have in common: 0 to
// 1. Of anything but sketches it is 0.
func Similarity(a, b []byte) float64 {
	if len(a) != Bytes || len(b) != Bytes {
		return 0
	}
	equal := 0
	for i := range a {
		if a[i] == b[i] {
			equal++
		}
	}
	const chance = 1.0 / 256
	return max(0, (float64(equal)/Bytes-chance)/(1-chance))
}

const (
	bands    = 6
	bandSize = 4
)

// Bands returns the names of a sketch's bands, in increasing order and without repeats; none of
// anything but a sketch. Sketches that are near each other have one in common, most likely.
func Bands(s []byte) []uint64 {
	if len(s) != Bytes {
		return nil
	}
	names := make([]uint64, bands)
	for i := range names {
		names[i] = band(s, i)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func band(s []byte, i int) uint64 {
	h := uint64(i + 1)
	for _, v := range s[i*bandSize : (i+1)*bandSize] {
		h = h<<8 | uint64(v)
	}
	return mix(h)
}

// FirstShared returns the least band that two sketches share, if they share one.
func FirstShared(a, b []byte) (least uint64, ok bool) {
	if len(a) != Bytes || len(b) != Bytes {
		return 0, false
	}
	for i := range bands {
		if n := band(a, i); n == band(b, i) && (!ok || n < least) {
			least, ok = n, true
		}
	}
	return least, ok
}

// Short returns one bit of each of a sketch's values: enough to fold copies in a list of results.
// 0 means none.
func Short(s []byte) uint64 {
	if len(s) != Bytes {
		return 0
	}
	var out uint64
	for i, v := range s {
		out |= uint64(v&1) << i
	}
	return max(out, 1)
}

// ShortNear reports whether two results of Short are of nearly equal texts. Two texts agree in a
// bit with probability s + (1-s)/2. The standard error of that estimate of s is .07 at .8.
func ShortNear(a, b uint64) bool {
	const most = Bytes * (1 - Near) / 2
	return a != 0 && b != 0 && float64(bits.OnesCount64(a^b)) <= most
}
