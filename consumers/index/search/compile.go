package search

import (
	"math"
	"slices"

	"millrace/consumers/index/query"
	"millrace/consumers/index/rank"
	"millrace/consumers/index/text"
)

// maxWords bounds the words of a plan: a run of Chinese becomes one word per character.
const maxWords = 64

// compiled is a query in the terms of the index.
type compiled struct {
	words   []rank.Word
	scored  []bool // false: the word stands only where it is not wanted
	pairs   []rank.Pair
	strict  rank.Match
	relaxed rank.Match // like strict, but pages may lack words
	loose   bool       // relaxed differs from strict
	cut     bool       // the query had more than maxWords
}

// compile translates a query for the analysers in use.
func compile(node query.Node, analysers []text.Analyser) compiled {
	b := builder{byStem: map[string]int{}, last: -1}
	for _, a := range analysers {
		b.normal = append(b.normal, normaliser{a, text.NewNormaliser(a)})
	}
	parts := []query.Node{node}
	if and, ok := node.(query.And); ok {
		parts = and
	}
	var fixed, wanted []rank.Match
	for _, part := range withoutStops(parts) {
		if w, plain := part.(query.Word); plain && !w.Title {
			wanted = append(wanted, b.word(w.Text)...)
			continue
		}
		b.last = -1
		fixed = append(fixed, b.match(part, true))
		b.last = -1
	}
	b.strict = all(append(fixed[:len(fixed):len(fixed)], wanted...))
	b.relaxed = b.strict
	if len(wanted) > 1 {
		b.loose = true
		b.relaxed = all(append(fixed[:len(fixed):len(fixed)], rank.Match{Op: rank.Some, Args: wanted}))
	}
	return b.compiled
}

// withoutStops leaves function words out, unless there is no other word.
func withoutStops(parts []query.Node) []query.Node {
	kept := slices.DeleteFunc(slices.Clone(parts), func(n query.Node) bool {
		w, plain := n.(query.Word)
		return plain && !w.Title && text.Stop(text.Fold(w.Text))
	})
	if !slices.ContainsFunc(kept, speaks) {
		return parts
	}
	return kept
}

// speaks reports nodes that say what a page is about, rather than where or when.
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

type builder struct {
	compiled
	normal []normaliser
	byStem map[string]int // spelling -> index into words
	last   int            // the scored word before, -1 if it is no neighbour
}

// match translates any node; scored says whether its words count for the score.
func (b *builder) match(n query.Node, scored bool) rank.Match {
	switch n := n.(type) {
	case query.And:
		return all(b.each(n, scored))
	case query.Or:
		return rank.Match{Op: rank.Some, Args: b.each(n, scored)}
	case query.Not:
		return rank.Match{Op: rank.None, Args: []rank.Match{b.match(n.Node, false)}}
	case query.Word:
		return b.row(n.Text, n.Title, scored, true)
	case query.Phrase:
		return b.row(n.Text, n.Title, scored, false)
	case query.Site:
		return rank.Match{Op: rank.Host, Value: n.Host}
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

// word translates a word of the query that may be missing on a page: each run of Han pairs by itself, so that
// a sentence without spaces can be relaxed like one with; tokens joined by punctuation (node.js) as a row.
func (b *builder) word(s string) []rank.Match {
	var out []rank.Match
	for _, run := range runs(s) {
		if !run[0].Pair {
			out = append(out, b.sequence(s, run, false, true))
			continue
		}
		for _, piece := range text.WithoutStops(s[run[0].Start:run[len(run)-1].End]) {
			for _, pairs := range runs(piece) {
				for _, span := range pairs {
					out = append(out, rank.Match{Op: rank.Has, Word: b.add(piece, span, true)})
				}
			}
		}
	}
	return out
}

// row translates a text whose tokens must stand as they do there. In a word, runs of pairs and of letters
// (iPhone手机) need not touch.
func (b *builder) row(s string, title, scored, word bool) rank.Match {
	if !word {
		var spans []text.Span
		for _, run := range runs(s) {
			spans = append(spans, run...)
		}
		return b.sequence(s, spans, title, scored)
	}
	var parts []rank.Match
	for _, run := range runs(s) {
		parts = append(parts, b.sequence(s, run, title, scored))
	}
	return all(parts)
}

// sequence asks for spans in their places; one span is simply a word.
func (b *builder) sequence(s string, spans []text.Span, title, scored bool) rank.Match {
	switch len(spans) {
	case 0:
		return rank.Match{Op: rank.Every}
	case 1:
		m := rank.Match{Op: rank.Has, Word: b.add(s, spans[0], scored)}
		if title {
			m.Op = rank.HasTitle
		}
		return m
	}
	m := rank.Match{Op: rank.Row}
	if title {
		m.Op = rank.RowTitle
	}
	for i, n := range b.normal {
		seq := rank.Sequence{Analyser: n.analyser}
		for _, span := range spans {
			if i == 0 {
				b.add(s, span, scored)
			}
			seq.Names = append(seq.Names, n.analyser.Term(n.Stem(s[span.Start:span.End])))
			seq.At = append(seq.At, span.Position-spans[0].Position)
		}
		m.Sequences = append(m.Sequences, seq)
	}
	return m
}

// add returns the index of a word, making it if it is new. A lone character of a script without spaces stands
// for every pair that begins with it, for the index has pairs only.
func (b *builder) add(s string, span text.Span, scored bool) int {
	lone := span.Pair && span.Last
	spelling := s[span.Start:span.End]
	i, known := b.byStem[spelling]
	if !known && len(b.words) == maxWords {
		b.cut = true
		return maxWords - 1
	}
	if !known {
		i = len(b.words)
		b.byStem[spelling] = i
		var w rank.Word
		for _, n := range b.normal {
			w.Terms = append(w.Terms, rank.Term{Analyser: n.analyser, Name: n.analyser.Term(n.Stem(spelling)), Prefix: lone})
		}
		b.words = append(b.words, w)
		b.scored = append(b.scored, false)
	}
	b.scored[i] = b.scored[i] || scored
	if scored && !span.Pair {
		b.pair(i)
	}
	return i
}

// pair notes that a word follows the one before it. Pairs of characters overlap, so that a page that has two in
// a row is nothing to pay for: measured, it made Chinese results worse.
func (b *builder) pair(word int) {
	if p := (rank.Pair{First: b.last, Second: word}); b.last >= 0 && b.last != word && !slices.Contains(b.pairs, p) {
		b.pairs = append(b.pairs, p)
	}
	b.last = word
}

// runs cuts a text into runs of spans that are all pairs or all not. The tail of a run of pairs is left out:
// the pair before it says all.
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
