package fetch

import (
	"context"
	"sync/atomic"
	"time"
)

// The pulse shows that the process runs: a beat every pulseEvery. A gap of pulseGap means that it
// was stopped (SIGSTOP, a frozen container, a long swap), and whatever it believed before may be
// wrong. It then writes nothing for pulseSettle: a heartbeat whose answer had been waiting in a
// socket looks young, and only a new one (they go out every second) can say whether the partitions
// are still ours.
const (
	pulseEvery  = 250 * time.Millisecond
	pulseGap    = time.Second
	pulseSettle = 3 * time.Second
)

// pulse holds times in nanoseconds since start, monotonic.
type pulse struct {
	start time.Time
	last  atomic.Int64 // beat
	quiet atomic.Int64 // nothing is written before
}

func newPulse(now time.Time) *pulse { return &pulse{start: now} }

// beat notes that the process runs. If it had stopped, stopped is called first, while nothing may
// be written yet.
func (p *pulse) beat(now time.Time, stopped func()) {
	t := now.Sub(p.start)
	if t-time.Duration(p.last.Load()) > pulseGap {
		p.quiet.Store(int64(t + pulseSettle))
		stopped()
	}
	p.last.Store(int64(t))
}

// steady reports whether requests may be written: the last beat is young, and no stop was found
// lately. It is false in the first moments after a stop too, before the next beat finds out.
func (p *pulse) steady(now time.Time) bool {
	t := now.Sub(p.start)
	return t-time.Duration(p.last.Load()) <= pulseGap && t >= time.Duration(p.quiet.Load())
}

// run beats until ctx ends and calls stopped after each gap.
func (p *pulse) run(ctx context.Context, stopped func()) {
	t := time.NewTicker(pulseEvery)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			p.beat(time.Now(), stopped)
		}
	}
}
