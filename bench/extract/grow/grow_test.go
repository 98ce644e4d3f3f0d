package grow

import (
	"math/rand/v2"
	"testing"

	"millrace/consumers/extract/forest"
)

// TestForestLearns protects training: a rule that no single column shows (exclusive or) is found,
// noise columns are not believed, and the same data grow the same forest.
func TestForestLearns(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	const columns, rows = 4, 4000
	var data, y, weight []float32
	for range rows {
		a, b := rng.Float32(), rng.Float32()
		data = append(data, a, b, rng.Float32(), rng.Float32())
		label := float32(0)
		if (a > 0.5) != (b > 0.3) {
			label = 1
		}
		y, weight = append(y, label), append(weight, 1)
	}
	s := DefaultSettings()
	s.ColumnShare, s.Trees = 1, 60
	train := func() *forest.Forest { return Forest(columns, [][]float32{data}, y, weight, s) }
	f := train()
	wrong := 0
	for range 1000 {
		row := []float32{rng.Float32(), rng.Float32(), rng.Float32(), rng.Float32()}
		if (f.Odds(row) > 0) != ((row[0] > 0.5) != (row[1] > 0.3)) {
			wrong++
		}
	}
	if wrong > 50 {
		t.Errorf("%d of 1,000 wrong", wrong)
	}
	names := []string{"a", "b", "c", "d"}
	if f.String(names) != train().String(names) {
		t.Error("the same data grew another forest")
	}
}
