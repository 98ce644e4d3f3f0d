package search

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"millrace/consumers/index/rank"
	"millrace/consumers/index/text"
)

// stand says for which typed words another one stands. Its weight is at most theirs together, so
// that a rare spelling does not count for more than what was typed.
type stand struct {
	of    []int   // indexes of words
	last  bool    // it counts only if no page has them
	share float64 // of their weight, at most; 0 = all
}

// typed is how many of the words were typed; they come first.
func (c *compiled) typed() int { return len(c.words) - len(c.others) }

// bound limits the weights of words that stand for others.
func (c *compiled) bound(weights []float64) {
	for i, s := range c.others {
		most := 0.0
		for _, w := range s.of {
			most += weights[w]
		}
		if s.share > 0 {
			most *= s.share
		}
		switch {
		case most == 0:
		case s.last:
			weights[i] = 0
		default:
			weights[i] = min(weights[i], most)
		}
	}
}

// stoodFor reports whether a page has another spelling of a word.
func (c *compiled) stoodFor(word int, stats *rank.Stats) bool {
	for i, s := range c.others {
		if !slices.Contains(s.of, word) {
			continue
		}
		for j := range c.words[i].Terms {
			if stats.DF[i][j] > 0 {
				return true
			}
		}
	}
	return false
}

// order moves the words that stand for others behind those that were typed.
func (b *builder) order() {
	if len(b.others) == 0 {
		return
	}
	to := make([]int, len(b.words))
	n := 0
	for _, other := range [...]bool{false, true} {
		for i := range b.words {
			if _, is := b.others[i]; is == other {
				to[i] = n
				n++
			}
		}
	}
	words, scored, others := slices.Clone(b.words), slices.Clone(b.scored), map[int]stand{}
	for i, n := range to {
		words[n], scored[n] = b.words[i], b.scored[i]
		if s, is := b.others[i]; is {
			others[n] = stand{of: moved(s.of, to), last: s.last, share: s.share}
		}
	}
	b.words, b.scored, b.others = words, scored, others
	for spelling, i := range b.byStem {
		b.byStem[spelling] = to[i]
	}
	for i, p := range b.pairs {
		b.pairs[i] = rank.Pair{First: to[p.First], Second: to[p.Second]}
	}
	b.strict, b.relaxed = rename(b.strict, to), rename(b.relaxed, to)
}

func moved(words, to []int) []int {
	out := make([]int, len(words))
	for i, w := range words {
		out[i] = to[w]
	}
	return out
}

// rename returns a match whose words have other indexes. Matches may share their arguments, so
// these are copied.
func rename(m rank.Match, to []int) rank.Match {
	switch m.Op {
	case rank.Has, rank.HasForm, rank.HasTitle, rank.HasAddress, rank.HasAuthor:
		m.Word = to[m.Word]
	}
	args := m.Args
	m.Args = nil
	for _, a := range args {
		m.Args = append(m.Args, rename(a, to))
	}
	return m
}

// otherWays returns other ways to write a token: British for American words, 120 kg for 120kg,
// 1.26.8 for v1.26.8, J. R. R. for J.R.R.
func (b *builder) otherWays(s string, run []text.Span, scored bool) []rank.Match {
	var ways []rank.Match
	if len(run) == 1 {
		typed := s[run[0].Start:run[0].End]
		for _, v := range text.Variants(typed) {
			b.standing(stand{of: b.named(s, run)}, func() { ways = append(ways, b.variant(v, scored)...) })
		}
		if bare := text.Bare(typed); bare != text.Fold(typed) {
			b.standing(stand{of: b.named(s, run), last: true}, func() {
				for _, a := range text.Marked() {
					ways = append(ways, b.variant(text.Variant{Analyser: a, Word: bare}, scored)...)
				}
			})
		}
		b.standing(stand{of: b.named(s, run)}, func() {
			ways = append(ways, b.waysOf(typed, scored)...)
			if name, ok := b.dotted(typed, scored); ok {
				ways = append(ways, name)
			}
		})
		if letters := text.Letters(typed); letters != "" {
			b.standing(stand{of: b.named(s, run), last: true}, func() { ways = append(ways, b.rows(letters, scored)) })
		}
	}
	for _, other := range apartOrVersion(s[run[0].Start:run[len(run)-1].End]) {
		b.standing(stand{of: b.named(s, run), last: true}, func() { ways = append(ways, b.rows(other, scored)) })
	}
	return ways
}

// standing calls add for words that stand for others. They are no neighbours of the word before.
func (b *builder) standing(s stand, add func()) {
	last, before := b.last, b.stands
	b.stands = &s
	add()
	b.last, b.stands = last, before
}

// named returns the words of spans that were added before.
func (b *builder) named(s string, run []text.Span) []int {
	var words []int
	for _, span := range run {
		if i, ok := b.byStem[s[span.Start:span.End]]; ok {
			words = append(words, i)
		}
	}
	return words
}

// variant requires another spelling, in texts of one analyser; nothing if no page is of it.
func (b *builder) variant(v text.Variant, scored bool) []rank.Match {
	for _, n := range b.normal {
		if n.analyser == v.Analyser {
			term := rank.Term{Analyser: n.analyser, Name: n.analyser.Term(n.Stem(v.Word))}
			if b.isTyped(term.Name) {
				continue
			}
			w := rank.Word{Typed: v.Word, Terms: []rank.Term{term}, Form: text.Form(v.Word)}
			return []rank.Match{{Op: rank.Has, Word: b.keep("="+term.Name, w, scored)}}
		}
	}
	return nil
}

