package main

import (
	"math"
	"strings"

	"millrace/consumers/extract/article"
)

// minSites keeps out of the lexicon what only few sites say: it would be knowledge of those sites.
const (
	minSitesNames = 8
	minSitesWords = 15
	smoothing     = 0.3 // pages' worth of doubt for each side
)

// evidence is how much weight a name or word has inside and outside the main text, and on which
// sites.
type evidence struct {
	in, out float64
	sites   map[string]struct{}
}

// learnLexicon weighs names of elements and words of blocks over the given pages.
func learnLexicon(pages []*sample) *article.Lexicon {
	names, words := map[string]*evidence{}, map[string]*evidence{}
	var in, out float64
	for _, s := range pages {
		pageIn, pageOut := s.totals()
		in += pageIn
		out += pageOut
		gather(s, names, words)
	}
	return &article.Lexicon{Names: weigh(names, in, out, minSitesNames), Words: weigh(words, in, out, minSitesWords)}
}

func (s *sample) totals() (in, out float64) {
	for i := range s.y {
		in += float64(s.y[i] * s.weight[i])
		out += float64((1 - s.y[i]) * s.weight[i])
	}
	return in, out
}

func gather(s *sample, names, words map[string]*evidence) {
	boxes := s.page.Boxes
	note := func(m map[string]*evidence, key string, in, out float64) {
		e := m[key]
		if e == nil {
			e = &evidence{sites: map[string]struct{}{}}
			m[key] = e
		}
		e.in += in
		e.out += out
		if len(e.sites) < 100 {
			e.sites[s.site] = struct{}{}
		}
	}
	inBox, outBox := make([]float64, len(boxes)), make([]float64, len(boxes))
	for i := range s.page.Blocks {
		in, out := float64(s.y[i]*s.weight[i]), float64((1-s.y[i])*s.weight[i])
		for b := s.page.Blocks[i].Box; b >= 0; b = boxes[b].Parent {
			inBox[b] += in
			outBox[b] += out
		}
		seen := map[string]bool{}
		s.page.Blocks[i].Terms(func(w string) {
			if !seen[w] && len(w) < 30 {
				seen[w] = true
				note(words, w, min(in, 0.02), min(out, 0.02))
			}
		})
	}
	for i := range boxes {
		seen := map[string]bool{}
		boxes[i].Names(func(n string) {
			if !seen[n] && !strings.ContainsAny(n, " \t\n") {
				seen[n] = true
				note(names, n, inBox[i], outBox[i])
			}
		})
	}
}

func weigh(m map[string]*evidence, in, out float64, minSites int) map[string]float32 {
	weights := map[string]float32{}
	for key, e := range m {
		if len(e.sites) < minSites {
			continue
		}
		w := math.Log((e.in+smoothing*in/(in+out))/(e.out+smoothing*out/(in+out))) - math.Log(in/out)
		if math.Abs(w) >= 0.3 {
			weights[key] = float32(max(min(w, 4), -4))
		}
	}
	return weights
}
