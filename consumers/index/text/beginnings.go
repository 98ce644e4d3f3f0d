package text

import "unicode/utf8"

// Beginnings tells which words of a text cannot have one of a few stems, by their first three
// letters or their first Chinese character, so that most words of a page need not be normalised.
// What NewBeginnings returns lets no word through that begins with ASCII or such a character.
type Beginnings struct {
	ascii [128]letters     // the second letters, by the first letter
	third [26 * 26]letters // the third letters, by the first two
	han   [64]uint64       // a bit for the last 12 bits of the first character's encoding
	two   bool             // the third letter of a stem says nothing
}

// NewBeginnings returns the beginnings for stems of an analyser. The Finnish stemmer makes one of
// two equal letters, which may be the second and third.
func NewBeginnings(a Analyser) *Beginnings { return &Beginnings{two: a == "fi"} }

// letters are the letters that may stand at a place of a word: a bit for each from a, and any.
type letters uint32

const anyLetter letters = 1 << 31

// Add lets words through that may have a stem; with prefix, a stem that begins with it.
func (b *Beginnings) Add(stem string, prefix bool) {
	switch {
	case stem == "":
	case stem[0] < utf8.RuneSelf:
		second := letter(stem, 1, prefix)
		b.ascii[stem[0]] |= second
		if second == anyLetter {
			return
		}
		if first := stem[0] - 'a'; first < 26 {
			third := letter(stem, 2, prefix)
			if b.two || len(stem) < leastOfThree && !prefix {
				third = anyLetter
			}
			b.third[int(first)*26+int(stem[1]-'a')] |= third
		}
	case isHan(stem):
		word, bit := hanBit(stem)
		b.han[word] |= bit
	}
}

// leastOfThree is the length from which on a stem keeps the first three letters of its words:
// sky and skies have the stem ski.
const leastOfThree = 4

// letter returns the letters that words of a stem may have at a place. A stem keeps the first
// letters of its words, but for y, i and e in dying and die; a short stem may have lost its last.
func letter(stem string, at int, prefix bool) letters {
	if len(stem) <= at || len(stem) == at+1 && !prefix {
		return anyLetter
	}
	switch c := stem[at] | 0x20; {
	case c < 'a' || c > 'z' || at == 1 && (c == 'y' || c == 'i' || c == 'e'):
		return anyLetter
	default:
		return 1 << (c - 'a')
	}
}

// isHan reports whether a text begins with a character from U+4000 to U+9FFF. The only rule that
// changes them reads traditional ones as simplified ones.
func isHan(s string) bool { return len(s) >= 3 && 0xE4 <= s[0] && s[0] <= 0xE9 }

// hanBit returns the bit of what the first character is read as; all bits for the few that are read
// as one below U+4000, whose stems Add does not note.
func hanBit(s string) (word int, bit uint64) {
	r, _ := utf8.DecodeRuneInString(s)
	if r = simple(r); r < 0x4000 {
		return 0, ^uint64(0)
	}
	return int(r >> 6 & 0x3F), 1 << (r & 0x3F)
}

// May reports whether a word may have one of the stems.
func (b *Beginnings) May(word string) bool {
	if word[0] == '.' {
		word = word[1:]
	}
	if word[0] >= utf8.RuneSelf {
		if !isHan(word) {
			return true
		}
		i, bit := hanBit(word)
		return b.han[i]&bit != 0 || bit == ^uint64(0)
	}
	may := b.ascii[word[0]] | b.ascii[word[0]|0x20]
	if may == 0 || may&anyLetter != 0 || len(word) < 2 {
		return may != 0
	}
	second := word[1] | 0x20
	if second < 'a' || second > 'z' {
		return true
	}
	if may&(1<<(second-'a')) == 0 {
		return false
	}
	first := (word[0] | 0x20) - 'a'
	if first >= 26 || len(word) < 3 || !asciiLetter(word[2]) {
		return true
	}
	may = b.third[int(first)*26+int(second-'a')]
	return may&(anyLetter|1<<(word[2]|0x20-'a')) != 0
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
			if s.next = i; c == '.' && s.dotted() {
				return // a name; Next reads it
			}
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