// isTyped reports whether a term is one of the words that the added ones stand for, so that it
// would count twice.
func (b *builder) isTyped(term string) bool {
	return b.stands != nil && slices.ContainsFunc(b.stands.of, func(i int) bool {
		return slices.ContainsFunc(b.words[i].Terms, func(t rank.Term) bool { return t.Name == term })
	})
}

// rows requires the words of a text in their order.
func (b *builder) rows(s string, scored bool) rank.Match {
	var parts []rank.Match
	for _, run := range runs(s) {
		parts = append(parts, b.sequence(s, run, false, scored))
	}
	return all(parts)
}

// maxSeams is the most places between letters and digits at which a word is tried apart. A word
// with more is a number in base 16, or an identifier.
const maxSeams = 2

// version is the number of a version, with what may follow it: 2.0.0-rc1.
var version = regexp.MustCompile(`^\d+(\.\d+)+\.?([-+]?[a-z]{1,8}[.-]?\d*)?$`)

// apartOrVersion returns a token with letters and digits apart (120 kg for 120kg, RFC 9110 for
// RFC9110) or with its parts apart (http server for httpServer), a number with or without signs
// between its thousands, and the number of a version with or without its v.
func apartOrVersion(s string) []string {
	var seams []int
	var before rune
	for i, r := range s {
		if unicode.IsLetter(before) && unicode.IsDigit(r) || unicode.IsDigit(before) && unicode.IsLetter(r) {
			seams = append(seams, i)
		}
		before = r
	}
	var ways []string
	if len(seams) > 0 && len(seams) <= maxSeams {
		for _, i := range seams {
			ways = append(ways, s[:i]+" "+s[i:])
		}
		if len(seams) == maxSeams {
			ways = append(ways, s[:seams[0]]+" "+s[seams[0]:seams[1]]+" "+s[seams[1]:])
		}
	}
	ways = append(ways, grouped(s)...)
	if humps := text.Humps(s); len(humps) > 1 && len(humps) <= maxJoined {
		ways = append(ways, strings.Join(humps, " "))
	}
	bare := strings.TrimLeft(s, "vV")
	if len(s)-len(bare) > 1 || !version.MatchString(bare) {
		return ways
	}
	if bare != s {
		return append(ways, bare)
	}
	return append(ways, "v"+s)
}

// The longest unit behind a number, and the longest name before one, that may be written together
// with it.
const (
	longestUnit = 4
	longestName = 5
)

// together returns the match of a number and its unit, or a name and its number, written as one
// word: 120kg for 120 kg, RFC9110 for RFC 9110. ok is false if they are neither, or if word was
// translated to several conditions.
func (b *builder) together(before, word string, ways int) (m rank.Match, ok bool) {
	if before == "" || ways != 1 {
		return m, false
	}
	first, _ := utf8.DecodeRuneInString(word)
	last, _ := utf8.DecodeLastRuneInString(before)
	unit := unicode.IsDigit(last) && strings.Trim(before, "0123456789.,") == "" && unicode.IsLetter(first) && utf8.RuneCountInString(word) <= longestUnit
	name := letters(before) && utf8.RuneCountInString(before) <= longestName && unicode.IsDigit(first)
	if !unit && !name {
		return m, false
	}
	of := append(b.named(before, spans(before)), b.named(word, spans(word))...)
	b.standing(stand{of: of}, func() { m = b.rows(before+word, true) })
	return m, true
}

func letters(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) })
}

// spans returns the spans of a text.
func spans(s string) []text.Span {
	var all []text.Span
	for _, run := range runs(s) {
		all = append(all, run...)
	}
	return all
}

// The numbers of digits in thousands: a number of four digits may be a year, one of many is none
// that people read.
const (
	leastGrouped = 5
	mostGrouped  = 15
)

// groups is a number with commas, apostrophes or spaces between its thousands, or with two points.
var groups = regexp.MustCompile(`^(\d{1,3}(?:[,'’ \x{a0}\x{202f}]\d{3})+|\d{1,3}(?:\.\d{3}){2,})(\.\d+)?$`)

// grouped returns a number as other people write it: 1 234 567 for 1234567, and the other way.
func grouped(s string) []string {
	if found := groups.FindStringSubmatch(s); found != nil {
		return []string{strings.Map(onlyDigits, found[1]) + found[2]}
	}
	whole, decimals, _ := strings.Cut(s, ".")
	if strings.Trim(whole+decimals, "0123456789") != "" || len(whole) > mostGrouped ||
		len(whole) < leastGrouped-1 || len(whole) < leastGrouped && decimals == "" {
		return nil
	}
	return []string{thousands(whole) + " " + decimals}
}

func onlyDigits(r rune) rune {
	if '0' <= r && r <= '9' {
		return r
	}
	return -1
}

// thousands writes spaces between the thousands of a number.
func thousands(digits string) string {
	first := (len(digits)-1)%3 + 1
	out := digits[:first]
	for rest := digits[first:]; rest != ""; rest = rest[3:] {
		out += " " + rest[:3]
	}
	return out
}
