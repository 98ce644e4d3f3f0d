package search

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"millrace/consumers/index/query"
	"millrace/consumers/index/rank"
)

// division is a word of the query, read as two.
type division struct {
	left, right string
	docs        int64 // pages of the rarer of the two
	match       rank.Match
}

// maxDivisions is how many divisions of a word are looked for on pages.
const maxDivisions = 3

// apart returns a word as two that follow each other on some page: "wi-fi" for wifi, "water wheel"
// for waterwheel. It returns "" if no page has them. A part of one or two letters is joined by a
// hyphen, because that is how it is written.
func apart(r *run, word string) string {
	b := newBuilder(r.analysers())
	var all []division
	for i := range word {
		if i == 0 {
			continue
		}
		d := division{left: word[:i], right: word[i:]}
		d.match = b.placed(d.left+" "+d.right, query.Anywhere, true, false)
		all = append(all, d)
	}
	stats := r.stats(b.words)
	for i := range all {
		d := &all[i]
		d.docs = min(stats.Found(b.byStem[d.left]), stats.Found(b.byStem[d.right]))
	}
	all = slices.DeleteFunc(all, func(d division) bool { return d.docs == 0 })
	slices.SortStableFunc(all, func(x, y division) int { return cmp.Compare(y.docs, x.docs) })
	for _, d := range all[:min(len(all), maxDivisions)] {
		if count(r, &b, &stats, d.match) > 0 {
			return d.String()
		}
	}
	return ""
}

func (d division) String() string {
	if min(utf8.RuneCountInString(d.left), utf8.RuneCountInString(d.right)) < 3 {
		return d.left + "-" + d.right
	}
	return d.left + " " + d.right
}

// count returns how many pages fulfil a match of the builder's words.
func count(r *run, b *builder, stats *rank.Stats, m rank.Match) int64 {
	return r.top(&rank.Plan{
		Words: b.words, Weights: make([]float64, len(b.words)), Lengths: stats.Lengths(), Params: r.opts.Params, Match: m, K: 1,
	}).total
}

// joined returns the query with two neighbours written as one word, if that is on more pages than
// the query found: "database" for data base. It returns "" if there are none.
func joined(r *run, typed string, c *compiled, total int64) string {
	b := newBuilder(r.analysers())
	var both, one []string
	for _, p := range c.pairs {
		left, right := c.words[p.First].Typed, c.words[p.Second].Typed
		if strings.Contains(typed, left+" "+right) {
			both, one = append(both, left+" "+right), append(one, left+right)
			b.placed(left+right, query.Anywhere, true, true)
		}
	}
	stats := r.stats(b.words)
	for i, word := range one {
		if at, known := b.byStem[word]; known && stats.Found(at) > max(rareWord, total*muchCommoner) {
			return strings.Replace(typed, both[i], word, 1)
		}
	}
	return ""
}
