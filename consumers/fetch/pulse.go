package fetch

import (
	"context"
	"sync/atomic"
	"time"
)

// The pulse shows that the process runs: a beat every pulseEvery. A gap of pulseGap means that it was stopped (SIGSTOP, a frozen container, a long swap), and
// whatever it believed before may be wrong.
const (
	pulseEvery = 250 * time.Millisecond
	pulseGap   = time.Second
)

// pulse is the time of the last beat.
type pulse struct {
	start time.Time
	last  atomic.Int64 // nanoseconds since start, monotonic
}

func newPulse(now time.Time) *pulse { return &pulse{start: now} }

// beat notes that the process runs. If it had stopped, stopped is called first, while nothing may be written yet.
func (p *pulse) beat(now time.Time, stopped func()) {
	if !p.steady(now) {
		stopped()
	}
	p.last.Store(int64(now.Sub(p.start)))
}

// steady reports whether the last beat is young: false in the first moments after a stop, before the next beat finds out.
func (p *pulse) steady(now time.Time) bool {
	return now.Sub(p.start)-time.Duration(p.last.Load()) <= pulseGap
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
