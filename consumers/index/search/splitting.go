package search

import (
	"strings"
	"unicode/utf8"

	"millrace/consumers/index/rank"
	"millrace/consumers/index/text"
)

// links are what may stand between the parts of a compound: Schifffahrt-s-gesellschaft.
var links = [...]string{"", "s", "es", "n", "en", "ens", "ns", "er", "e", "a", "o", "u"}

// maxParts bounds the words of a compound.
const maxParts = 5

// splitting tells which words of a language are made of others.
type splitting struct {
	of         text.Analyser
	word, stem string           // what was typed, in small letters without marks
	known      map[string]int64 // pieces of words that are words of the index
}

// occurrences returns where a word has a part.
func occurrences(name, part string) (all []int) {
	for from := 0; from < len(name); {
		i := strings.Index(name[from:], part)
		if i < 0 {
			break
		}
		all = append(all, from+i)
		_, size := utf8.DecodeRuneInString(name[from+i:])
		from += i + size
	}
	return all
}

// in reports whether a stem is made of words, of which one is the typed one. What the stemmer took
// from that one may be there inside of a compound.
func (sp *splitting) in(name string) bool {
	ending, ok := strings.CutPrefix(sp.word, sp.stem)
	for _, at := range occurrences(name, sp.stem) {
		if left := name[:at]; left != "" && !sp.open(left) {
			continue
		}
		right := name[at+len(sp.stem):]
		if right == "" || sp.linked(right, maxParts) {
			return true
		}
		if rest, has := strings.CutPrefix(right, ending); ok && has && ending != "" && (rest == "" || sp.linked(rest, maxParts)) {
			return true
		}
	}
	return false
}

// open reports whether a text is one or more words with links behind them.
func (sp *splitting) open(s string) bool {
	for _, link := range links {
		if bare, ok := strings.CutSuffix(s, link); ok && sp.row(bare, maxParts) {
			return true
		}
	}
	return false
}

// linked reports whether a text is a link and words.
func (sp *splitting) linked(s string, most int) bool {
	for _, link := range links {
		if rest, ok := strings.CutPrefix(s, link); ok && sp.row(rest, most) {
			return true
		}
	}
	return false
}

// row reports whether a text is at most so many words with links between them.
func (sp *splitting) row(s string, most int) bool {
	if sp.known[s] > 0 {
		return true
	}
	for i := range s {
		if i >= rank.LeastPart && most > 1 && sp.known[s[:i]] > 0 && sp.linked(s[i:], most-1) {
			return true
		}
	}
	return false
}

// leastOfSplit is how many letters the parts have at least into which a typed word is split.
const leastOfSplit = 4

// split returns the two or more words that the typed word is made of, the first as long as
// possible; nil if there are none.
func (sp *splitting) split(s string, most int) []string {
	if utf8.RuneCountInString(s) < leastOfSplit || most == 0 {
		return nil
	}
	if s != sp.word && sp.known[s] > 0 {
		return []string{s}
	}
	for i := len(s) - 1; i > 0; i-- {
		if !utf8.RuneStart(s[i]) || sp.known[s[:i]] == 0 || utf8.RuneCountInString(s[:i]) < leastOfSplit {
			continue
		}
		for _, link := range links {
			if rest, ok := strings.CutPrefix(s[i:], link); ok {
				if others := sp.split(rest, most-1); others != nil {
					return append([]string{s[:i]}, others...)
				}
			}
		}
	}
	return nil
}
