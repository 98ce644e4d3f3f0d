package workbench

import (
	"time"

	"millrace/streams/heap"
)

// share bounds the leases of one site or one address. For an address it also keeps a gap between
// starts of different sites.
type share[T any] struct {
	name    string
	all     map[string]*share[T] // the map that it is in
	groups  int                  // groups that belong to it
	out     int                  // leases out
	most    int
	gap     time.Duration // between two starts, if it has more than one group
	started time.Time
	late    int                  // slow answers of its keys in a row
	waiters heap.Heap[*front[T]] // fronts that may start, but this share has no room
	inClock int                  // place in order.clocks
}

// lateMost is how many slow answers in a row of a site or an address make its unproven keys slow.
const lateMost = 3

// opens is when the gap allows the next start: at once if only one group has the share.
func (s *share[T]) opens() time.Time {
	if s.groups < 2 {
		return time.Time{}
	}
	return s.rested()
}

// rested is when the gap after the last start is over.
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

// setAside moves a front to the waiters of the share that has no room.
func (q *order[T]) setAside(f *front[T], s *share[T]) {
	q.unfile(f)
	f.queue = &s.waiters
	s.waiters.Push(f)
	q.attend(s)
}

// attend releases one waiter of a share if there is room. It is called whenever there may be room,
// and whenever the front released last did not start.
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

// occupy counts a lease in a group's shares.
func (q *order[T]) occupy(g *group[T]) {
	for _, s := range g.shares {
		s.out++
		q.clocks.Remove(s)
		s.started = time.Now()
		q.attend(s)
	}
}

// vacate undoes occupy when the lease ends.
func (q *order[T]) vacate(g *group[T]) {
	for _, s := range g.shares {
		s.out--
		q.attend(s)
	}
}
