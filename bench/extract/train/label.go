package main

import (
	"strings"

	"millrace/bench/extract/corpus"
	"millrace/bench/extract/score"
	"millrace/consumers/extract/article"
)

// labels says for every block how much of it stands in the truth (0 to 1) and how much that
// matters.
func labels(p *corpus.Page, blocks []article.Block) (y, weight []float32) {
	if p.Text == "" {
		return snippetLabels(p, blocks)
	}
	y, weight = make([]float32, len(blocks)), make([]float32, len(blocks))
	truth := score.Words(p.Text)
	grams := newGrams(truth)
	words := make([][]string, len(blocks))
	for i := range blocks {
		words[i] = score.Words(blocks[i].Text)
		if len(words[i]) >= gram {
			y[i] = grams.coverage(words[i])
		}
	}
	whole := " " + strings.Join(truth, " ") + " "
	for i := range blocks {
		if n := len(words[i]); n > 0 && n < gram && strings.Contains(whole, " "+strings.Join(words[i], " ")+" ") {
			y[i] = nearLabel(y, words, i)
		}
		weight[i] = min(float32(len(words[i]))/float32(len(truth)+50), 1)
	}
	return y, weight
}

// gram is how many words in a row must be equal: fewer are found anywhere by accident.
const gram = 4

type grams map[string]int

func newGrams(words []string) grams {
	g := grams{}
	for i := 0; i+gram <= len(words); i++ {
		g[strings.Join(words[i:i+gram], " ")]++
	}
	return g
}

// coverage is the share of words that lie in a run which the truth has too; each run of the truth
// is used up.
func (g grams) coverage(words []string) float32 {
	covered := make([]bool, len(words))
	for i := 0; i+gram <= len(words); i++ {
		key := strings.Join(words[i:i+gram], " ")
		if g[key] > 0 {
			g[key]--
			for k := i; k < i+gram; k++ {
				covered[k] = true
			}
		}
	}
	n := 0
	for _, c := range covered {
		if c {
			n++
		}
	}
	return float32(n) / float32(len(words))
}

// nearLabel decides for a block too short to tell from an accident by the long blocks next to it.
func nearLabel(y []float32, words [][]string, i int) float32 {
	best := float32(0.1)
	for _, step := range []int{-1, 1} {
		for k, seen := i+step, 0; k >= 0 && k < len(y) && seen < 1 && k > i-6 && k < i+6; k += step {
			if len(words[k]) >= gram {
				best = max(best, y[k])
				seen++
			}
		}
	}
	return best
}

// snippetLabels knows only some blocks: those that hold a wanted or an unwanted piece.
func snippetLabels(p *corpus.Page, blocks []article.Block) (y, weight []float32) {
	y, weight = make([]float32, len(blocks)), make([]float32, len(blocks))
	each := 1 / float32(len(p.With)+len(p.Without)+1)
	for i := range blocks {
		for _, s := range p.With {
			if strings.Contains(blocks[i].Text, s) {
				y[i], weight[i] = 1, each
			}
		}
		for _, s := range p.Without {
			if strings.Contains(blocks[i].Text, s) && y[i] == 0 {
				weight[i] = each
			}
		}
	}
	return y, weight
}
