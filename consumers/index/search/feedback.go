package search

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"millrace/consumers/index/rank"
	"millrace/consumers/index/text"
)

// feedback adds words to a long question of which few pages have all words: those that its best
// pages have in common (pseudo-relevance feedback, after Rocchio 1971; a word's weight is its offer
// weight, Robertson 1990, summed over the pages by their scores). It returns the plan with these
// words; false if there are none.
//
// The condition does not change: a page without any of the query's own words is still not found.
func (r *run) feedback(plan *rank.Plan, found merged) (*rank.Plan, bool) {
	o := r.opts.Feedback
	if o.Pages == 0 || len(found.hits) < 2*o.Pages || scoredWords(plan) < o.LeastWords {
		return nil, false
	}
	candidates := r.inCommon(plan, found.hits[:o.Pages])
	if len(candidates) == 0 {
		return nil, false
	}
	words := make([]rank.Word, len(candidates))
	for i, c := range candidates {
		words[i] = rank.Word{Typed: c.name, Terms: []rank.Term{{Analyser: c.analyser, Name: c.name}}}
	}
	stats := r.stats(words)
	idf := stats.Weights()
	for i := range candidates {
		candidates[i].weight *= idf[i]
	}
	order := make([]int, len(candidates))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(candidates[y].weight, candidates[x].weight) })
	order = order[:min(len(order), o.Words)]
	best := candidates[order[0]].weight
	if best <= 0 {
		return nil, false
	}
	wider := *plan
	wider.Own = plan.Asked()
	wider.Words, wider.Weights = slices.Clone(plan.Words), slices.Clone(plan.Weights)
	for _, i := range order {
		wider.Words = append(wider.Words, words[i])
		wider.Weights = append(wider.Weights, o.Share*idf[i]*candidates[i].weight/best)
	}
	return &wider, true
}

func scoredWords(plan *rank.Plan) int {
	n := 0
	for _, w := range plan.Weights {
		if w > 0 {
			n++
		}
	}
	return n
}

type candidate struct {
	analyser text.Analyser
	name     string
	weight   float64
	pages    int
}

// The bounds of what is read from the best pages.
const (
	feedbackBytes      = 16 << 10 // of a page's text
	feedbackCandidates = 60
)

// inCommon returns the terms that at least two of the pages have and the query does not have, with
// a weight from the frequencies and the pages' scores.
func (r *run) inCommon(plan *rank.Plan, hits []located) []candidate {
	own := map[string]bool{}
	for _, w := range plan.Words {
		for _, t := range w.Terms {
			own[t.Name] = true
		}
	}
	all := map[string]*candidate{}
	for _, h := range hits {
		p, ok := r.page(h)
		if !ok {
			continue
		}
		a := text.ForLanguage(p.Lang)
		counts, length := r.termCounts(a, p.Title+"\n"+clip(p.Text, feedbackBytes))
		for name, n := range counts {
			if own[name] {
				continue
			}
			c := all[name]
			if c == nil {
				c = &candidate{analyser: a, name: name}
				all[name] = c
			}
			c.pages++
			c.weight += h.Score * n / (n + 0.5 + 1.5*length/300)
		}
	}
	var out []candidate
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if c := all[name]; c.pages > 1 {
			c.weight *= math.Sqrt(float64(c.pages))
			out = append(out, *c)
		}
	}
	slices.SortStableFunc(out, func(x, y candidate) int { return cmp.Compare(y.weight, x.weight) })
	return out[:min(len(out), feedbackCandidates)]
}

// termCounts counts the terms of a text, without pairs of characters and words that have no form.
func (r *run) termCounts(a text.Analyser, s string) (counts map[string]float64, length float64) {
	counts = map[string]float64{}
	normal := r.normal.take(a)
	defer r.normal.give(a, normal)
	for scan := text.Scan(s); ; length++ {
		span, ok := scan.Next()
		if !ok {
			return counts, length
		}
		word := s[span.Start:span.End]
		if span.Pair || text.Form(word) == "" {
			continue
		}
		counts[a.Term(normal.Stem(word))]++
	}
}
