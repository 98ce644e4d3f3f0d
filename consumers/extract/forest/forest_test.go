package forest

import (
	"math"
	"testing"
)

// TestParsePrints protects the model files: what is printed is read back, and answers by the written rules.
func TestParsePrints(t *testing.T) {
	names := []string{"words", "links"}
	f := New(-0.5, []*Tree{
		{Feature: 0, Value: 10, Yes: &Tree{Value: -1}, No: &Tree{Feature: 1, Value: 0.5, Yes: &Tree{Value: 2}, No: &Tree{Value: -2}}},
		{Value: 0.25},
	})
	text := f.String(names)
	again, err := Parse("# a comment\n"+text, names)
	if err != nil {
		t.Fatal(err)
	}
	if again.String(names) != text {
		t.Errorf("read back as\n%s\nfrom\n%s", again.String(names), text)
	}
	for _, c := range []struct {
		row  []float32
		want float32
	}{{[]float32{10, 0}, -1.25}, {[]float32{11, 0.5}, 1.75}, {[]float32{11, 0.6}, -2.25}} {
		if got := again.Odds(c.row); got != c.want {
			t.Errorf("%v: %v, want %v", c.row, got, c.want)
		}
		if got := again.Probabilities(append(c.row, c.row...), 2); len(got) != 2 || got[1] != Probability(c.want) {
			t.Errorf("%v: probabilities %v, want %v", c.row, got, Probability(c.want))
		}
	}
	if p := Probability(0); math.Abs(float64(p)-0.5) > 1e-6 {
		t.Errorf("even odds are %v", p)
	}
}

// TestParseRefuses protects against a model that does not fit the code.
func TestParseRefuses(t *testing.T) {
	for _, bad := range []string{"(words 1 0", "(unknown 1 0 1)", "(words x 0 1)", "bias x", "()", "abc"} {
		if _, err := Parse(bad, []string{"words"}); err == nil {
			t.Errorf("%q was accepted", bad)
		}
	}
}

// FuzzParse protects the reader from files that were edited by hand.
func FuzzParse(f *testing.F) {
	f.Add("bias 1\n(words 1 (words 2 3 4) 5)")
	f.Fuzz(func(t *testing.T, s string) {
		if m, err := Parse(s, []string{"words"}); err == nil {
			m.Odds([]float32{1})
		}
	})
}
