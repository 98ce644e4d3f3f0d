package search

import (
	"math"
	"slices"
	"strings"

	"millrace/consumers/index/query"
	"millrace/consumers/index/rank"
	"millrace/consumers/index/text"
)

// maxWords bounds the words of a plan: Chinese text becomes one word for each character.
const maxWords = 64

// compiled is a query in terms of the index.
type compiled struct {
	words   []rank.Word
	scored  []bool // false: the word is only in an exclusion or a filter
	pairs   []rank.Pair
	others  map[int]stand // words that stand for others, by their index; after compile they are the last ones
	absent  []bool        // by word: no page has it; nil = not known yet
	strict  rank.Match
	relaxed rank.Match // like strict, but pages may lack words
	loose   bool       // relaxed differs from strict
	left    int        // function words that were left out
	cut     bool       // the query had more than maxWords
}

// forms is the number of different words of the query, as they are written.
func (c *compiled) forms() int {
	seen := map[string]bool{}
	for i, w := range c.words[:c.typed()] {
		if c.scored[i] && w.Form != "" {
			seen[w.Form] = true
		}
	}
	return len(seen)
}

// compile translates a query for the analysers in use.
func compile(node query.Node, analysers []text.Analyser) compiled {
	return compileWith(node, analysers, nil)
}

// compileWith is compile with the compounds that stand for words, by these words.
func compileWith(node query.Node, analysers []text.Analyser, compounds map[string][]made) compiled {
	b := newBuilder(analysers)
	b.made = compounds
	parts := conjuncts(node)
	var fixed, wanted, some []rank.Match
	kept := withoutStops(parts)
	b.left = len(parts) - len(kept)
	before := "" // the plain word before, if it is the last of wanted
	var row neighbours
	var rows []neighbours
	end := func() { rows, row = append(rows, row), neighbours{} }
	for len(kept) > 0 {
		if n := letterRow(kept); n > 1 {
			way, ways := b.initials(kept[:n])
			wanted, some, before = append(wanted, way), append(some, ways...), ""
			kept = kept[n:]
			end()
			continue
		}
		part := kept[0]
		kept = kept[1:]
		if typed, ok := plain(part); ok {
			ways := b.word(typed)
			some = append(some, ways...)
			if one, ok := b.together(before, typed, len(ways)); ok {
				both := all([]rank.Match{wanted[len(wanted)-1], ways[0]})
				wanted[len(wanted)-1] = rank.Match{Op: rank.Some, Args: []rank.Match{both, one}}
				some, before = append(some, one), ""
				end()
				continue
			}
			wanted, before = append(wanted, ways...), ""
			if len(ways) == 1 {
				before = typed
				row.add(len(wanted)-1, typed)
			} else {
				end()
			}
			continue
		}
		b.last, before = -1, ""
		end()
		fixed = append(fixed, b.match(part, true))
		b.last = -1
	}
	end()
	for _, row := range rows {
		some = append(some, b.asOne(row, wanted)...)
	}
	b.strict = all(append(fixed[:len(fixed):len(fixed)], wanted...))
	if one, ok := b.wholly(parts); ok {
		b.strict = rank.Match{Op: rank.Some, Args: []rank.Match{b.strict, one}}
		some = append(some, one)
	}
	b.relaxed = b.strict
	if len(some) > 1 {
		b.loose = true
		b.relaxed = all(append(fixed[:len(fixed):len(fixed)], rank.Match{Op: rank.Some, Args: some}))
	}
	b.order()
	return b.compiled
}

// withoutStops removes function words, unless there is no other word. The letters of a name (A A
// Milne) are none.
func withoutStops(parts []query.Node) []query.Node {
	var kept []query.Node
	for i := 0; i < len(parts); i++ {
		if n := letterRow(parts[i:]); n > 1 {
			kept = append(kept, parts[i:i+n]...)
			i += n - 1
			continue
		}
		if w, ok := plain(parts[i]); !ok || !text.Stop(text.Fold(w)) {
			kept = append(kept, parts[i])
		}
	}
	if !slices.ContainsFunc(kept, speaks) {
		return parts
	}
	return kept
}

// plain returns the text of a word that may be anywhere on a page.
func plain(n query.Node) (string, bool) {
	w, ok := n.(query.Word)
	return w.Text, ok && w.In == query.Anywhere && !w.Prefix
}

// speaks reports whether a node says what a page is about, rather than where or when.
func speaks(n query.Node) bool {
	switch n := n.(type) {
	case query.Word, query.Phrase:
		return true
	case query.And:
		return slices.ContainsFunc(n, speaks)
	case query.Or:
		return slices.ContainsFunc(n, speaks)
	}
	return false
}

type normaliser struct {
	analyser text.Analyser
	*text.Normaliser
}

// builder translates a query. It is large because every kind of condition and of other spelling
// adds its words to the one list of the query.
type builder struct {
	compiled
	normal []normaliser
	byStem map[string]int // spelling -> index into words
	last   int            // the scored word before; -1 if it is no neighbour
	made   map[string][]made
	stands *stand // what the words that are added stand for; nil = they were typed
}

