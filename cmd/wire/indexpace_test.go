package wire

import (
	"log/slog"
	"testing"
	"time"
)

// TestTheFrontierWaitsForAnIndexThatIsBehindAndNotForOneThatIsStuck protects the time from fetch to
// search in one process, and that a crawl does not depend on its index.
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
	at(4*time.Second, 100, 90, false)   // 22 a second
	at(7*time.Second, 150, 92, true)    // 92 to 99 are 6 s old
	at(8*time.Second, 150, 150, false)  // nothing is left
	at(10*time.Second, 160, 151, false) // 9 records, and the index does 15 a second
	at(12*time.Second, 400, 220, true)  // 180 records are 8 s of its speed: nobody waits until they are 5 s old
	at(14*time.Second, 400, 390, false)
	at(39*time.Second, 401, 390, true)  // slow
	at(44*time.Second, 401, 390, false) // stuck: no progress for 30 s
	at(45*time.Second, 402, 391, true)  // it moves again and is behind
	at(46*time.Second, 402, 402, false)
}
