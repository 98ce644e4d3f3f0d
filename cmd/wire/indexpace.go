package wire

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"
)

const (
	// indexBehind is how far the index may be behind docs.unique before the frontier waits for it.
	indexBehind = 5 * time.Second
	// indexBefore is how much unread work the index may have, in seconds of its speed. It is half
	// of indexBehind, because pages that are in flight still arrive when frontier and fetch wait
	// already.
	indexBefore = indexBehind / 2
	// indexTimed is how long the index must have been busy for a measurement of its speed.
	indexTimed = 2 * time.Second
	// indexStuck is how long the frontier waits for an index that makes no progress: the crawl does
	// not depend on its index.
	indexStuck = 30 * time.Second
	// indexLook is the time between two checks.
	indexLook = 250 * time.Millisecond
)

// indexPace makes the frontier of `run` wait while the index is behind: while the oldest record
// that is not indexed has been on docs.unique for more than indexBehind, or the unread records take
// the index more than indexBefore. On a cluster the frontier does not wait for the index.
type indexPace struct {
	log  *slog.Logger
	hold atomic.Bool

	waiting map[int32][]logEnd // by partition: ends of docs.unique that the index has not reached, oldest first
	at      map[int32]int64    // how far the index has read, by partition
	moved   time.Time          // when the index last advanced, or had nothing to do
	stuck   bool

	looked time.Time
	busy   time.Duration // since the last measurement, while it had something to do
	done   int64         // records in that time
	speed  float64       // records a second; 0: not known
}

// logEnd is the end of a log at a time.
type logEnd struct {
	seen time.Time
	end  int64
}

func newIndexPace(log *slog.Logger) *indexPace {
	return &indexPace{log: log, waiting: map[int32][]logEnd{}, at: map[int32]int64{}}
}

// Hold reports whether the frontier should start nothing new.
func (p *indexPace) Hold() bool { return p.hold.Load() }

// uniqueLog says where docs.unique ends, and how much was published there.
type uniqueLog struct {
	ends func(context.Context) (map[int32]int64, error)
	sent func() int64 // records that this process, the only writer, appended
}

// watch checks every indexLook until ctx ends. done returns how far the index has read. If the ends
// cannot be read, the frontier does not wait. While the index has all and nothing more is
// published, the ends are not asked for.
func (p *indexPace) watch(ctx context.Context, log uniqueLog, done func() map[int32]int64) {
	tick := time.NewTicker(indexLook)
	defer tick.Stop()
	defer p.hold.Store(false)
	seen := int64(-1)
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		sent := log.sent() // before the ends: what is published after it is looked at next time
		if sent == seen && p.hasAll() {
			p.looked, p.moved = time.Now(), time.Now()
			continue
		}
		now, err := log.ends(ctx)
		if err != nil {
			p.hold.Store(false)
			continue
		}
		p.look(time.Now(), now, done())
		seen = sent
	}
}

// hasAll reports whether the index had read everything at the last look.
func (p *indexPace) hasAll() bool {
	for _, w := range p.waiting {
		if len(w) > 0 {
			return false
		}
	}
	return !p.Hold()
}

// look notes the positions of log and index, and decides whether the frontier waits.
func (p *indexPace) look(now time.Time, ends, done map[int32]int64) {
	var oldest time.Time
	var advanced, unread int64
	for part, end := range ends {
		at := done[part]
		advanced += max(0, at-p.at[part])
		unread += max(0, end-at)
		p.at[part] = at
		if w := p.wait(part, now, end, at); len(w) > 0 && (oldest.IsZero() || w[0].seen.Before(oldest)) {
			oldest = w[0].seen
		}
	}
	p.measure(now, advanced, unread)
	if advanced > 0 || oldest.IsZero() || p.moved.IsZero() {
		p.moved = now
	}
	stuck := now.Sub(p.moved) >= indexStuck
	if stuck && !p.stuck {
		p.log.Warn("the index makes no progress: the crawl goes on without it", "for", now.Sub(p.moved).Round(time.Second))
	}
	p.stuck = stuck
	hold := !stuck && (!oldest.IsZero() && now.Sub(oldest) > indexBehind || p.over(unread))
	if p.hold.Swap(hold) != hold {
		p.log.Info("pace of the index", "waiting", hold, "unread", unread, "speed", int(p.speed))
	}
}

// wait updates the list of a partition's ends that the index has not reached, and returns it.
func (p *indexPace) wait(part int32, now time.Time, end, at int64) []logEnd {
	w := p.waiting[part]
	if end > at && (len(w) == 0 || w[len(w)-1].end < end) {
		w = append(w, logEnd{now, end})
	}
	for len(w) > 0 && w[0].end <= at {
		w = w[1:]
	}
	p.waiting[part] = w
	return w
}

// measure measures the speed of the index while it has something to do, over at least indexTimed,
// because whole batches advance at once. A higher speed is taken as it is; a lower one changes the
// value by a third of the difference.
func (p *indexPace) measure(now time.Time, advanced, unread int64) {
	if !p.looked.IsZero() && unread+advanced > 0 {
		p.busy, p.done = p.busy+now.Sub(p.looked), p.done+advanced
	}
	p.looked = now
	if p.busy < indexTimed || p.done == 0 {
		return
	}
	if is := float64(p.done) / p.busy.Seconds(); is > p.speed {
		p.speed = is
	} else {
		p.speed += (is - p.speed) / 3
	}
	p.busy, p.done = 0, 0
}

// over reports whether the index needs longer than indexBefore for the unread records.
func (p *indexPace) over(unread int64) bool {
	return p.speed > 0 && float64(unread)/p.speed > indexBefore.Seconds()
}
