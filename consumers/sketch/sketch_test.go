package sketch

import (
	"encoding/hex"
	"math"
	"math/rand/v2"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func of(words ...uint64) []byte {
	var m Maker
	for _, w := range words {
		m.Add(w)
	}
	return m.Sketch()
}

func draw(r *rand.Rand, n int) []uint64 {
	words := make([]uint64, n)
	for i := range words {
		words[i] = r.Uint64()
	}
	return words
}

// TestSimilarityIsEstimated protects what is promised of the error, for texts from one phrase to
// thousands: the mean over many pairs is the Jaccard similarity, the error of one as documented.
func TestSimilarityIsEstimated(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, phrases := range []int{10, 60, 400, 3000} {
		for _, want := range []float64{0, 0.5, 0.8, 1} {
			sum, squares, n := 0.0, 0.0, 300
			for range n {
				both := int(math.Round(float64(phrases) * want))
				a, b := Maker{words: MinWords}, Maker{words: MinWords}
				for i := range phrases {
					p := r.Uint64()
					if i < both {
						a.phrases, b.phrases = append(a.phrases, p), append(b.phrases, p)
					} else if i%2 == 0 {
						a.phrases = append(a.phrases, p)
					} else {
						b.phrases = append(b.phrases, p)
					}
				}
				s := Similarity(a.Sketch(), b.Sketch()) - want
				sum, squares = sum+s, squares+s*s
			}
			if mean := sum / float64(n); math.Abs(mean) > 0.02 {
				t.Errorf("%d phrases, %.1f in common: off by %.3f in the mean", phrases, want, mean)
			}
			if deviation := math.Sqrt(squares / float64(n)); deviation > 0.075 {
				t.Errorf("%d phrases, %.1f in common: standard error %.3f", phrases, want, deviation)
			}
		}
	}
}

// TestNearOnesShareABand protects that near-duplicates are found, and others are not compared.
func TestNearOnesShareABand(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	shared := func(changed int) (n int) {
		for range 400 {
			a := draw(r, 400)
			b := append([]uint64(nil), a...)
			for range changed {
				b[r.IntN(len(b))] = r.Uint64()
			}
			first, ok := FirstShared(of(a...), of(b...))
			if !ok {
				continue
			}
			n++
			for _, s := range [][]byte{of(a...), of(b...)} {
				found := false
				for _, band := range Bands(s) {
					found = found || band == first
				}
				if !found {
					t.Fatal("the shared band is none of the sketch's")
				}
			}
		}
		return n
	}
	if n := shared(4); n < 380 { // similarity .9
		t.Errorf("%d of 400 near-duplicates share a band", n)
	}
	if n := shared(200); n > 20 { // similarity .07
		t.Errorf("%d of 400 other pairs share a band", n)
	}
}

// TestSketchesStayTheSame protects records: sketches in them are compared with later ones.
func TestSketchesStayTheSame(t *testing.T) {
	words := make([]uint64, 40)
	for i := range words {
		words[i] = uint64(i) * 0x9e3779b97f4a7c15
	}
	s := of(words...)
	if got := hex.EncodeToString(s[:16]); got != golden {
		t.Errorf("the sketch begins with %s", got)
	}
	var m Maker
	m.Add(7)
	m.Reset()
	for _, w := range words {
		m.Add(w)
	}
	if string(m.Sketch()) != string(s) {
		t.Error("a maker that was used makes another sketch")
	}
}

const golden = "1a931614d9073d25470936f50227ebed"

// TestNoSketch protects from what has none: short texts, and bytes that are no sketch.
func TestNoSketch(t *testing.T) {
	if of(1, 2, 3, 4) != nil || of(1, 2, 3, 4, 5) == nil {
		t.Error("sketches begin at five words")
	}
	s := of(1, 2, 3, 4, 5)
	for _, odd := range [][]byte{nil, {}, s[:63], append(append([]byte(nil), s...), 1)} {
		_, shared := FirstShared(s, odd)
		if Similarity(s, odd) != 0 || shared || Bands(odd) != nil || ShortNear(Short(s), Short(odd)) {
			t.Errorf("%d bytes count as a sketch", len(odd))
		}
	}
	if !ShortNear(Short(s), Short(s)) {
		t.Error("a text is not near itself")
	}
}
