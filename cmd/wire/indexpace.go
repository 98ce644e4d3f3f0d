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
	advanced := false
	for part, end := range ends {
		at := done[part]
		advanced = advanced || at != p.at[part]
		p.at[part] = at
		w := p.waiting[part]
		if end > at && (len(w) == 0 || w[len(w)-1].end < end) {
			w = append(w, logEnd{now, end})
		}
		for len(w) > 0 && w[0].end <= at {
			w = w[1:]
		}
		if p.waiting[part] = w; len(w) > 0 && (oldest.IsZero() || w[0].seen.Before(oldest)) {
			oldest = w[0].seen
		}
	}
	if advanced || oldest.IsZero() || p.moved.IsZero() {
		p.moved = now
	}
	stuck := now.Sub(p.moved) >= indexStuck
	if stuck && !p.stuck {
		p.log.Warn("the index makes no progress: the crawl goes on without it", "for", now.Sub(p.moved).Round(time.Second))
	}
	p.stuck = stuck
	hold := !oldest.IsZero() && now.Sub(oldest) > indexBehind && !stuck
	if p.hold.Swap(hold) != hold {
		p.log.Info("pace of the index", "waiting", hold)
	}
}
