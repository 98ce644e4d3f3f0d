package wire

import (
	"log/slog"
	"testing"
	"time"
)

// TestTheFrontierWaitsForAnIndexThatIsBehindAndNotForOneThatIsStuck protects the time from fetch to
// search in one process, and A5: a crawl does not depend on its index.
func TestTheFrontierWaitsForAnIndexThatIsBehindAndNotForOneThatIsStuck(t *testing.T) {
	p := newIndexPace(slog.New(slog.DiscardHandler))
	start := time.Unix(1_700_000_000, 0)
	at := func(after time.Duration, end, done int64, want bool) {
		t.Helper()
		p.look(start.Add(after), map[int32]int64{0: end, 1: 0}, map[int32]int64{0: done})
		if p.Hold() != want {
			t.Fatalf("%s: log ends at %d, index at %d: hold %v", after, end, done, p.Hold())
		}
	}
	at(0, 0, 0, false)
	at(1*time.Second, 100, 0, false)
	at(4*time.Second, 200, 50, false)
	at(7*time.Second, 300, 90, true) // 90 to 99 are 6 s old
	at(8*time.Second, 300, 100, false)
	at(10*time.Second, 300, 150, true)  // those of the fourth second
	at(39*time.Second, 400, 150, true)  // slow
	at(40*time.Second, 400, 150, false) // stuck: no progress for 30 s
	at(41*time.Second, 400, 160, true)  // it moves again and is behind
	at(42*time.Second, 400, 400, false)
}
