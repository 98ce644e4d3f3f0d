package dates

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

type tokenKind uint8

const (
	blank tokenKind = iota
	number
	word
	mark
)

// A token is a number, a word, a run of spaces or one other character.
type token struct {
	kind          tokenKind
	text          string // of words: lower case
	value, digits int
	eastern       bool // of numbers: digits that are not ASCII
	start, end    int
}

// scan cuts s into at most max tokens.
func scan(s string, max int) []token {
	out := make([]token, 0, min(max, len(s)/8+8))
	for i := 0; i < len(s) && len(out) < max; {
		t := next(s, i)
		i = t.end
		out = append(out, t)
	}
	return out
}

func next(s string, i int) token {
	r, size := utf8.DecodeRuneInString(s[i:])
	switch {
	case digitOf(r) >= 0:
		return numberAt(s, i)
	case unicode.IsSpace(r) || r == 0xa0:
		return run(s, i, blank, func(r rune) bool { return unicode.IsSpace(r) })
	case isUnit(r):
		return token{kind: word, text: s[i : i+size], start: i, end: i + size}
	case unicode.IsLetter(r):
		t := run(s, i, word, func(r rune) bool { return unicode.IsLetter(r) && !isUnit(r) || unicode.IsMark(r) })
		t.text = strings.ToLower(t.text)
		return t
	}
	return token{kind: mark, text: s[i : i+size], start: i, end: i + size}
}

// isUnit reports whether r is a word by itself: the signs for year, month, day, hour, minute,
// second.
func isUnit(r rune) bool {
	switch r {
	case '年', '月', '日', '号', '时', '時', '点', '點', '分', '秒', '년', '월', '일', '시', '분', '초':
		return true
	}
	return false
}

func run(s string, start int, kind tokenKind, in func(rune) bool) token {
	end := start
	for end < len(s) {
		r, n := utf8.DecodeRuneInString(s[end:])
		if !in(r) {
			break
		}
		end += n
	}
	if end == start {
		end += runeLen(s[start:])
	}
	return token{kind: kind, text: s[start:end], start: start, end: end}
}

// numberAt reads digits. For a number that is too long for a date, only the number of digits is
// right.
func numberAt(s string, start int) token {
	t := token{kind: number, start: start, end: start}
	for t.end < len(s) {
		r, size := utf8.DecodeRuneInString(s[t.end:])
		d := digitOf(r)
		if d < 0 {
			break
		}
		if t.digits < 9 {
			t.value = t.value*10 + d
		}
		t.end += size
		t.digits++
		t.eastern = t.eastern || size > 1
	}
	t.text = s[start:t.end]
	return t
}

// digitOf returns the value of a digit, also of Arabic, Persian, Hindi, Thai and of double width;
// -1 if it is none.
func digitOf(r rune) int {
	if r < utf8.RuneSelf {
		if '0' <= r && r <= '9' {
			return int(r - '0')
		}
		return -1
	}
	for _, zero := range [...]rune{0x660, 0x6f0, 0x966, 0xe50, 0xff10} {
		if zero <= r && r <= zero+9 {
			return int(r - zero)
		}
	}
	return -1
}

// runeLen returns the length in bytes of the first rune of s.
func runeLen(s string) int {
	_, n := utf8.DecodeRuneInString(s)
	return n
}
