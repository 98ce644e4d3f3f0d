package workbench

import (
	"time"

	"millrace/streams/heap"
)

// share bounds what one site, or one address, may have of the slots, and for an address how fast
// different sites may start at it.
type share[T any] struct {
	name    string
	all     map[string]*share[T] // where it is kept
	groups  int                  // that belong to it; of an address: sites
	out     int                  // leases
	most    int
	gap     time.Duration // between two starts, if there is more than one group
	started time.Time
	late    int                  // slow answers in a row, of any of its keys
	waiters heap.Heap[*front[T]] // may start but for this share
	inClock int                  // place among the shares whose waiters wait for the gap
}

// lateMost slow answers in a row of a site or an address make its unproven keys slow ones.
const lateMost = 3

// opens is when the next start is allowed by the gap: at once if one group has the share alone.
func (s *share[T]) opens() time.Time {
	if s.groups < 2 {
		return time.Time{}
	}
	return s.rested()
}

// rested is when the last start does not matter any more to any group.
func (s *share[T]) rested() time.Time {
	if s.gap == 0 || s.started.IsZero() {
		return time.Time{}
	}
	return s.started.Add(s.gap)
}

func (s *share[T]) slow() bool { return s != nil && s.late >= lateMost }

// full returns the share that keeps a group from starting now, or nil.
func (q *order[T]) full(g *group[T], now time.Time) *share[T] {
	for _, s := range g.shares {
		if s.out >= s.most || s.opens().After(now) {
			return s
		}
	}
	return nil
}

// setAside moves a front to the waiters of the share that is full.
func (q *order[T]) setAside(f *front[T], s *share[T]) {
	q.unfile(f)
	f.queue = &s.waiters
	s.waiters.Push(f)
	q.attend(s)
}

// attend lets one waiter of a share go if there is room for it. It is called whenever there may be,
// and whenever the front that was let go last did not start after all.
func (q *order[T]) attend(s *share[T]) {
	if s.waiters.Len() == 0 || s.out >= s.most {
		return
	}
	if s.opens().After(time.Now()) {
		if s.inClock < 0 {
			q.clocks.Push(s)
		}
		return
	}
	for s.waiters.Len() > 0 {
		f := s.waiters.Top()
		q.file(f)
		if f.queue != &q.waiting && f.queue != q.paused[f.partition] {
			f.woken = s
			return
		}
	}
}

// occupy takes a place in a group's shares.
func (q *order[T]) occupy(g *group[T]) {
	for _, s := range g.shares {
		s.out++
		q.clocks.Remove(s)
		s.started = time.Now()
		q.attend(s)
	}
}

// vacate gives the place back that occupy took.
func (q *order[T]) vacate(g *group[T]) {
	for _, s := range g.shares {
		s.out--
		q.attend(s)
	}
}
