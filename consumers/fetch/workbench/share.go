package workbench

import "time"

// share bounds what one site, or one address, may have of the slots, and for an address how fast different sites may start at it.
type share[T any] struct {
	name    string
	all     map[string]*share[T] // where it is kept
	groups  int                  // that belong to it; of an address: sites
	out     int                  // leases
	most    int
	gap     time.Duration // between two starts, if there is more than one group
	started time.Time
	late    int             // slow answers in a row, of any of its keys
	waiters heap[*front[T]] // may start but for this share
	inClock int             // place among the shares whose waiters wait for the gap
}

// lateMost slow answers in a row of a site or an address make its unproven keys slow ones.
const lateMost = 3

func (b *Bench[T]) share(all map[string]*share[T], name string, most int, gap time.Duration) *share[T] {
	if name == "" {
		return nil
	}
	s := all[name]
	if s == nil {
		s = &share[T]{name: name, all: all, most: most, gap: guarded(gap, b.o.Guard), inClock: -1, waiters: b.queue(b.byScore)}
		all[name] = s
	}
	return s
}

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
func (b *Bench[T]) full(g *group[T], now time.Time) *share[T] {
	for _, s := range g.shares {
		if s.out >= s.most || s.opens().After(now) {
			return s
		}
	}
	return nil
}

// park moves a front to the waiters of the share that is full.
func (b *Bench[T]) park(f *front[T], s *share[T]) {
	b.unfile(f)
	f.queue = &s.waiters
	s.waiters.push(f)
	b.attend(s)
}

// attend lets one waiter of a share go if there is room for it. It is called whenever there may be, and whenever the front that was let go last did not
// start after all.
func (b *Bench[T]) attend(s *share[T]) {
	if s.waiters.len() == 0 || s.out >= s.most {
		return
	}
	if s.opens().After(time.Now()) {
		if s.inClock < 0 {
			b.clocks.push(s)
		}
		return
	}
	for s.waiters.len() > 0 {
		f := s.waiters.top()
		b.file(f)
		if f.queue != &b.waiting && f.queue != b.paused[f.partition] {
			f.woken = s
			return
		}
	}
}

// occupy takes a place in a group's shares, vacate gives it back.
func (b *Bench[T]) occupy(g *group[T]) {
	for _, s := range g.shares {
		s.out++
		b.clocks.remove(s)
		s.started = time.Now()
		b.attend(s)
	}
}

func (b *Bench[T]) vacate(g *group[T]) {
	for _, s := range g.shares {
		s.out--
		b.attend(s)
	}
}
