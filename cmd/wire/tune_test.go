package wire

import "testing"

func TestTheHeapGrowsLessWhereMuchIsAlive(t *testing.T) {
	for live, want := range map[uint64]int{0: 300, 50 << 20: 300, headroom / 2: 200, headroom: 150, 4 << 30: 150} {
		if got := gcPercent(live); got != want {
			t.Errorf("%d MB alive: %d %%, want %d", live>>20, got, want)
		}
	}
	if liveHeap() > 1<<40 {
		t.Error("the live heap is not read")
	}
}
