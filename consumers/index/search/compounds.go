package search

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"unicode/utf8"

	"millrace/consumers/index/query"
	"millrace/consumers/index/rank"
	"millrace/consumers/index/text"
)

// The bounds of compounds that stand for words of a query: letters of such a word, compounds of all
// words together, and words for which they are looked for.
const (
	leastInside  = 4
	maxCompounds = 24
	maxSplit     = 4
)

// made are the words of one language that stand for a typed one: its compounds, each by itself, and
// the parts that it is made of, all of them.
type made struct {
	analyser  text.Analyser
	compounds []string // stems
	parts     []string // as they are in it; nil = it is no compound
}

// compounds looks for compounds of the words of a query, in the languages that write such words as
// one. What a shard does not answer is missing: the words as they were typed have been answered.
func compounds(r *run, node query.Node) map[string][]made {
	var words []string
	for _, part := range conjuncts(node) {
		if w, ok := plain(part); ok && len(words) < maxSplit && utf8.RuneCountInString(w) >= leastInside && letters(w) && len(spans(w)) == 1 && !spans(w)[0].Pair && !text.Stop(text.Fold(w)) {
			words = append(words, w)
		}
	}
	all := map[string][]made{}
	for _, a := range r.analysers() {
		if !a.Compounds() {
			continue
		}
		normal := r.normal.take(a)
		for _, w := range words {
			if m := madeOf(r, splitting{of: a, word: text.Bare(w), stem: normal.Stem(w)}, maxCompounds/len(words)); len(m.compounds)+len(m.parts) > 0 {
				all[text.Fold(w)] = append(all[text.Fold(w)], m)
			}
		}
		r.normal.give(a, normal)
	}
	return all
}

// madeOf asks the shards for what has a word as a part, and for what it is made of.
func madeOf(r *run, sp splitting, most int) made {
	m := made{analyser: sp.of}
	if utf8.RuneCountInString(sp.stem) < leastInside {
		return m
	}
	counts := askCompounds(r, &rank.Compounds{Analyser: sp.of, Stem: sp.stem}, mostCandidates)
	delete(counts, sp.stem)
	candidates := slices.SortedFunc(maps.Keys(counts), func(x, y string) int {
		return cmp.Or(cmp.Compare(counts[y], counts[x]), cmp.Compare(x, y))
	})
	texts, size := []string{sp.word}, 0
	for _, name := range candidates {
		for _, at := range occurrences(name, sp.stem) {
			for _, rest := range [...]string{name[:at], name[at+len(sp.stem):]} {
				if len(rest) >= rank.LeastPart && size+len(rest) <= mostTexts {
					texts, size = append(texts, rest), size+len(rest)
				}
			}
		}
	}
	slices.Sort(texts)
	sp.known = askCompounds(r, &rank.Compounds{Analyser: sp.of, Texts: slices.Compact(texts)}, mostPieces)
	for _, name := range candidates {
		if len(m.compounds) < most && sp.in(name) {
			m.compounds = append(m.compounds, name)
		}
	}
	m.parts = sp.split(sp.word, maxParts)
	return m
}

// The bounds of the questions about one word: compounds that are looked at, bytes of what they have
// beside it, and words of which these may consist.
const (
	mostCandidates = 200
	mostTexts      = 7 << 10
	mostPieces     = 1000
)

// conjuncts returns the nodes that a page must all have.
func conjuncts(node query.Node) []query.Node {
	if and, ok := node.(query.And); ok {
		return and
	}
	return []query.Node{node}
}

// askCompounds asks all shards at the same time, and adds up the answers of those that answer: one
// of an older version does not.
func askCompounds(r *run, about *rank.Compounds, limit int) map[string]int64 {
	ctx, cancel := context.WithTimeout(r.ctx, r.opts.Timeout/4)
	defer cancel()
	answers := make([][]rank.Form, len(r.shards))
	var asked sync.WaitGroup
	for i, s := range r.shards {
		if s != nil {
			asked.Go(func() {
				if forms, err := s.Vocabulary(ctx, &rank.Lookup{Compounds: about, Limit: limit}); err == nil {
					answers[i] = forms
				}
			})
		}
	}
	asked.Wait()
	counts := map[string]int64{}
	for _, forms := range answers {
		for _, f := range forms {
			counts[f.Text] += f.Docs
		}
	}
	return counts
}

// waysOf returns the ways to meet a typed word by compounds that have it, or by the words that it
// is made
// of.
func (b *builder) waysOf(typed string, scored bool) (ways []rank.Match) {
	for _, m := range b.made[text.Fold(typed)] {
		for _, name := range m.compounds {
			ways = append(ways, b.stem(m.analyser, name, scored))
		}
		var all []rank.Match
		for _, name := range m.parts {
			all = append(all, b.part(m.analyser, name, scored))
		}
		if len(all) > 1 {
			ways = append(ways, rank.Match{Op: rank.All, Args: all})
		}
	}
	return ways
}

// part requires a part of a compound, as a word or as the stem of one.
func (b *builder) part(a text.Analyser, name string, scored bool) rank.Match {
	for _, n := range b.normal {
		if stem := n.Stem(name); n.analyser == a && stem != name {
			return rank.Match{Op: rank.Some, Args: []rank.Match{b.stem(a, name, scored), b.stem(a, stem, scored)}}
		}
	}
	return b.stem(a, name, scored)
}

// stem requires a stem of one language.
func (b *builder) stem(a text.Analyser, name string, scored bool) rank.Match {
	w := rank.Word{Typed: name, Terms: []rank.Term{{Analyser: a, Name: a.Term(name)}}}
	return rank.Match{Op: rank.Has, Word: b.keep("="+a.Term(name), w, scored)}
}
