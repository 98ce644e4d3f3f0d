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
	// indexBefore is how much work may stand before the index, in seconds of its speed. What fetch
	// has in hand comes on top when the frontier waits already: so it is half of what the index may
	// be behind.
	indexBefore = indexBehind / 2
	// indexTimed is for how long the index must have been busy for its speed to be measured.
	indexTimed = 2 * time.Second
	// indexStuck is after how long without any progress the index is not waited for any more: a
	// crawl does not depend on its index (A5).
	indexStuck = 30 * time.Second
	// indexLook is how often is looked.
	indexLook = 250 * time.Millisecond
)

// indexPace keeps the crawl of one process from running ahead of its own index. It knows how long
// the oldest record that is not in the index has been on docs.unique. On a cluster nobody waits for
// the index.
type indexPace struct {
	log  *slog.Logger
	hold atomic.Bool

	waiting map[int32][]logEnd // by partition: ends that the index has not reached, oldest first
	at      map[int32]int64    // where the index stands
	moved   time.Time          // when it last got further, or had nothing to do
	stuck   bool

	looked time.Time
	busy   time.Duration // since the last measurement, while it had something to do
	done   int64         // records in that time
	speed  float64       // records a second; 0: not known
}

// logEnd says that a log ended there at that time.
type logEnd struct {
	seen time.Time
	end  int64
}

func newIndexPace(log *slog.Logger) *indexPace {
	return &indexPace{log: log, waiting: map[int32][]logEnd{}, at: map[int32]int64{}}
}

// Hold reports whether the frontier should start nothing new.
func (p *indexPace) Hold() bool { return p.hold.Load() }

// watch looks every indexLook until ctx ends. ends are those of docs.unique, done where the index
// stands. What cannot be read holds nobody.
func (p *indexPace) watch(ctx context.Context, ends func(context.Context) (map[int32]int64, error), done func() map[int32]int64) {
	tick := time.NewTicker(indexLook)
	defer tick.Stop()
	defer p.hold.Store(false)
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now, err := ends(ctx)
		if err != nil {
			p.hold.Store(false)
			continue
		}
		p.look(time.Now(), now, done())
	}
}

// look notes where log and index stand and decides.
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

// wait brings the ends of a partition that the index has not reached up to date, and returns them.
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

// measure takes the speed of the index while it has something to do. Batches come at once, so it is
// measured over indexTimed; a slower measurement counts for a third.
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

// over reports whether the index needs longer than indexBefore for so many records.
func (p *indexPace) over(unread int64) bool {
	return p.speed > 0 && float64(unread)/p.speed > indexBefore.Seconds()
}
