package rank

import (
	"math"
	"testing"

	"millrace/consumers/index/text"
)

// MaxScore leaves pages out by this bound: no frequency may lift a word to its weight.
func TestNoFrequencyReachesTheBound(t *testing.T) {
	p := DefaultParams()
	s := p.Scorer(Lengths{Title: 5, Body: 300})
	for _, freq := range []float64{1, 10, 1e6, 1e9} {
		if got := s.Saturate(s.Frequency(Title, freq, freq) + s.Frequency(Body, freq, freq)); got <= 0 || got >= 1 {
			t.Errorf("frequency %g gives %g", freq, got)
		}
	}
	if long, short := s.Frequency(Body, 3, 900), s.Frequency(Body, 3, 100); long >= short {
		t.Errorf("three times in a long text counts %g, in a short one %g", long, short)
	}
	if title, body := s.Frequency(Title, 1, 5), s.Frequency(Body, 1, 300); title*p.Weight[Body] != p.Weight[Title]*body {
		t.Errorf("in texts of mean length the title counts %g, the body %g", title, body)
	}
}

func TestSumOfShardsIsTheWholeCollection(t *testing.T) {
	one := Stats{Totals: map[text.Analyser]Totals{"": {Docs: 10, Title: 40, Body: 3000}, "de": {Docs: 5, Title: 10, Body: 500}}, DF: [][]int64{{4, 1, 0}, {0, 0, 0}}}
	two := Stats{Totals: map[text.Analyser]Totals{"": {Docs: 30, Title: 120, Body: 9000}}, DF: [][]int64{{6, 0, 0}, {1, 0, 0}}}
	var sum Stats
	sum.Add(one)
	sum.Add(two)
	if sum.Docs() != 45 || sum.Found(0) != 11 || sum.Lengths()[""] != (Lengths{4, 300, 1, 1, 1}) || sum.Lengths()["de"] != (Lengths{2, 100, 1, 1, 1}) {
		t.Fatalf("%+v", sum)
	}
	w := sum.Weights()
	if want := math.Log(1 + (45-11+.5)/(11+.5)); math.Abs(w[0]-want) > 1e-12 || w[1] <= w[0] {
		t.Fatalf("weights %v, want %g first", w, want)
	}
	if one.DF[0][0] != 4 {
		t.Fatal("Add changed what it added")
	}
}

func TestNearWordsCountMoreTheNearer(t *testing.T) {
	for d, want := range map[int]float64{1: 1, 2: .25, -1: .25, 3: 1. / 9, -2: 1. / 9, 0: 0, 7: 0, -7: 0} {
		if got := Near(d); got != want {
			t.Errorf("Near(%d) = %g, want %g", d, got, want)
		}
	}
}
