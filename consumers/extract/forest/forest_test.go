package forest

import (
	"math"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
)

// TestParsePrints protects the model files: what is printed is read back, and answers by the
// written rules.
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
	big := strings.Repeat("(words 1 0 ", maxLeaves) + "0" + strings.Repeat(")", maxLeaves)
	for _, bad := range []string{big, "(words 1 0", "(unknown 1 0 1)", "(words x 0 1)", "bias x", "()", "abc"} {
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

// grown is a random tree.
func grown(r *rand.Rand, leaves, features int) *Tree {
	if leaves == 1 {
		return &Tree{Value: float32(r.NormFloat64()) / 100}
	}
	left := 1 + r.IntN(leaves-1)
	return &Tree{Feature: r.IntN(features), Value: float32(r.IntN(8)), Yes: grown(r, left, features), No: grown(r, leaves-left, features)}
}

// TestAWalkAnswersAsTheTreesDo protects the fast way: it is the slow one to the last bit of
// rounding, for every number of rows, for values at the border of a question, and for columns that
// are the same in all rows.
func TestAWalkAnswersAsTheTreesDo(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var trees []*Tree
	for i := range 3 * firstTrees {
		trees = append(trees, grown(r, 1+i%maxLeaves, 5))
	}
	f := New(0.3, trees)
	odd := []float32{float32(math.Copysign(0, -1)), float32(math.Inf(1)), float32(math.Inf(-1)), float32(math.NaN()), float32(math.Log(-1)), -1e-45}
	for _, n := range []int{1, fewRows - 1, fewRows, fewRows + 1, fewRows + 2, 1000} {
		rows := make([]float32, 5*n)
		for i := range rows {
			rows[i] = float32(r.IntN(17)) / 2
			switch {
			case i%5 == 3:
				rows[i] = 3.5
			case i%11 == 0 && n > 1:
				rows[i] = odd[r.IntN(len(odd))]
			}
		}
		for i, p := range f.Probabilities(rows, 5) {
			if want := Probability(f.Odds(rows[i*5 : i*5+5])); math.Abs(float64(p-want)) > 1e-6 {
				t.Fatalf("row %d of %d, %v: %v, want %v", i, n, rows[i*5:i*5+5], p, want)
			}
		}
	}
}

// TestTablesAreAskedSideBySide protects the room that walks share: goroutines do not disturb each
// other, and big tables leave nothing to small ones.
func TestTablesAreAskedSideBySide(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var trees []*Tree
	for range 2 * firstTrees {
		trees = append(trees, grown(r, maxLeaves, 5))
	}
	f := New(0, trees)
	rows := make([]float32, 5*400)
	for i := range rows {
		rows[i] = float32(r.IntN(17)) / 2
	}
	var all sync.WaitGroup
	for g := range 8 {
		all.Go(func() {
			for n := 20; n <= 400; n += 20 + g {
				for i, p := range f.Probabilities(rows[:5*n], 5) {
					if want := Probability(f.Odds(rows[i*5 : i*5+5])); math.Abs(float64(p-want)) > 1e-6 {
						t.Errorf("row %d of %d: %v, want %v", i, n, p, want)
						return
					}
				}
			}
		})
	}
	all.Wait()
}

// TestASureRowIsNotAskedOn protects the limit of the shortcut: it says the same of a row.
func TestASureRowIsNotAskedOn(t *testing.T) {
	var trees []*Tree
	for range 2 * firstTrees {
		trees = append(trees, &Tree{Value: 0.1})
	}
	f := New(0, trees)
	if p, want := f.Probabilities([]float32{0}, 1)[0], Probability(firstTrees*0.1); math.Abs(float64(p-want)) > 1e-6 {
		t.Errorf("%v, want the answer of the first trees %v", p, want)
	}
}
