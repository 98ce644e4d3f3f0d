package article

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// squeeze keeps letters and digits only, in lower case.
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

// EachWord calls f with every word in lower case, every wide character by itself.
func EachWord(s string, f func(string)) {
	start := -1
	for i, r := range s {
		wide := isIdeographic(r)
		letter := !wide && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r))
		if start >= 0 && !letter {
			f(strings.ToLower(s[start:i]))
			start = -1
		}
		switch {
		case wide:
			f(s[i : i+utf8.RuneLen(r)])
		case letter && start < 0:
			start = i
		}
	}
	if start >= 0 {
		f(strings.ToLower(s[start:]))
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
