package streams

import "time"

// Rester is implemented by Tasks of Timed groups that know when they next have something to do
// without a record: then Tick is called at that time, and not every TickEvery before it.
type Rester interface {
	// RestsUntil is called after a round. It returns a time that is not after now if the next Tick
	// has something to do. Tick may be called before the time, and is called at most twenty
	// TickEvery after now.
	RestsUntil(now time.Time) time.Time
}

// restsUntil returns until when there is nothing to do unless a record comes: all that was taken is
// done and committed, no partition waits or is to be tried again, and the Tasks of a Timed group
// rest (Rester). It returns the zero time if there is something.
func (r *runner[M]) restsUntil(works []*work[M], now time.Time) time.Time {
	until := now.Add(restTimes * r.cfg.TickEvery)
	for _, w := range works {
		if w.waits(now) || w.ticks.rests(now) || w.track.open() > 0 {
			return time.Time{}
		}
		if !r.spec.Timed {
			continue
		}
		task, ok := w.task.(Rester)
		if !ok {
			return time.Time{}
		}
		if at := task.RestsUntil(now); at.Before(until) {
			until = at
		}
	}
	if r.commits.busy() || len(unsaved(works)) > 0 {
		return time.Time{}
	}
	return until
}
