package draw

import (
	"math"
	"testing"
)

// The draws of two purposes must not follow each other, or roles and sizes of
// pages would be correlated.
func TestDrawsOfNeighboursAreIndependent(t *testing.T) {
	const n = 20000
	var sx, sy, sxy float64
	for i := range uint64(n) {
		x, y := Unit(Hash(1, 2, i))-0.5, Unit(Hash(1, 3, i))-0.5
		sx, sy, sxy = sx+x, sy+y, sxy+x*y
	}
	if corr := sxy / n * 12; math.Abs(corr) > 0.03 || math.Abs(sx/n) > 0.01 || math.Abs(sy/n) > 0.01 {
		t.Fatalf("correlation %v, means %v %v", corr, sx/n, sy/n)
	}
}

func TestPoissonHasMeanAndVarianceOne(t *testing.T) {
	const n = 50000
	var sum, sq float64
	for i := range uint64(n) {
		s := NewStream(Hash(7, i))
		k := float64(s.Poisson1())
		sum, sq = sum+k, sq+k*k
	}
	mean := sum / n
	if v := sq/n - mean*mean; math.Abs(mean-1) > 0.02 || math.Abs(v-1) > 0.04 {
		t.Fatalf("mean %v variance %v", mean, v)
	}
}

func TestBelowStaysInRangeAndReachesBothEnds(t *testing.T) {
	s := NewStream(1)
	var seen [7]int
	for range 7000 {
		seen[s.Below(7)]++
	}
	for v, k := range seen {
		if k < 800 {
			t.Errorf("%d came %d times of 7000", v, k)
		}
	}
}
