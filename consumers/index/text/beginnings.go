package text

import "unicode/utf8"

// Beginnings tells which words of a text cannot have one of a few stems, by their first two letters
// or their first Chinese character, so that most words of a page need not be normalised. The zero
// value lets no word through that begins with ASCII or such a character.
type Beginnings struct {
	ascii [128]seconds // by the first letter
	han   [64]uint64   // a bit for the last 12 bits of the first character's encoding
}

// seconds are the second letters that words with a first letter may have: a bit for each letter
// from a, and anySecond.
type seconds uint32

const anySecond seconds = 1 << 31

// Add lets words through that may have a stem; with prefix, a stem that begins with it.
func (b *Beginnings) Add(stem string, prefix bool) {
	switch {
	case stem == "":
	case stem[0] < utf8.RuneSelf:
		b.ascii[stem[0]] |= second(stem, prefix)
	case isHan(stem):
		word, bit := hanBit(stem)
		b.han[word] |= bit
	}
}

// second returns the second letters of words of a stem. A stem keeps the first two letters of its
// words, but for y, i and e in dying and die; a short stem may have lost its second.
func second(stem string, prefix bool) seconds {
	if len(stem) < 2 || len(stem) == 2 && !prefix {
		return anySecond
	}
	switch c := stem[1] | 0x20; {
	case c < 'a' || c > 'z' || c == 'y' || c == 'i' || c == 'e':
		return anySecond
	default:
		return 1 << (c - 'a')
	}
}

// isHan reports whether a text begins with a character from U+4000 to U+9FFF, which no rule
// changes.
func isHan(s string) bool { return len(s) >= 3 && 0xE4 <= s[0] && s[0] <= 0xE9 }

func hanBit(s string) (word int, bit uint64) {
	return int(s[1] & 0x3F), 1 << (s[2] & 0x3F)
}

// May reports whether a word may have one of the stems.
func (b *Beginnings) May(word string) bool {
	if word[0] >= utf8.RuneSelf {
		if !isHan(word) {
			return true
		}
		i, bit := hanBit(word)
		return b.han[i]&bit != 0
	}
	may := b.ascii[word[0]] | b.ascii[word[0]|0x20]
	if may == 0 || may&anySecond != 0 || len(word) < 2 {
		return may != 0
	}
	c := word[1] | 0x20
	return c < 'a' || c > 'z' || may&(1<<(c-'a')) != 0
}

// NextLike is Next for those who want only words that may have one of the stems: of the others it
// leaves out as many as it can.
func (s *Scanner) NextLike(b *Beginnings) (Span, bool) {
	for {
		s.passUnlike(b)
		span, ok := s.Next()
		if !ok || b.May(s.text[span.Start:span.End]) {
			return span, ok
		}
	}
}

// passUnlike moves over plain words of ASCII that do not begin like one of the stems, and over what
// is between them.
func (s *Scanner) passUnlike(b *Beginnings) {
	t := s.text
	for i := s.next; i < len(t); {
		if c := t[i]; c >= utf8.RuneSelf {
			return
		} else if !asciiWord(c) {
			i++
			s.next = i
			continue
		}
		if b.May(t[i:]) {
			return
		}
		for i < len(t) && asciiWord(t[i]) {
			i++
		}
		if i < len(t) && !plainEnd(t[i]) {
			return // the word goes on; Next reads it
		}
		s.position++
		s.next = i
	}
}