func newBuilder(analysers []text.Analyser) builder {
	b := builder{compiled: compiled{others: map[int]stand{}}, byStem: map[string]int{}, last: -1}
	for _, a := range analysers {
		b.normal = append(b.normal, normaliser{a, text.NewNormaliser(a)})
	}
	return b
}

// match translates any node. scored says whether its words count for the score.
func (b *builder) match(n query.Node, scored bool) rank.Match {
	switch n := n.(type) {
	case query.And:
		return all(b.each(n, scored))
	case query.Or:
		return rank.Match{Op: rank.Some, Args: b.each(n, scored)}
	case query.Not:
		return rank.Match{Op: rank.None, Args: []rank.Match{b.match(n.Node, false)}}
	case query.Word:
		if n.Prefix {
			return rank.Match{Op: rank.Has, Word: b.begin(n.Text, scored)}
		}
		return b.placed(n.Text, n.In, scored, true)
	case query.Phrase:
		return b.placed(n.Text, n.In, scored, false)
	case query.Site:
		return onSite(n)
	case query.Type:
		return rank.Match{Op: rank.Type, Value: n.Name}
	case query.Lang:
		return rank.Match{Op: rank.Lang, Value: n.Code}
	case query.Since:
		return rank.Match{Op: rank.Days, From: int32(n.Day), To: math.MaxInt32}
	case query.Until:
		return rank.Match{Op: rank.Days, From: math.MinInt32, To: int32(n.Day)}
	}
	return rank.Match{Op: rank.Every}
}

func (b *builder) each(nodes []query.Node, scored bool) []rank.Match {
	var out []rank.Match
	for _, n := range nodes {
		out = append(out, b.match(n, scored))
	}
	return out
}

func all(args []rank.Match) rank.Match {
	switch len(args) {
	case 0:
		return rank.Match{Op: rank.Every}
	case 1:
		if args[0].Op != rank.None {
			return args[0]
		}
	}
	return rank.Match{Op: rank.All, Args: args}
}

func onSite(n query.Site) rank.Match {
	host := rank.Match{Op: rank.Host, Value: n.Host}
	if n.Path == "" {
		return host
	}
	return all([]rank.Match{host, {Op: rank.Path, Value: n.Path}})
}

// placed translates a word or phrase that must be in a given part of the page.
func (b *builder) placed(s string, in query.Place, scored, word bool) rank.Match {
	switch in {
	case query.Address:
		return b.set(s, rank.HasAddress, scored)
	case query.Author:
		return b.set(s, rank.HasAuthor, false)
	}
	return b.row(s, in == query.Title, scored, word)
}

// set translates a text all of whose words must be in a field without positions.
func (b *builder) set(s string, op rank.Op, scored bool) rank.Match {
	var parts []rank.Match
	for _, run := range runs(s) {
		for _, span := range run {
			parts = append(parts, rank.Match{Op: op, Word: b.add(s, span, "", scored)})
		}
	}
	return all(parts)
}

// begin returns the index of a word that stands for all words with this beginning.
func (b *builder) begin(s string, scored bool) int {
	w := rank.Word{Typed: s + "*", Form: strings.ReplaceAll(text.Fold(s), "ё", "е"), Begin: true}
	return b.keep(w.Typed, w, scored)
}

// word translates a word of the query that may be missing on a page when the query is relaxed. Text
// of a script without spaces is cut into words, so that a sentence can be relaxed like one with
// spaces. Each of these words is searched by its pairs of characters, so a page that cuts the text
// in another way is found too, with a lower score than one that has the word. Tokens joined by
// punctuation (node.js) are a phrase.
func (b *builder) word(s string) []rank.Match {
	s = text.Wide(s)
	var out []rank.Match
	for _, run := range runs(s) {
		if !run[0].Pair {
			out = append(out, b.spelt(s, run, true))
			continue
		}
		for _, piece := range text.WithoutStops(s[run[0].Start:run[len(run)-1].End]) {
			for _, unit := range text.Units(piece) {
				for _, pairs := range runs(unit.Text) {
					for _, span := range pairs {
						out = append(out, rank.Match{Op: rank.Has, Word: b.add(unit.Text, span, unit.Form, true)})
					}
				}
			}
			b.across(piece)
		}
	}
	return out
}

// across adds the pairs of characters that lie across two words. They are not required, but count
// for the score, because the cut may be wrong.
func (b *builder) across(piece string) {
	for _, run := range runs(piece) {
		for _, span := range run {
			if span.Pair && !span.Last {
				b.add(piece, span, "", true)
			}
		}
	}
}

// row translates a text whose tokens must be on the page in the same order. In a word, pairs and
// letters (iPhone手机) need not be adjacent. A single word in quotes must be on the page in the form
// that was typed.
func (b *builder) row(s string, title, scored, word bool) rank.Match {
	s = text.Wide(s)
	if !word {
		var spans []text.Span
		for _, run := range runs(s) {
			spans = append(spans, run...)
		}
		m := b.sequence(s, spans, title, scored)
		if len(spans) == 1 && !title && !spans[0].Pair && b.words[m.Word].Form != "" {
			m.Op = rank.HasForm
		}
		return m
	}
	var parts []rank.Match
	for _, run := range runs(s) {
		if title || run[0].Pair {
			parts = append(parts, b.sequence(s, run, title, scored))
			continue
		}
		parts = append(parts, b.spelt(s, run, scored))
	}
	return all(parts)
}

