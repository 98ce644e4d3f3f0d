package watch

import (
	"sync"
	"time"

	"millrace/streams"
)

// The history keeps all samples for ten minutes, and one per minute for a day.
const (
	finePoints   = 300
	coarsePoints = 1440
	coarseEvery  = time.Minute
	rateWindow   = 30 * time.Second // short enough to follow a change, long enough to be stable
	leastWindow  = 3 * time.Second  // over less time a rate means nothing
)

// point is one sample.
type point struct {
	at     time.Time
	groups map[string]position
	ages   map[string]streams.Ages
}

// position is the position of a group and the end of its topic, summed over all partitions.
type position struct{ done, end int64 }

// history keeps points at two resolutions, oldest first.
type history struct {
	mu     sync.Mutex
	fine   ring
	coarse ring
}

func newHistory() *history {
	return &history{fine: ring{size: finePoints}, coarse: ring{size: coarsePoints}}
}

func (h *history) add(p point) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.fine.add(p)
	if last, ok := h.coarse.newest(); !ok || p.at.Sub(last.at) >= coarseEvery {
		h.coarse.add(point{at: p.at, groups: p.groups}) // ages are used over short windows only
	}
}

// window returns the points since a time, from the fine ring if it reaches back that far.
func (h *history) window(since time.Time) window {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := &h.fine
	if len(r.points) < r.size || !r.at(0).at.After(since) {
		return r.since(since)
	}
	out := h.coarse.since(since)
	if p, ok := r.newest(); ok {
		out = append(out, p)
	}
	return out
}

// newest returns the time of the last point, or zero.
func (h *history) newest() time.Time {
	h.mu.Lock()
	defer h.mu.Unlock()
	p, _ := h.fine.newest()
	return p.at
}

// ring is a list of bounded size; a new point replaces the oldest.
type ring struct {
	size   int
	points []point
	first  int // index of the oldest
}

func (r *ring) add(p point) {
	if len(r.points) < r.size {
		r.points = append(r.points, p)
		return
	}
	r.points[r.first] = p
	r.first = (r.first + 1) % r.size
}

func (r *ring) at(i int) point { return r.points[(r.first+i)%len(r.points)] }

func (r *ring) newest() (point, bool) {
	if len(r.points) == 0 {
		return point{}, false
	}
	return r.at(len(r.points) - 1), true
}

func (r *ring) since(t time.Time) window {
	var out window
	for i := range r.points {
		if p := r.at(i); !p.at.Before(t) {
			out = append(out, p)
		}
	}
	return out
}
