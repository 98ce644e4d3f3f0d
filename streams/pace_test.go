package streams

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// After a round with few records the next one waits for more; after one with many it does not. An
// idle group handles its first record at once.
func TestOnlyShortRoundsAreHeldBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []struct {
			records int
			want    time.Duration
		}{{0, 0}, {1, roundEvery}, {249, roundEvery}, {250, 0}, {500, 0}} {
			var p pace
			p.round(c.records, 500)
			began := time.Now()
			p.gather(context.Background(), 0)
			if got := time.Since(began); got != c.want {
				t.Errorf("after a round of %d records: waited %s, want %s", c.records, got, c.want)
			}
		}
	})
}

// A group that nobody waits for gathers longer, also after a few records only, and not after many.
func TestAGroupMayGatherLonger(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, c := range []struct {
			records int
			want    time.Duration
		}{{0, 0}, {1, time.Second}, {500, 0}} {
			var p pace
			p.round(c.records, 500)
			began := time.Now()
			p.gather(context.Background(), time.Second)
			if got := time.Since(began); got != c.want {
				t.Errorf("after a round of %d records: waited %s, want %s", c.records, got, c.want)
			}
		}
	})
}

// An idle group calls Tick less often, a Timed group does not, and the first record restores the
// rate.
func TestIdleGroupsTickLessOften(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const every = 50 * time.Millisecond
		var p pace
		p.round(1, 500)
		if got := p.tick(every, false); got != every {
			t.Errorf("busy: %s", got)
		}
		time.Sleep(idleAfter)
		p.round(0, 500)
		if got := p.tick(every, false); got != idleTimes*every {
			t.Errorf("idle: %s", got)
		}
		if got := p.tick(every, true); got != every {
			t.Errorf("idle, by the clock: %s", got)
		}
		for _, c := range []struct {
			rests, want, timed time.Duration
		}{{0, idleTimes * every, every}, {3 * every, idleTimes * every, 3 * every}, {time.Hour, restTimes * every, restTimes * every}} {
			p.rests = time.Now().Add(c.rests)
			if got, timed := p.tick(every, false), p.tick(every, true); got != c.want || timed != c.timed {
				t.Errorf("at rest for %s: %s, by the clock: %s", c.rests, got, timed)
			}
		}
		p.round(1, 500)
		if got := p.tick(every, false); got != every {
			t.Errorf("busy again: %s", got)
		}
	})
}

// Every partition gets its call, all at the same time, also when their number changes from round to
// round.
func TestWorkersCallForAllAtOnce(t *testing.T) {
	var h workers
	defer h.close()
	for _, n := range []int{0, 1, 4, 2, 9} {
		called := make([]int, n)
		var together sync.WaitGroup
		together.Add(n)
		h.each(n, func(i int) {
			together.Done()
			together.Wait() // blocks for ever if the calls are not concurrent
			called[i]++
		})
		for i, c := range called {
			if c != 1 {
				t.Errorf("%d of %d: %d calls", i, n, c)
			}
		}
	}
}
