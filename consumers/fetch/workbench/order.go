package workbench

import (
	"time"

	"millrace/streams/heap"
)

// order decides which front goes first. Every front is in one of its queues, or with a share that
// has no room for it.
type order[T any] struct {
	o       Options
	waiting heap.Heap[*front[T]]            // by the time at which they may start
	paused  map[int32]*heap.Heap[*front[T]] // may start, but their partition is paused
	urgents heap.Heap[*front[T]]            // may start now; by score
	lanes   [paces]heap.Heap[*front[T]]
	clocks  heap.Heap[*share[T]] // shares whose waiters wait for AddressGap
}

func newOrder[T any](o Options) *order[T] {
	q := &order[T]{o: o, paused: make(map[int32]*heap.Heap[*front[T]])}
	q.waiting = q.queue(func(x, y *front[T]) bool { return q.readyAt(x).Before(q.readyAt(y)) })
	q.urgents = q.queue(q.byScore)
	for i := range q.lanes {
		q.lanes[i] = q.queue(q.byScore)
	}
	q.clocks = heap.Heap[*share[T]]{
		At:   func(s *share[T]) *int { return &s.inClock },
		Less: func(x, y *share[T]) bool { return x.opens().Before(y.opens()) },
	}
	return q
}

// ready reports whether a front needs only a slot to start.
func (q *order[T]) ready() bool {
	return q.lanes[Quick].Len()+q.lanes[Unproven].Len()+q.urgents.Len() > 0
}

func (q *order[T]) queue(less func(x, y *front[T]) bool) heap.Heap[*front[T]] {
	return heap.Heap[*front[T]]{At: func(f *front[T]) *int { return &f.inQueue }, Less: less}
}

// unfile takes a front out of its queue.
func (q *order[T]) unfile(f *front[T]) {
	if f.queue != nil {
		f.queue.Remove(f)
		f.queue = nil
	}
	if s := f.woken; s != nil {
		f.woken = nil
		q.attend(s)
	}
}

// file puts a front into the right queue after anything about it has changed.
func (q *order[T]) file(f *front[T]) {
	q.unfile(f)
	if f.group.busy || f.keys.Len() == 0 {
		return
	}
	f.queue = q.queueOf(f)
	f.queue.Push(f)
}

func (q *order[T]) fileAll(g *group[T]) {
	for _, f := range g.fronts {
		q.file(f)
	}
}

func (q *order[T]) queueOf(f *front[T]) *heap.Heap[*front[T]] {
	switch {
	case f.keys.Top().items.Len() == 0 || q.readyAt(f).After(time.Now()):
		return &q.waiting
	case !f.urgent && q.paused[f.partition] != nil:
		return q.paused[f.partition]
	}
	pace := q.pace(f)
	if f.urgent && pace != Slow {
		return &q.urgents
	}
	return &q.lanes[pace]
}

// pace is the pace of the front's first key. An unproven key is as slow as its site or address.
func (q *order[T]) pace(f *front[T]) Pace {
	p := f.keys.Top().pace
	if p == Unproven && (f.group.site.slow() || f.group.address.slow()) {
		return Slow
	}
	return p
}

// choose returns the queue to serve: the one with the best score among those that have a slot; nil
// if there is none.
func (q *order[T]) choose(s *slots[T]) *heap.Heap[*front[T]] {
	if s.closed() {
		return nil
	}
	var best *heap.Heap[*front[T]]
	for _, c := range []struct {
		queue *heap.Heap[*front[T]]
		slot  bool
	}{
		{&q.urgents, s.reserve()},
		{&q.lanes[Quick], s.free(Quick)},
		{&q.lanes[Unproven], s.free(Unproven)},
		{&q.lanes[Slow], s.free(Slow)},
	} {
		if c.slot && c.queue.Len() > 0 && (best == nil || q.byScore(c.queue.Top(), best.Top())) {
			best = c.queue
		}
	}
	return best
}

// readyAt is when a front may start: when its first key and the clock of its group allow it.
func (q *order[T]) readyAt(f *front[T]) time.Time {
	t := f.keys.Top().ready(q.o.Guard)
	if g := f.group; g.name != "" && !g.started.IsZero() {
		t = later(t, g.started.Add(guarded(q.o.SiteDelay, q.o.Guard)))
	}
	return t
}

// score orders fronts that may start: the longest wait first, with a head start by class.
func (q *order[T]) score(f *front[T]) time.Time {
	e := f.keys.Top().items.Top()
	return later(q.readyAt(f), e.arrived).Add(time.Duration(e.Class) * q.o.ClassStep)
}

func (q *order[T]) byScore(x, y *front[T]) bool { return q.score(x).Before(q.score(y)) }
