package search

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"millrace/consumers/index/rank"
	"millrace/consumers/index/text"
)

// needles are the terms of a query in one analyser with their weights.
type needles struct {
	analyser text.Analyser
	normal   *text.Normaliser
	exact    map[string]float64
	prefixes map[string]float64
	begins   map[string]float64 // beginnings of words as they are written
	like     *text.Beginnings   // of all of these
	typed    int                // how many of exact are words that were typed
}

func newNeedles(a text.Analyser, normal *text.Normaliser, c *compiled, weights []float64) *needles {
	n := &needles{analyser: a, normal: normal, exact: map[string]float64{}, prefixes: map[string]float64{}, begins: map[string]float64{}, like: text.NewBeginnings(a)}
	for i, w := range c.words {
		if !c.scored[i] || c.absent != nil && c.absent[i] {
			continue
		}
		if w.Begin {
			n.begins[w.Form] = max(weights[i], 0.1)
			n.like.Add(w.Form, true)
		}
		for _, t := range w.Terms {
			if t.Analyser != a {
				continue
			}
			into := n.exact
			if t.Prefix {
				into = n.prefixes
			} else if _, known := into[t.Name]; !known && i < c.typed() {
				n.typed++
			}
			n.like.Add(strings.TrimPrefix(t.Name, a.Term("")), t.Prefix)
			into[t.Name] = max(weights[i], 0.1) // a word that every page has is marked too
		}
	}
	return n
}

// weight returns the weight of a term, and how many of its bytes match (only those of the prefix,
// if a prefix matches).
func (n *needles) weight(term string) (float64, int) {
	if w, ok := n.exact[term]; ok {
		return w, len(term)
	}
	for p, w := range n.prefixes {
		if strings.HasPrefix(term, p) {
			return w, len(p)
		}
	}
	return 0, 0
}

// begun returns the weight of the beginning that a word has; 0 if it has none.
func (n *needles) begun(word string) float64 {
	for b, w := range n.begins {
		if strings.HasPrefix(text.Fold(word), b) {
			return w
		}
	}
	return 0
}

// found is a match in the text.
type found struct {
	start, end int
	term       string
	weight     float64
	pair       bool // of a script without spaces
}

// scanOn is how many bytes are searched behind a place that has all terms near each other, for a
// better one.
const scanOn = 4 << 10

// find lists the matches in a text, as far as the best piece of about size bytes is looked for: a
// little further than the first place that has all terms.
func (n *needles) find(s string, size int) []found {
	var all []found
	last := map[string]int{} // where each term was met last
	end := len(s)
	for scan := text.Scan(s); ; {
		span, ok := scan.NextLike(n.like)
		if !ok || span.Start >= end {
			return all
		}
		term := n.normal.Word(s[span.Start:span.End]).Term
		weight, bytes := n.weight(term)
		if weight == 0 {
			if weight = n.begun(s[span.Start:span.End]); weight == 0 {
				continue
			}
			bytes = len(term)
		}
		f := found{span.Start, span.End, term, weight, span.Pair}
		if bytes < len(term) {
			f.end = span.Start + bytes
		}
		all = append(all, f)
		if last[term] = span.Start; end == len(s) && n.together(last, f.end-size) {
			end = min(end, f.end+scanOn)
		}
	}
}

// findFurther lists the matches of words that are one with those behind them, of acronyms, and of
// further terms of words (text.Word.Also).
func (n *needles) findFurther(s string) (all []found) {
	add := func(term string, span text.Span) bool {
		weight, ok := n.exact[term]
		if ok {
			all = append(all, found{span.Start, span.End, term, weight, false})
		}
		return ok
	}
	one := func(word string, whole text.Span) {
		if text.IsAcronym(word) {
			add(n.analyser.Term(word), whole)
		} else if word != "" {
			add(n.analyser.Term(text.JoinedStem(n.normal.Word(word).Stem)), whole)
		}
	}
	joining := text.Join(s, n.analyser)
	for scan := text.Scan(s); ; {
		span, ok := scan.Next()
		if !ok {
			one(joining.End())
			return all
		}
		one(joining.Next(span))
		if acronym := text.Acronym(s, span); acronym != "" && add(n.analyser.Term(acronym), span) {
			continue
		}
		for _, term := range n.normal.Word(s[span.Start:span.End]).Also {
			if add(term, span) {
				break
			}
		}
	}
}

// scanMore is how many times as much of a text is searched for a word that is not in its beginning:
// 2 MB, a manual of 300 pages.
const scanMore = 32

// met reports whether there is a match, and one of each term.
func (n *needles) met(matches []found) bool {
	terms := map[string]bool{}
	for _, m := range matches {
		terms[m.term] = true
	}
	return len(terms) > 0 && len(terms) >= n.typed
}

// together reports whether all terms were met behind a place.
func (n *needles) together(last map[string]int, from int) bool {
	if len(last) < n.typed || len(n.prefixes)+len(n.begins) > 0 {
		return false
	}
	for _, at := range last {
		if at < from {
			return false
		}
	}
	return true
}

// snippet cuts the best piece of about size bytes from a page's text and marks what matched. at is
// where in the text its first match begins, -1 if nothing matched.
func snippet(p *rank.Page, n *needles, size, scan int) (pieces []Piece, at int) {
	if p.NoSnippet || p.Text == "" {
		return []Piece{}, -1
	}
	s := clip(p.Text, scan)
	matches := n.find(s, size)
	if len(s) < len(p.Text) && !n.met(matches) {
		s = clip(p.Text, scan*scanMore)
		matches = n.find(s, size)
	}
	if len(matches) == 0 {
		matches = n.findFurther(clip(p.Text, scan))
	}
	start, end := window(s, matches, size)
	pieces = mark(s, matches, start, end)
	if start > 0 {
		pieces = append([]Piece{{Text: "… "}}, pieces...)
	}
	if end < len(p.Text) {
		pieces = append(pieces, Piece{Text: " …"})
	}
	if i := slices.IndexFunc(matches, func(m found) bool { return m.start >= start && m.end <= end }); i >= 0 {
		return pieces, matches[i].start
	}
	return pieces, -1
}

