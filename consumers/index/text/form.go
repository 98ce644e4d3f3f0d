package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// The bounds of a form, in bytes and characters. Longer words are encoded data, shorter ones say
// nothing.
const (
	maxFormBytes = 40
	minFormRunes = 2
)

// Form returns a word in the form of the vocabulary: in lower case, with ё as е, with its ending.
// It returns "" for numbers, function words, and words that are too short or too long.
func Form(word string) string {
	if len(word) > 2*maxFormBytes {
		return ""
	}
	form := strings.ReplaceAll(Fold(withoutPoints(word)), "ё", "е")
	if len(form) > maxFormBytes || utf8.RuneCountInString(form) < minFormRunes || Stop(strings.TrimPrefix(form, ".")) || !strings.ContainsFunc(form, unicode.IsLetter) {
		return ""
	}
	return form
}
