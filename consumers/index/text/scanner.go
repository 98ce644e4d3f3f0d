package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Span is one token: its byte offsets in the text, its position counted from 1, and whether it is a
// pair of characters (or the single last one) of a script without spaces.
type Span struct {
	Start, End int
	Position   int
	Pair       bool
	Last       bool // the single last character of a run; the pair before it, if any, has it too
}

// Scanner cuts a text into spans. The zero Scanner is empty; start with Scan.
type Scanner struct {
	text     string
	next     int
	position int
}

// Scan starts at the beginning of text.
func Scan(text string) Scanner { return Scanner{text: text} }

// Next returns the next span, and false at the end.
func (s *Scanner) Next() (Span, bool) {
	for s.next < len(s.text) {
		if c := s.text[s.next]; asciiWord(c) {
			return s.word(), true
		} else if c == '.' && s.dotted() {
			return s.name(), true
		} else if c < utf8.RuneSelf {
			s.next++
			continue
		}
		r, size := decode(s.text[s.next:])
		switch {
		case spaceless(r):
			return s.pair(size), true
		case wordRune(r):
			return s.word(), true
		}
		s.next += size
	}
	return Span{}, false
}

// dotted reports whether the point at the scanner's place begins a name, such as .NET or
// .gitignore: it stands behind a space, a parenthesis or nothing, and before a letter.
func (s *Scanner) dotted() bool {
	i := s.next
	return i+1 < len(s.text) && asciiLetter(s.text[i+1]) && (i == 0 || strings.IndexByte(" \t\n(\"'", s.text[i-1]) >= 0)
}

// name is word for a word with a point before it, which belongs to its form but not to its stem.
func (s *Scanner) name() Span {
	start := s.next
	s.next++
	span := s.word()
	span.Start = start
	return span
}

func (s *Scanner) pair(size int) Span {
	start := s.next
	s.next += size + tail(s.text[s.next:], size)
	s.position++
	end, last := s.next, true
	if r, n := decode(s.text[s.next:]); n > 0 && spaceless(r) {
		end, last = s.next+n+tail(s.text[s.next:], n), false
	}
	return Span{Start: start, End: end, Position: s.position, Pair: true, Last: last}
}

func (s *Scanner) word() Span {
	start := s.next
	for s.next < len(s.text) && asciiWord(s.text[s.next]) {
		s.next++
	}
	if s.next == start+1 && s.next < len(s.text) && s.text[s.next] == '.' {
		s.next = start + initials(s.text, start)
	}
	if s.next == len(s.text) || plainEnd(s.text[s.next]) {
		s.position++
		return Span{Start: start, End: s.next, Position: s.position}
	}
	for s.next < len(s.text) {
		r, size := decode(s.text[s.next:])
		if spaceless(r) || !wordRune(r) && !joiner(r) && !abbreviates(s.text, s.next) || r == zeroWidthNonJoiner && arabicBefore(s.text[:s.next]) {
			break
		}
		s.next += size
	}
	if start+letterSize(s.text[start:]) == s.next {
		s.next = start + initials(s.text, start)
	}
	end := s.next
	if n := operator(s.text[start:end], s.text[end:]); n > 0 {
		s.next += n
		end = s.next
	} else if n := possessive(s.text[end:]); n > 0 {
		s.next += n
	}
	s.position++
	return Span{Start: start, End: end, Position: s.position}
}

// plainEnd reports whether a word ends before c whatever follows: c is ASCII, and begins neither an
// operator nor a possessive.
func plainEnd(c byte) bool {
	return c < utf8.RuneSelf && c != '+' && c != '#' && c != '\'' && !asciiWord(c)
}

// operator returns the length of a suffix that belongs to the word: c++, notepad++, c#. The number
// of a release behind it is a word of its own: c++17.
func operator(word, rest string) int {
	n := 0
	switch first, size := decode(rest); narrow(first) {
	case '+':
		if second, more := decode(rest[size:]); narrow(second) == '+' {
			n = size + more
		}
	case '#':
		if letterSize(word) == len(word) {
			n = size
		}
	}
	if n == 0 {
		return 0
	}
	r, _ := decode(rest[n:])
	last, _ := utf8.DecodeLastRuneInString(word)
	if release := unicode.IsDigit(r) && unicode.IsLetter(last); !release && (wordRune(r) && !spaceless(r) || narrow(r) == '+' || narrow(r) == '#') {
		return 0
	}
	return n
}

