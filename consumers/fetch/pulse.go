package fetch

import (
	"context"
	"sync/atomic"
	"time"
)

// The pulse detects that the process was stopped (SIGSTOP, a frozen container, long swapping): it
// beats every pulseEvery, and a gap longer than pulseGap means a stop. After a stop nothing is
// written for pulseSettle: a heartbeat whose answer waited in a socket meanwhile looks young, and
// only a new heartbeat (one is sent every second) can show whether the partitions are still ours.
const (
	pulseEvery  = 250 * time.Millisecond
	pulseGap    = time.Second
	pulseSettle = 3 * time.Second
)

// pulse holds times in nanoseconds since start, by the monotonic clock.
type pulse struct {
	start time.Time
	last  atomic.Int64 // last beat
	quiet atomic.Int64 // no request is written before
}

func newPulse(now time.Time) *pulse { return &pulse{start: now} }

// beat notes that the process runs. After a gap it calls stopped, before requests may be written
// again.
func (p *pulse) beat(now time.Time, stopped func()) {
	t := now.Sub(p.start)
	if t-time.Duration(p.last.Load()) > pulseGap {
		p.quiet.Store(int64(t + pulseSettle))
		stopped()
	}
	p.last.Store(int64(t))
}

// steady reports whether requests may be written: the last beat is young, and no stop was found
// lately. It is also false directly after a stop, before the next beat has found it.
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
