package heap

import (
	"math/rand/v2"
	"slices"
	"testing"
)

type item struct{ value, place int }

// Against a sorted list: pushes, pops, removals and changes in any order.
func TestHeapAgainstASortedList(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	h := Heap[*item]{Less: func(a, b *item) bool { return a.value < b.value }, At: func(x *item) *int { return &x.place }}
	var model []*item
	for range 20_000 {
		switch n := rnd.IntN(4); {
		case n <= 1 || len(model) == 0:
			x := &item{rnd.IntN(100), -1}
			h.Push(x)
			model = append(model, x)
		case n == 2:
			i := rnd.IntN(len(model))
			h.Remove(model[i])
			h.Remove(model[i]) // twice does nothing
			model = slices.Delete(model, i, i+1)
		default:
			x := model[rnd.IntN(len(model))]
			x.value = rnd.IntN(100)
			h.Fix(x)
		}
		if h.Len() != len(model) {
			t.Fatalf("%d elements, want %d", h.Len(), len(model))
		}
		if len(model) > 0 {
			least := slices.MinFunc(model, func(a, b *item) int { return a.value - b.value })
			if h.Top().value != least.value {
				t.Fatalf("top %d, want %d", h.Top().value, least.value)
			}
		}
	}
	for last := -1; h.Len() > 0; {
		x := h.Pop()
		if x.value < last || x.place != -1 {
			t.Fatalf("%d after %d, place %d", x.value, last, x.place)
		}
		last = x.value
	}
}