// narrow writes a full-width form as the character of ASCII.
func narrow(r rune) rune {
	if 0xFF01 <= r && r <= 0xFF5E {
		return r - 0xFEE0
	}
	return r
}

// abbreviates reports whether the sign at a place is inside of a Hebrew word: it marks an
// abbreviation (צה"ל) or a foreign sound (ג'ירפה).
func abbreviates(text string, at int) bool {
	r, size := decode(text[at:])
	if r != '"' && r != '\'' && r != '’' && r != '״' && r != '׳' {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(text[:at])
	after, _ := decode(text[at+size:])
	return unicode.Is(unicode.Hebrew, before) && unicode.Is(unicode.Hebrew, after)
}

// zeroWidthNonJoiner is where a part of a Persian word ends, which others write with a space there.
const zeroWidthNonJoiner = 0x200C

func arabicBefore(text string) bool {
	r, _ := utf8.DecodeLastRuneInString(text)
	return unicode.Is(unicode.Arabic, r)
}

// tail returns how many bytes behind the first character of a text, which has so many bytes, belong
// to it: the signs of voiced kana that are written apart (half-width, or decomposed), and the other
// parts of a decomposed Hangul syllable.
func tail(text string, size int) int {
	first, _ := decode(text)
	rest := text[size:]
	r, n := decode(rest)
	switch {
	case 0xFF66 <= first && first <= 0xFF9D && (r == 0xFF9E || r == 0xFF9F):
		return n
	case 0x3041 <= first && first <= 0x30FF && (r == 0x3099 || r == 0x309A):
		return n
	case 0x1100 <= first && first <= 0x115F && 0x1160 <= r && r <= 0x11A7:
		if final, m := decode(rest[n:]); 0x11A8 <= final && final <= 0x11FF {
			return n + m
		}
		return n
	}
	return 0
}

// possessive returns the length of 's at the end of a word. It is left out of the word.
func possessive(rest string) int {
	r, n := decode(rest)
	if r != '\'' && r != '’' || len(rest) <= n || rest[n]|0x20 != 's' {
		return 0
	}
	if after, _ := decode(rest[n+1:]); wordRune(after) {
		return 0
	}
	return n + 1
}

func decode(s string) (rune, int) {
	if len(s) == 0 {
		return utf8.RuneError, 0
	}
	if s[0] < utf8.RuneSelf {
		return rune(s[0]), 1
	}
	return utf8.DecodeRuneInString(s)
}

// asciiWord reports whether c is a letter or digit of ASCII.
func asciiWord(c byte) bool { return '0' <= c && c <= '9' || asciiLetter(c) }

func asciiLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func wordRune(r rune) bool {
	if r < utf8.RuneSelf {
		return asciiWord(byte(r))
	}
	return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r))
}

// joiner is an invisible character inside a word: soft hyphen, zero-width spaces and joiners.
func joiner(r rune) bool {
	return r == 0xAD || 0x200B <= r && r <= 0x200D || r == 0x2060 || r == 0xFEFF
}

// spaceless reports whether a character is of a script without spaces between words: Thai, Lao,
// Myanmar, Khmer, Hangul, kana, Han.
func spaceless(r rune) bool {
	if r < 0x0E00 {
		return false
	}
	switch {
	case r <= 0x0EFF, 0x1000 <= r && r <= 0x109F, 0x1100 <= r && r <= 0x11FF, 0x1780 <= r && r <= 0x17FF:
		return unicode.IsLetter(r) || unicode.IsMark(r)
	case r == 0x3005, r == 0x3007, 0x3041 <= r && r <= 0x312F, 0x31A0 <= r && r <= 0x31FF:
		return unicode.IsLetter(r) || unicode.IsNumber(r)
	case 0x3400 <= r && r <= 0x4DBF, 0x4E00 <= r && r <= 0x9FFF, 0xAC00 <= r && r <= 0xD7A3:
		return true
	case 0xF900 <= r && r <= 0xFAFF, 0xFF66 <= r && r <= 0xFF9D, 0x20000 <= r && r <= 0x3FFFF:
		return unicode.IsLetter(r)
	}
	return false
}