// filePage returns the number of the page, from 1, that has the byte at an offset of the text; 0 if
// the file has no pages or nothing matched.
func filePage(starts []int32, at int) int {
	if at < 0 {
		return 0
	}
	after, _ := slices.BinarySearch(starts, int32(at)+1)
	return after
}

// window returns the part of about size bytes with the most weight of different terms; a repeated
// term counts a tenth.
func window(s string, matches []found, size int) (start, end int) {
	best, from, to := 0.0, 0, 0
	seen := map[string]int{}
	sum, first := 0.0, 0
	for i, m := range matches {
		sum += worth(m, seen[m.term])
		seen[m.term]++
		for m.end-matches[first].start > size {
			seen[matches[first].term]--
			sum -= worth(matches[first], seen[matches[first].term])
			first++
		}
		if sum > best+1e-9 {
			best, from, to = sum, first, i
		}
	}
	if best == 0 {
		return 0, edge(s, min(size, len(s)))
	}
	slack := size - (matches[to].end - matches[from].start)
	start = max(0, matches[from].start-slack/3)
	end = min(len(s), start+size)
	start = max(0, min(start, end-size))
	return beginning(s, start, matches[from].start), max(edge(s, end), matches[to].end)
}

func worth(m found, before int) float64 {
	if before > 0 {
		return m.weight / 10
	}
	return m.weight
}

// beginning moves the start of a snippet forward to the beginning of a sentence or word, but not
// past limit.
func beginning(s string, at, limit int) int {
	if at == 0 {
		return 0
	}
	for !utf8.RuneStart(s[at]) {
		at++
	}
	at = min(limit, onToLetter(s, at))
	between := s[at:limit]
	if i := strings.LastIndexAny(between, ".!?。！？\n"); i >= 0 && i < len(between)/2 {
		_, n := utf8.DecodeRuneInString(between[i:])
		at += i + n
	} else if i := strings.IndexAny(between, " \t\n"); i >= 0 {
		at += i
	}
	for at < limit && strings.ContainsRune(" \t\r\n", rune(s[at])) {
		at++
	}
	return at
}

// edge moves the end of a snippet back to the end of a word, if there is one within 40 bytes.
func edge(s string, at int) int {
	if at >= len(s) {
		return len(s)
	}
	for at > 0 && !utf8.RuneStart(s[at]) {
		at--
	}
	if i := strings.LastIndexAny(s[:at], " \t\n"); i > at-40 && i > 0 {
		return i
	}
	return backToLetter(s, at)
}

// part is a part of the text that is marked: one match, or several that overlap or touch.
type part struct {
	start, end int
	last       found // of its matches
	n          int   // of its matches
}

// parts joins the matches in s[start:end]. A pair of characters by itself is left out if it is in a
// longer part, too: of กรุงเทพ the pair เท is no match in ประเทศ.
func parts(matches []found, start, end int) []part {
	var all []part
	inside := map[string]bool{} // terms of matches that overlap
	for _, m := range matches {
		if m.start < start || m.end > end {
			continue
		}
		if n := len(all); n > 0 && m.start <= all[n-1].end {
			last := &all[n-1]
			if m.start < last.end {
				inside[m.term], inside[last.last.term] = true, true
			}
			last.end, last.last, last.n = max(last.end, m.end), m, last.n+1
			continue
		}
		all = append(all, part{m.start, m.end, m, 1})
	}
	return slices.DeleteFunc(all, func(p part) bool {
		return p.n == 1 && p.last.pair && inside[p.last.term]
	})
}

// mark cuts s[start:end] into pieces. A letter is marked with the vowels and tones above and below
// it.
func mark(s string, matches []found, start, end int) []Piece {
	pieces := []Piece{}
	add := func(from, to int, match bool) {
		if from < to {
			pieces = append(pieces, Piece{Text: oneLine(s[from:to]), Match: match})
		}
	}
	at := start
	for _, p := range parts(matches, start, end) {
		from, to := max(at, backToLetter(s, p.start)), min(end, onToLetter(s, p.end))
		add(at, from, false)
		add(from, to, true)
		at = max(at, to)
	}
	add(at, end, false)
	return pieces
}

// backToLetter returns where the letter begins to which a combining mark at a place belongs.
func backToLetter(s string, at int) int {
	for at > 0 && at < len(s) {
		if r, _ := utf8.DecodeRuneInString(s[at:]); !unicode.IsMark(r) {
			break
		}
		_, size := utf8.DecodeLastRuneInString(s[:at])
		at -= size
	}
	return at
}

// onToLetter returns the first place from at on where no combining mark is.
func onToLetter(s string, at int) int {
	for at < len(s) {
		r, size := utf8.DecodeRuneInString(s[at:])
		if !unicode.IsMark(r) {
			break
		}
		at += size
	}
	return at
}

// oneLine replaces line breaks and tabs.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\r' || r == '\t' {
			return ' '
		}
		return r
	}, s)
}

func clip(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	for limit > 0 && !utf8.RuneStart(s[limit]) {
		limit--
	}
	return s[:limit]
}
