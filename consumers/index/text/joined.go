package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxJoined bounds the words that are read as one.
const maxJoined = 5

// AsOne returns words that one sign joins each (node.js, wi-fi, don't, max_connections, 1,234,567,
// AT&T) as one word; "" if other signs are between them, or none. A point does not join numbers:
// 2.6.1 is not 261. Of initials that are a function word without their points, it returns the
// Acronym: US for U.S.
func AsOne(s string, run []Span) string {
	if len(run) < 2 || len(run) > maxJoined {
		return ""
	}
	var b strings.Builder
	for i, span := range run {
		word := s[span.Start:span.End]
		if i > 0 && !Joins(s[run[i-1].Start:run[i-1].End], s[run[i-1].End:span.Start], word) {
			return ""
		}
		b.WriteString(word)
	}
	if one := b.String(); !pronoun(one) {
		return one
	}
	if s[run[0].End:run[1].Start] == "." {
		return strings.ToUpper(b.String())
	}
	return ""
}

// Joins reports whether a sign between two words makes one of them.
func Joins(before, sign, after string) bool {
	switch sign {
	case "-", "\u2010", "\u2011", "'", "’", "_", "\u200c", "·":
		return true
	case ".":
		return !digits(before) && !digits(after)
	case ",":
		return digits(before) && digits(after) && len(after) == 3
	case "&":
		return len(before) <= longestBesideAnd && len(after) <= longestBesideAnd
	}
	return false
}

// JoinedStem returns the stem under which a page is found that has a word in parts with signs
// between them. It is another term than that of the word, so that those pages count for less.
func JoinedStem(stem string) string { return "&" + stem }

// longestBesideAnd is the most letters of a part of a name with &: AT&T.
const longestBesideAnd = 3

// digits reports whether a word has a digit.
func digits(word string) bool { return strings.ContainsAny(word, "0123456789") }

// Joining tells what words of a text are one with those behind them. It gets the spans of the text
// one after the other.
type Joining struct {
	text     string
	analyser Analyser
	run      [maxJoined]Span
	n        int // spans in run; more than maxJoined: too many
}

// Join begins with a text in a language.
func Join(s string, a Analyser) Joining { return Joining{text: s, analyser: a} }

// Next takes the next span. If it ends a run of words that are one, Next returns that word and the
// span from the first to the last of them; else "".
func (j *Joining) Next(span Span) (one string, whole Span) {
	if j.n > 0 && j.goesOn(span) {
		if j.n < maxJoined {
			j.run[j.n] = span
		}
		j.n++
		return "", Span{}
	}
	one, whole = j.End()
	j.run[0], j.n = span, 1
	if span.Pair {
		j.n = 0
	}
	return one, whole
}

// End ends the text: it returns what Next would at a word that stands by itself.
func (j *Joining) End() (one string, whole Span) {
	n := j.n
	j.n = 0
	if n < 2 || n > maxJoined {
		return "", Span{}
	}
	run := j.run[:n]
	if n > 2 && j.text[run[0].End:run[1].Start] == "." {
		return "", Span{} // a name of a package: its parts are words
	}
	one = AsOne(j.text, run)
	if len(one) > maxFormBytes {
		return "", Span{}
	}
	return one, Span{Start: run[0].Start, End: run[n-1].End, Position: run[0].Position}
}

// longestSign is the most bytes of a sign that joins words.
const longestSign = 3

func (j *Joining) goesOn(span Span) bool {
	last := j.run[min(j.n, maxJoined)-1]
	if j.n >= maxJoined {
		last.End = span.Start // longer than a word: only the end of the run matters
		return !span.Pair && strings.IndexByte(" \t\n", j.text[span.Start-1]) < 0
	}
	size := span.Start - last.End
	if span.Pair || size < 1 || size > longestSign || j.text[last.End] == ' ' {
		return false
	}
	sign := j.text[last.End:span.Start]
	if j.elides() && (sign == "'" || sign == "’") {
		return false
	}
	return Joins(j.text[last.Start:last.End], sign, j.text[span.Start:span.End])
}

// elides reports whether an apostrophe is mostly between an article and a word.
func (j *Joining) elides() bool {
	return j.analyser == "fr" || j.analyser == "it" || j.analyser == Plain
}

// Acronym returns a word in capitals that is a function word in small letters, such as US, IT and
// WHO, if those beside it are not in capitals too; else "". It is a term of its own, in capitals.
func Acronym(s string, span Span) string {
	word := s[span.Start:span.End]
	if len(word) < 2 || len(word) > maxInitials || word[0] > 'Z' || word[1] > 'Z' || !capitals(word) || !pronoun(word) ||
		capitals(wordBefore(s[:span.Start])) || capitals(wordBehind(s[span.End:])) {
		return ""
	}
	return word
}

// IsAcronym reports whether a word is in capitals and a function word in small letters.
func IsAcronym(word string) bool { return capitals(word) && pronoun(word) }

// Pronoun reports whether a word that is no function word for Stop is one without its points.
func Pronoun(word string) bool { return pronoun(word) && !Stop(Fold(word)) }

// capitals reports whether a word has two or more letters, all capitals of ASCII.
func capitals(word string) bool {
	return len(word) > 1 && strings.Trim(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

// farthest is how many bytes beside a word are looked at for the next one.
const farthest = 24

func wordBefore(s string) string {
	s = strings.TrimRight(s[max(0, len(s)-farthest):], " ")
	return s[strings.LastIndexFunc(s, func(r rune) bool { return !wordRune(r) })+1:]
}

func wordBehind(s string) string {
	s = strings.TrimLeft(s[:min(len(s), farthest)], " ")
	if end := strings.IndexFunc(s, func(r rune) bool { return !wordRune(r) }); end >= 0 {
		return s[:end]
	}
	return s
}

// leastHumps is how many parts a word has at least that is taken for an identifier. Names have two:
// JavaScript, McDonald.
const leastHumps = 3

// maxHumps bounds the parts of an identifier.
const maxHumps = 8

// Humps returns the parts of a word that begin with a capital inside of it: get, Element, By, Id of
// getElementById; HTTP and Server of HTTPServer. It returns nil for other words.
func Humps(word string) []string {
	if len(word) < 4 || len(word) > MaxTermBytes || strings.IndexFunc(word[1:], unicode.IsUpper) < 0 {
		return nil
	}
	var parts []string
	start := 0
	letters := []rune(word)
	at := 0
	for i, r := range letters {
		if i > 0 && unicode.IsUpper(r) && (unicode.IsLower(letters[i-1]) || unicode.IsUpper(letters[i-1]) && i+1 < len(letters) && unicode.IsLower(letters[i+1])) {
			parts = append(parts, word[start:at])
			start = at
		}
		at += utf8.RuneLen(r)
	}
	if start == 0 || len(parts) >= maxHumps || at != len(word) {
		return nil
	}
	return append(parts, word[start:])
}
