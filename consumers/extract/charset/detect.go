package charset

import (
	"bytes"
	"math"
	"unicode/utf8"
)

// sampleBytes is how much of a page is decoded with each candidate: enough to be certain with a few
// dozen letters outside ASCII, and little enough for 25 candidates.
const sampleBytes = 4 << 10

// Detect returns the encoding in which body most likely is, from its bytes alone.
func (d *Decoder) Detect(body []byte) string {
	if name := looksWide(body); name != "" {
		return name
	}
	if name := sevenBit(body); name != "" {
		return name
	}
	if utf8Share(body) > 0.95 {
		return "utf-8"
	}
	sample := wideSample(body)
	if len(sample) == 0 {
		return DefaultName
	}
	name, _ := d.best(sample, math.Inf(1))
	return name
}

// looksWide recognises UTF-16 and UTF-32 without a mark by the positions of the zero bytes of ASCII
// characters.
func looksWide(body []byte) string {
	head := body[:min(len(body), 1<<10)&^3]
	if len(head) < 8 {
		return ""
	}
	var zero [4]int
	for i, c := range head {
		if c == 0 {
			zero[i&3]++
		}
	}
	quarter := len(head) / 4
	most := quarter * 3 / 4
	even, odd := zero[0]+zero[2], zero[1]+zero[3]
	switch {
	case zero[0] > most && zero[1] > most && zero[2] > most && zero[3] == 0:
		return "utf-32be"
	case zero[1] > most && zero[2] > most && zero[3] > most && zero[0] == 0:
		return "utf-32le"
	case isHalfZero(even, odd, quarter):
		return "utf-16be"
	case isHalfZero(odd, even, quarter):
		return "utf-16le"
	}
	return ""
}

// isHalfZero reports whether there are many zero bytes at the places of the high byte, those of
// ASCII characters, and few at those of the low byte: U+4E00, a common character of Chinese, has
// one. One unit in sixteen is enough if there are at least wideZeros: in a long paragraph of a
// script that is not Latin, only the spaces and the markup are ASCII.
func isHalfZero(high, low, quarter int) bool {
	return (high > quarter/2 || high > quarter/8 && high >= wideZeros) && low <= high/8
}

const wideZeros = 16

// sevenBit recognises ISO-2022-JP by its escape sequences.
func sevenBit(body []byte) string {
	for _, escape := range []string{"\x1b$B", "\x1b$@", "\x1b(J"} {
		if bytes.Contains(body, []byte(escape)) {
			return "iso-2022-jp"
		}
	}
	return ""
}

// utf8Share returns the share of non-ASCII sequences that are well-formed UTF-8. A page that was
// cut, or has one field from another source, is still UTF-8.
func utf8Share(body []byte) float64 {
	good, bad := 0, 0
	for i := 0; i < len(body); {
		if body[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, size := utf8.DecodeRune(body[i:])
		if r == utf8.RuneError && size == 1 {
			bad++
		} else {
			good++
		}
		i += size
	}
	if good == 0 {
		return 0
	}
	return float64(good) / float64(good+bad)
}

// wideSample collects the text around bytes outside ASCII, without markup, so that it has words
// instead of tags and scripts.
func wideSample(body []byte) []byte {
	out := make([]byte, 0, sampleBytes)
	for i := 0; i < len(body) && len(out) < sampleBytes; {
		if body[i] < utf8.RuneSelf {
			i++
			continue
		}
		start := max(wordStart(body, i), 0)
		end := runEnd(body, i, sampleBytes-len(out))
		out = append(out, body[start:end]...)
		out = append(out, ' ')
		i = end
	}
	return out
}

// wordStart goes back over the ASCII letters before i.
func wordStart(body []byte, i int) int {
	for i > 0 && isLetter(body[i-1]) {
		i--
	}
	return i
}

// runEnd goes forward until markup or 40 ASCII bytes in a row, at most max bytes.
func runEnd(body []byte, i, max int) int {
	ascii := 0
	end := i
	for ; i < len(body) && max > 0; i, max = i+1, max-1 {
		c := body[i]
		if c == '<' || c == '>' || ascii > 40 {
			break
		}
		if c < utf8.RuneSelf {
			ascii++
		} else {
			ascii = 0
		}
		end = i + 1
	}
	return end
}

func isLetter(c byte) bool { c |= 0x20; return 'a' <= c && c <= 'z' }
