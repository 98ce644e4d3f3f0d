package workbench

import (
	"time"

	"millrace/streams/heap"
)

// slots count the leases that are out. Unproven keys may have a part of the slots, slow keys have
// their own, and urgent items have a reserve.
type slots[T any] struct {
	o              Options
	unproven, slow int        // most leases of these lanes
	out            [paces]int // leases by lane
	leases         map[*Lease[T]]struct{}
	flying         heap.Heap[*Lease[T]] // leases outside the slow lane, by the time at which they would move there
	stopped        bool
	probes         int // leases that may be given although stopped
}

func newSlots[T any](o Options) slots[T] {
	return slots[T]{
		o: o, unproven: max(1, o.InFlight*3/4), slow: 2 * o.InFlight, leases: make(map[*Lease[T]]struct{}),
		flying: heap.Heap[*Lease[T]]{
			At:   func(l *Lease[T]) *int { return &l.inFlying },
			Less: func(x, y *Lease[T]) bool { return x.slowAt.Before(y.slowAt) },
		},
	}
}

// quick is the number of leases outside the slow lane.
func (s *slots[T]) quick() int { return s.out[Quick] + s.out[Unproven] }

// closed reports whether no lease may be given at all.
func (s *slots[T]) closed() bool { return s.stopped && s.probes == 0 }

// reserve reports whether there is a slot for an urgent item.
func (s *slots[T]) reserve() bool { return s.quick() < s.o.InFlight+s.o.Reserve }

// free reports whether a lane has a slot.
func (s *slots[T]) free(lane Pace) bool {
	switch lane {
	case Slow:
		return s.out[Slow] < s.slow
	case Unproven:
		return s.quick() < s.o.InFlight && s.out[Unproven] < s.unproven
	}
	return s.quick() < s.o.InFlight
}

// take gives a lease a slot of its lane.
func (s *slots[T]) take(l *Lease[T]) {
	s.out[l.lane]++
	s.leases[l] = struct{}{}
	if l.lane != Slow {
		s.flying.Push(l)
	}
	if s.stopped {
		s.probes--
	}
}

// release frees the slot of a lease.
func (s *slots[T]) release(l *Lease[T]) {
	delete(s.leases, l)
	s.flying.Remove(l)
	s.out[l.lane]--
}

// demote moves leases that have lasted longer than SlowAfter to the slow lane, so that their slots
// serve others. If that lane is full, it returns them to be cut if others wait for a slot, else it
// checks them again after SlowAfter.
func (s *slots[T]) demote(others bool) (cut []*Lease[T]) {
	now := time.Now()
	for s.flying.Len() > 0 && !s.flying.Top().slowAt.After(now) {
		l := s.flying.Pop()
		switch {
		case s.free(Slow):
			s.out[l.lane]--
			l.lane = Slow
			s.out[Slow]++
		case others:
			cut = append(cut, l)
		default:
			l.slowAt = now.Add(s.o.SlowAfter)
			s.flying.Push(l)
		}
	}
	return cut
}
