package politeness

import (
	"math/rand/v2"
	"testing"
)

func take(t *Turns, has uint8, n int) (got [8]int) {
	for range n {
		c := t.Next(has)
		t.Took(c, has)
		got[c]++
	}
	return got
}

// With everything waiting, new pages get half of the turns, urgent URLs most of the
// rest, retries and re-crawls theirs.
func TestEveryClassHasItsShare(t *testing.T) {
	for name, c := range map[string]struct {
		has  uint8
		want [8]int // at least, of 800
	}{
		"all":                  {0xff, [8]int{0: 280, 1: 45, 2: 390, 4: 45}},
		"urgent and new":       {1 | 1<<6, [8]int{0: 390, 6: 390}},
		"known and unknown":    {1<<3 | 1<<6 | 1<<7, [8]int{3: 590, 6: 190}},
		"re-crawls and new":    {1<<4 | 1<<7, [8]int{4: 390, 7: 390}},
		"retry, re-crawl, new": {1<<1 | 1<<5 | 1<<6, [8]int{1: 190, 5: 190, 6: 390}},
		"urgent and re-crawls": {1 | 1<<5, [8]int{0: 590, 5: 190}},
		"one":                  {1 << 5, [8]int{5: 800}},
	} {
		t.Run(name, func(t *testing.T) {
			got := take(&Turns{}, c.has, 800)
			for class, n := range c.want {
				if got[class] < n {
					t.Errorf("class %d had %d of 800 turns, want %d: %v", class, got[class], n, got)
				}
			}
		})
	}
}

// An urgent URL goes first when it comes, whatever was sent before.
func TestUrgentGoesFirst(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var turns Turns
		for range rnd.IntN(50) {
			take(&turns, uint8(rnd.IntN(256))&^1|1<<6, 1)
		}
		if c := turns.Next(0xff); c != 0 {
			t.Fatalf("class %d before 0: %+v", c, turns)
		}
	}
}

// In any mix at least half of the turns, less eight, go to new pages while there are
// any.
func TestNewPagesHaveHalf(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 200 {
		var turns Turns
		fresh, others := 0, 0
		for range 500 {
			has := uint8(rnd.IntN(256)) | 1<<7
			c := turns.Next(has)
			turns.Took(c, has)
			if 1<<c&newClasses != 0 {
				fresh++
			} else {
				others++
			}
			if others > fresh+urgentAhead+1 {
				t.Fatalf("%d turns of others, %d of new pages", others, fresh)
			}
		}
	}
}