// sequence requires spans at their positions; one span is simply a word.
func (b *builder) sequence(s string, spans []text.Span, title, scored bool) rank.Match {
	switch len(spans) {
	case 0:
		return rank.Match{Op: rank.Every}
	case 1:
		m := rank.Match{Op: rank.Has, Word: b.add(s, spans[0], known(s, spans[0]), scored)}
		if title {
			m.Op = rank.HasTitle
		}
		return m
	}
	m := rank.Match{Op: rank.Row}
	if title {
		m.Op = rank.RowTitle
	}
	for _, span := range spans {
		b.add(s, span, "", scored)
	}
	for _, n := range b.normal {
		m.Sequences = append(m.Sequences, n.sequence(s, spans))
		if closed := withoutPossessive(s, spans); len(closed) > 0 {
			m.Sequences = append(m.Sequences, n.sequence(s, closed))
		}
	}
	return m
}

func (n *normaliser) sequence(s string, spans []text.Span) rank.Sequence {
	seq := rank.Sequence{Analyser: n.analyser}
	for _, span := range spans {
		seq.Names = append(seq.Names, n.analyser.Term(n.Stem(s[span.Start:span.End])))
		seq.At = append(seq.At, span.Position-spans[0].Position)
	}
	return seq
}

// withoutPossessive returns spans in which "compiler s table" is read as "compiler's table", which
// is two words in the index: a copied phrase often has lost its apostrophe. It returns nil if there
// is no such s.
func withoutPossessive(s string, spans []text.Span) []text.Span {
	var kept []text.Span
	for i, span := range spans {
		if i > 0 && strings.EqualFold(s[span.Start:span.End], "s") {
			continue
		}
		span.Position -= i - len(kept)
		kept = append(kept, span)
	}
	if len(kept) == len(spans) || len(kept) < 2 {
		return nil
	}
	return kept
}

// known returns the pair of characters if it is a word of the dictionary, else "".
func known(s string, span text.Span) string {
	if !span.Pair || span.Last {
		return ""
	}
	return text.Known(s[span.Start:span.End])
}

// add returns the index of a word, and adds it if it is new. A single character of a script without
// spaces stands for every pair that begins with it, because the index has pairs only. For a pair,
// form is the word to which it belongs.
func (b *builder) add(s string, span text.Span, form string, scored bool) int {
	lone := span.Pair && span.Last
	spelling := s[span.Start:span.End]
	w := rank.Word{Typed: spelling, Form: form, Cut: span.Pair || strings.HasPrefix(spelling, ".")}
	if !span.Pair {
		w.Form = text.Form(spelling)
	}
	for _, n := range b.normal {
		w.Terms = append(w.Terms, rank.Term{Analyser: n.analyser, Name: n.analyser.Term(n.Stem(spelling)), Prefix: lone})
	}
	i := b.keep(spelling, w, scored)
	if scored && !span.Pair && b.stands == nil {
		b.pair(i)
	}
	return i
}

// keep returns the index of the word with a spelling, and adds w if there is none. Beyond maxWords
// it returns the last word.
func (b *builder) keep(spelling string, w rank.Word, scored bool) int {
	i, known := b.byStem[spelling]
	if !known && len(b.words) == maxWords {
		b.cut = true
		return maxWords - 1
	}
	if !known {
		i = len(b.words)
		b.byStem[spelling] = i
		b.words = append(b.words, w)
		b.scored = append(b.scored, false)
	}
	if b.stands == nil {
		delete(b.others, i)
	} else if !known {
		b.others[i] = *b.stands
	}
	b.scored[i] = b.scored[i] || scored
	return i
}

// pair notes that a word follows the one before it. Pairs of characters are left out: they overlap,
// and measured, it made Chinese results worse.
func (b *builder) pair(word int) {
	if p := (rank.Pair{First: b.last, Second: word}); b.last >= 0 && b.last != word && !slices.Contains(b.pairs, p) {
		b.pairs = append(b.pairs, p)
	}
	b.last = word
}

// runs cuts a text into runs of spans that are all pairs or all not. The single last character of a
// run of pairs is left out, because the pair before it has it.
func runs(s string) [][]text.Span {
	var out [][]text.Span
	var before text.Span
	for scan := text.Scan(s); ; {
		span, ok := scan.Next()
		if !ok {
			return out
		}
		adjacent := before.Pair && before.End > span.Start
		switch {
		case span.Pair && span.Last && adjacent:
		case len(out) > 0 && (adjacent || !span.Pair && !before.Pair):
			out[len(out)-1] = append(out[len(out)-1], span)
		default:
			out = append(out, []text.Span{span})
		}
		before = span
	}
}
