package schedule

import (
	"time"

	"millrace/streams"
)

// RestsUntil implements streams.Rester. The frontier rests while no URL is queued, in flight or
// about to be put aside, and no politeness key waits, until the calendar has something to do.
func (t *task) RestsUntil(now time.Time) time.Time {
	l, e := t.ledger, t.emission
	if t.recovery.phase != ready || !l.counts.whole || t.group.opts.MaxPages > 0 ||
		l.hosts.Backlog() > 0 || e.flights.len() > 0 || len(e.holds.taken) > 0 || l.front.Ready()+l.front.Waiting() > 0 {
		return now
	}
	clock := t.group.deps.Clock().UnixMilli()
	return now.Add(time.Duration(l.wheel.Due(clock)-clock) * time.Millisecond)
}

var _ streams.Rester = (*task)(nil)
