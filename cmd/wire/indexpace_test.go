package wire

import (
	"context"
	"log/slog"
	"sync/atomic"
	"testing"
	"testing/synctest"
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

// While the index has everything and nothing is published, the brokers are not asked. What is
// published after an hour is waited for like any other: that hour counts as neither work nor
// standstill.
func TestAnIndexAtRestIsNotLookedAt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newIndexPace(slog.New(slog.DiscardHandler))
		var asked, sent, done atomic.Int64
		log := uniqueLog{
			sent: sent.Load,
			ends: func(context.Context) (map[int32]int64, error) {
				asked.Add(1)
				return map[int32]int64{0: sent.Load()}, nil
			},
		}
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			p.watch(ctx, log, func() map[int32]int64 { return map[int32]int64{0: done.Load()} })
		}()
		time.Sleep(time.Hour)
		if n := asked.Load(); n != 1 {
			t.Errorf("the ends were asked for %d times in an hour of rest", n)
		}
		sent.Store(10)
		time.Sleep(2 * time.Second)
		if done.Store(5); p.Hold() {
			t.Error("held back by records of two seconds")
		}
		time.Sleep(indexBehind)
		if !p.Hold() {
			t.Error("the rest is older than it may be, and nobody waits")
		}
		done.Store(10)
		time.Sleep(2 * indexLook)
		if p.Hold() {
			t.Error("held back, and the index has everything")
		}
		before := asked.Load()
		time.Sleep(time.Hour)
		if n := asked.Load() - before; n > 1 {
			t.Errorf("at rest again, the ends were asked for %d times", n)
		}
		stop()
		<-ended
	})
}
