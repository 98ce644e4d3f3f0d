package streams

import (
	"context"
	"time"
)

// roundEvery is the shortest time from the start of a round with few records to the next round,
// unless its group says more (topics.Group.Gathers):
// every round costs requests, a write of state and a commit, however few records it has. In a crawl
// 10 ms saved 30 % of the cost of client and broker; 25 ms saved no more.
const roundEvery = 10 * time.Millisecond

// A group that had no records for idleAfter calls Tick at a fifth of the rate (idleTimes), unless
// it is Timed, and at a twentieth (restTimes) if it rests (runner.restsUntil). Otherwise an idle
// process would spend most of its time on empty rounds.
const (
	idleAfter = time.Second
	idleTimes = 5
	restTimes = 20
)

// pace decides when the next round begins.
type pace struct {
	began time.Time // of the last round
	took  time.Time // of the last round with records
	few   bool      // the last round had records, but few
	rests time.Time // nothing is to be done before, unless a record comes; zero: something is
}

// round notes that a round with n records begins, of at most most.
func (p *pace) round(n, most int) {
	p.began, p.few = time.Now(), n > 0 && n < most/2
	if n > 0 {
		p.took = p.began
	}
}

// tick returns the longest time until the next Tick; every is Config.TickEvery.
func (p *pace) tick(every time.Duration, timed bool) time.Duration {
	least := idleTimes * every
	if timed {
		least = every
	}
	if time.Since(p.took) < idleAfter {
		return every
	}
	return min(max(time.Until(p.rests), least), restTimes*every)
}

// gather waits for more records after a round with few, until every, or roundEvery if that is more,
// has passed since it began or ctx ends.
func (p *pace) gather(ctx context.Context, every time.Duration) {
	wait := max(every, roundEvery) - time.Since(p.began)
	if !p.few || wait <= 0 {
		return
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
