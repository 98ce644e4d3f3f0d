package wire

import "testing"

// The memory limit follows the live heap, and does not pass that of the container.
func TestTheMemoryLimitFollowsWhatIsAliveAndWhatThereIs(t *testing.T) {
	const mb = 1 << 20
	for _, c := range []struct{ live, most, want int64 }{
		{0, 24 << 30, 224 * mb},        // a little one
		{120 * mb, 24 << 30, 224 * mb}, // a crawl of one machine
		{300 * mb, 24 << 30, 464 * mb}, // much is alive: half as much again, in steps
		{300 * mb, 400 * mb, 400 * mb}, // a small container
		{300 * mb, 200 * mb, 316 * mb}, // one that is too small: no limit below what is alive
		{4 << 30, 24 << 30, 6144 * mb}, // a big one
	} {
		if got := memoryLimit(uint64(c.live), c.most); got != c.want {
			t.Errorf("%d MB alive, %d at hand: %d MB, want %d", c.live/mb, c.most/mb, got/mb, c.want/mb)
		}
	}
	if most := memoryAtHand(); most < 64*mb || most >= 1<<50 {
		t.Errorf("memory at hand: %d", most)
	}
	if liveHeap() > 1<<40 {
		t.Error("the live heap is not read")
	}
}
