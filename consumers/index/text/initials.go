package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxInitials is how many letters an abbreviation may have. More letters with points between them
// are something else.
const maxInitials = 8

// initials returns the length of the word that begins with the letter at a place: I.B.M. is one
// word, without its last point; of other words it is the letter alone. An abbreviation has a point
// behind each letter; behind the last of three or more it may be missing. Letters that make a
// function word without their points (U.S., I.T.) stay apart, because pages with that word would be
// found.
func initials(text string, at int) int {
	one := letterSize(text[at:])
	if one == 0 || at > 0 && text[at-1] == '.' {
		return max(one, 1)
	}
	n, end := 1, one // letters, and where the last of them ends
	for rest := text[at+one:]; strings.HasPrefix(rest, "."); n++ {
		size := letterSize(rest[1:])
		if size == 0 || n == maxInitials {
			break
		}
		next, _ := decode(rest[1+size:])
		if wordRune(next) {
			return one // org.example
		}
		end += 1 + size
		rest = rest[1+size:]
	}
	last, _ := decode(text[at+end:])
	if n < 2 || n == 2 && last != '.' || last == '.' && letterSize(text[at+end+1:]) > 0 || pronoun(text[at:at+end]) {
		return one
	}
	return end
}

// pronoun reports whether initials are a function word without their points.
func pronoun(initials string) bool {
	word := withoutPoints(Fold(initials))
	return Stop(word) || word == "us" || word == "me"
}

// letterSize returns the size of the letter that a text begins with, if it is of a script with
// spaces; else 0.
func letterSize(text string) int {
	if len(text) > 0 && text[0] < utf8.RuneSelf {
		if asciiLetter(text[0]) {
			return 1
		}
		return 0
	}
	if r, size := decode(text); unicode.IsLetter(r) && !spaceless(r) {
		return size
	}
	return 0
}

// withoutPoints removes the points inside of an abbreviation. The one before a name (.NET) stays.
func withoutPoints(word string) string {
	if strings.LastIndexByte(word, '.') < 1 {
		return word
	}
	return word[:1] + strings.ReplaceAll(word[1:], ".", "")
}

// Letters returns the letters of an abbreviation with points, with spaces between them; "" if it is
// none.
func Letters(word string) string {
	if strings.LastIndexByte(word, '.') < 1 {
		return ""
	}
	return strings.ReplaceAll(word, ".", " ")
}

// Letter reports whether a word of a query is one letter of a script with spaces; there may be a
// point behind it.
func Letter(word string) bool {
	word = strings.TrimSuffix(word, ".")
	return word != "" && letterSize(word) == len(word)
}
