package search

import (
	"net/url"
	"strings"

	"millrace/consumers/index/query"
	"millrace/consumers/index/rank"
	"millrace/consumers/index/text"
)

// spelt requires the words of a token that was typed without spaces, in their order; or the token
// written as one word (e-mail, email) or in another way (others.go), or the page of which it is the
// address.
func (b *builder) spelt(s string, run []text.Span, scored bool) rank.Match {
	ways := []rank.Match{b.sequence(s, run, false, scored)}
	last := b.last // what follows is no neighbour of the word before
	one := text.AsOne(s, run)
	switch {
	case len(run) == 1:
		one = s[run[0].Start:run[0].End]
		ways = append(append(ways, b.acronyms(s, run, scored)...), b.inParts(one, b.named(s, run), scored))
	case text.IsAcronym(one):
		ways = append(ways, rank.Match{Op: rank.Has, Word: b.acronym(one, scored)})
	case one != "":
		b.standing(stand{of: b.named(s, run)}, func() {
			ways = append(ways, rank.Match{Op: rank.Has, Word: b.add(one, text.Span{End: len(one)}, "", scored)})
		})
	}
	if len(run) > 1 && elided(s, run) {
		ways = append(ways, b.sequence(s, run[1:], false, scored))
	}
	if first := s[run[0].Start:run[0].End]; len(run) > 1 && (strings.EqualFold(first, "isbn") || strings.EqualFold(first, "issn")) {
		rest := s[run[1].Start:run[len(run)-1].End] // isbn:978...
		for _, run := range runs(rest) {
			ways = append(ways, b.spelt(rest, run, scored))
		}
	}
	b.last = last
	if other := text.OtherISBN(one); other != "" {
		b.standing(stand{of: b.named(s, run)}, func() { ways = append(ways, b.rows(other, scored)) })
		ways = append(ways, b.inParts(other, b.named(s, run), scored))
	}
	if at, ok := pageAt(s); ok {
		ways = append(ways, onSite(at))
	}
	ways = append(ways, b.otherWays(s, run, scored)...)
	if len(ways) == 1 {
		return ways[0]
	}
	return rank.Match{Op: rank.Some, Args: ways}
}

// maxJoined bounds the words that are tried as one.
const maxJoined = 5

// partsShare is what a page with a word in parts (e-mail for email) gets of the score for the word.
const partsShare = 0.5

// inParts requires a word in parts that signs join.
func (b *builder) inParts(one string, of []int, scored bool) (m rank.Match) {
	w := rank.Word{Typed: one}
	for _, n := range b.normal {
		w.Terms = append(w.Terms, rank.Term{Analyser: n.analyser, Name: n.analyser.Term(text.JoinedStem(n.Stem(one)))})
	}
	b.standing(stand{of: of, share: partsShare}, func() {
		m = rank.Match{Op: rank.Has, Word: b.keep(text.JoinedStem(one), w, scored)}
	})
	return m
}

// elided reports whether the first word is an article without its vowel (l'eau), which need not be
// on the page.
func elided(s string, run []text.Span) bool {
	sign := s[run[0].End:run[1].Start]
	return (sign == "'" || sign == "’") && text.Elision(s[run[0].Start:run[0].End])
}

// acronym returns the index of the word for a function word in capitals: US, U.S.
func (b *builder) acronym(name string, scored bool) int {
	w := rank.Word{Typed: name}
	for _, n := range b.normal {
		w.Terms = append(w.Terms, rank.Term{Analyser: n.analyser, Name: n.analyser.Term(name)})
	}
	return b.keep("="+name, w, scored)
}

// acronyms requires the acronym that a word may be. If it was typed in capitals, the word in small
// letters counts only if no page has the acronym.
func (b *builder) acronyms(s string, run []text.Span, scored bool) (ways []rank.Match) {
	word := s[run[0].Start:run[0].End]
	add := func() {
		ways = append(ways, rank.Match{Op: rank.Has, Word: b.acronym(strings.ToUpper(word), scored)})
	}
	switch {
	case text.IsAcronym(word):
		add()
		for _, typed := range b.named(s, run) {
			b.others[typed] = stand{of: []int{ways[0].Word}, last: true}
		}
	case text.Pronoun(word):
		b.standing(stand{of: b.named(s, run)}, add)
	}
	return ways
}

// pageAt reads a token as the address of a page, with or without its scheme.
func pageAt(s string) (query.Site, bool) {
	bare := !strings.Contains(s, "://")
	if bare {
		s = "http://" + s
	}
	u, err := url.Parse(s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || u.Hostname() == "" || bare && !hostName(u.Hostname()) {
		return query.Site{}, false
	}
	path := strings.TrimRight(u.EscapedPath(), "/")
	return query.Site{Host: strings.ToLower(u.Hostname()), Path: path}, true
}

// hostName reports whether a text looks like the name of a host: labels with points between them,
// the last of letters.
func hostName(s string) bool {
	dot := strings.LastIndexByte(s, '.')
	if dot < 1 || len(s)-dot < 3 {
		return false
	}
	const letters = "abcdefghijklmnopqrstuvwxyz"
	s = strings.ToLower(s)
	return strings.Trim(s[dot+1:], letters) == "" && strings.Trim(s, letters+"0123456789-.") == ""
}
