package rank

import (
	"math"

	"millrace/consumers/index/text"
)

// Stats is a shard's answer in the first round: the totals of its pages, and for each word the
// number of pages that have each of its terms. The last number of a word counts the pages with its
// form.
type Stats struct {
	Totals map[text.Analyser]Totals
	DF     [][]int64
}

// Add sums the statistics of another shard into s.
func (s *Stats) Add(other Stats) {
	if s.Totals == nil {
		s.Totals = map[text.Analyser]Totals{}
	}
	for a, o := range other.Totals {
		t := s.Totals[a]
		t.Add(o)
		s.Totals[a] = t
	}
	if s.DF == nil {
		s.DF = make([][]int64, len(other.DF))
		for i := range other.DF {
			s.DF[i] = make([]int64, len(other.DF[i]))
		}
	}
	for i, row := range other.DF {
		for j, n := range row {
			s.DF[i][j] += n
		}
	}
}

// Docs is the number of all pages.
func (s *Stats) Docs() int64 {
	var n int64
	for _, t := range s.Totals {
		n += t.Docs
	}
	return n
}

// Weights returns the inverse document frequency of each word, ln(1 + (N - df + 0.5) / (df + 0.5));
// 0 for a word that no page has. N and df count the pages of all languages: if each language had
// its own N, words would weigh too little in a language with few pages.
func (s *Stats) Weights() []float64 {
	weights := make([]float64, len(s.DF))
	n := float64(s.Docs())
	for i := range s.DF {
		if df := float64(s.Found(i)); df > 0 {
			weights[i] = math.Log(1 + max(0, n-df+0.5)/(df+0.5))
		}
	}
	return weights
}

// Found returns the number of pages that have the word in some form.
func (s *Stats) Found(word int) int64 {
	var n int64
	row := s.DF[word]
	for _, df := range row[:len(row)-1] {
		n += df
	}
	return max(n, row[len(row)-1])
}

// Lengths returns the mean lengths of every analyser that has pages.
func (s *Stats) Lengths() map[text.Analyser]Lengths {
	out := make(map[text.Analyser]Lengths, len(s.Totals))
	for a, t := range s.Totals {
		if t.Docs > 0 {
			out[a] = t.mean()
		}
	}
	return out
}
