package article

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// squeeze keeps only letters and digits, in lower case.
func squeeze(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9':
			return r
		case 'A' <= r && r <= 'Z':
			return r + 'a' - 'A'
		case r < 0x80:
			return -1
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

func cutRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

func wordSet(s string) map[string]bool {
	set := make(map[string]bool, 16)
	EachWord(s, func(w string) { set[w] = true })
	return set
}

// EachWord calls f with every word in lower case; every wide character is a word.
func EachWord(s string, f func(string)) {
	start, lower := -1, true // start and case of the current word
	end := func(i int) {
		if w := s[start:i]; lower {
			f(w)
		} else {
			f(strings.ToLower(w))
		}
		start, lower = -1, true
	}
	for i := 0; i < len(s); {
		c := s[i]
		size, letter, wide := 1, 'a' <= c && c <= 'z' || '0' <= c && c <= '9', false
		switch {
		case letter:
		case 'A' <= c && c <= 'Z':
			letter, lower = true, false
		case c >= utf8.RuneSelf:
			var r rune
			r, size = utf8.DecodeRuneInString(s[i:])
			wide = isIdeographic(r)
			letter = !wide && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r))
			lower = lower && !letter
		}
		if start >= 0 && !letter {
			end(i)
		}
		switch {
		case wide:
			f(s[i : i+size])
		case letter && start < 0:
			start = i
		}
		i += size
	}
	if start >= 0 {
		end(len(s))
	}
}

func endsSentence(s string) bool {
	s = strings.TrimRight(s, "\"')]»”’ ")
	for _, end := range []string{".", "!", "?", "。", "！", "？", "…", "：", ":", "।", "؟"} {
		if strings.HasSuffix(s, end) {
			return end != ":" && end != "："
		}
	}
	return false
}

func isWideText(s string) bool {
	n := 0
	for _, r := range cutRunes(s, 40) {
		if isIdeographic(r) {
			n++
		}
	}
	return n > 5
}
