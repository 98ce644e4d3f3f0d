package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// The bounds of a form, in bytes and characters: what is longer is encoded data, what is shorter
// says nothing.
const (
	maxFormBytes = 40
	minFormRunes = 2
)

// Form returns a word as it stands in the vocabulary: in lower case, ё as е, with its endings. It
// returns "" for numbers, function words, and what is too short or long.
func Form(word string) string {
	if len(word) > 2*maxFormBytes {
		return ""
	}
	form := strings.ReplaceAll(Fold(word), "ё", "е")
	if len(form) > maxFormBytes || utf8.RuneCountInString(form) < minFormRunes || Stop(form) || !strings.ContainsFunc(form, unicode.IsLetter) {
		return ""
	}
	return form
}
