package workbench

import (
	"context"
	"sync"
	"time"
)

// Bench is the workbench. Its fields below mu are one state: every method takes mu, changes it and files what changed.
type Bench[T any] struct {
	o              Options
	unproven, slow int // most leases of these lanes
	deferred       func(Item[T], time.Time)
	cut            func(Item[T])
	wake           chan struct{} // something may start earlier than Acquire thinks

	mu               sync.Mutex
	keys             map[string]*key[T]
	groups           map[string]*group[T]
	sites, addresses map[string]*share[T]

	waiting heap[*front[T]]            // by the time they may start
	paused  map[int32]*heap[*front[T]] // may start but for their partition
	urgents heap[*front[T]]            // may start now; by score
	lanes   [paces]heap[*front[T]]
	clocks  heap[*share[T]] // shares whose waiters wait for the gap

	deadlines heap[*entry[T]]
	flying    heap[*Lease[T]] // leases that are not in the lane of the slow, by the time they would be
	leases    map[*Lease[T]]struct{}
	out       [paces]int // leases by lane
	stopped   bool
	probes    int // leases that may be given out although stopped
}

// New returns an empty bench. deferred gets the items that cannot start within Hold, and the time from which they could; cut gets the items whose lease is
// to end at once, because it is slow and there is no room for it.
func New[T any](o Options, deferred func(Item[T], time.Time), cut func(Item[T])) (*Bench[T], error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	b := &Bench[T]{
		o: o, unproven: max(1, o.InFlight*3/4), slow: 2 * o.InFlight, deferred: deferred, cut: cut, wake: make(chan struct{}, 1),
		keys: make(map[string]*key[T]), groups: make(map[string]*group[T]),
		sites: make(map[string]*share[T]), addresses: make(map[string]*share[T]),
		paused: make(map[int32]*heap[*front[T]]), leases: make(map[*Lease[T]]struct{}),
	}
	b.waiting = b.queue(func(x, y *front[T]) bool { return b.readyAt(x).Before(b.readyAt(y)) })
	b.urgents = b.queue(b.byScore)
	for i := range b.lanes {
		b.lanes[i] = b.queue(b.byScore)
	}
	b.clocks = heap[*share[T]]{
		at:   func(s *share[T]) *int { return &s.inClock },
		less: func(x, y *share[T]) bool { return x.opens().Before(y.opens()) },
	}
	b.deadlines = heap[*entry[T]]{
		at:   func(e *entry[T]) *int { return &e.inDeadline },
		less: func(x, y *entry[T]) bool { return x.deadline.Before(y.deadline) },
	}
	b.flying = heap[*Lease[T]]{
		at:   func(l *Lease[T]) *int { return &l.inFlying },
		less: func(x, y *Lease[T]) bool { return x.slowAt.Before(y.slowAt) },
	}
	return b, nil
}

// Len returns the number of items that wait.
func (b *Bench[T]) Len() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.deadlines.len()
}

// Out returns the number of leases that are out, those in the lane of the slow, and how many the others may be without the reserve.
func (b *Bench[T]) Out() (out, slow, most int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.out[Quick] + b.out[Unproven], b.out[Slow], b.o.InFlight
}

// Keys returns the number of keys remembered.
func (b *Bench[T]) Keys() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.keys)
}

// Add puts an item on the bench; clock is used if the key is not known, but for NotBefore, which always holds.
func (b *Bench[T]) Add(name string, clock Clock, it Item[T]) {
	b.mu.Lock()
	k := b.key(name, clock, it.Partition)
	now := time.Now()
	e := &entry[T]{Item: it, key: k, arrived: now, deadline: now.Add(b.o.Hold), inKey: -1, inDeadline: -1}
	late := b.insert(e)
	b.mu.Unlock()
	b.giveBack(late)
	b.poke()
}

// insert files an entry, or returns it if its key cannot start in time.
func (b *Bench[T]) insert(e *entry[T]) []deferral[T] {
	if ready := e.key.ready(b.o.Guard); ready.After(e.deadline) {
		b.enter(e.key)
		return []deferral[T]{{e.Item, ready}}
	}
	e.key.items.push(e)
	e.key.partition = e.Partition
	b.deadlines.push(e)
	b.enter(e.key)
	return nil
}

// remove takes an entry off the bench; the caller calls enter for its key.
func (b *Bench[T]) remove(e *entry[T]) {
	e.key.items.remove(e)
	b.deadlines.remove(e)
}

func (b *Bench[T]) key(name string, c Clock, partition int32) *key[T] {
	if k, ok := b.keys[name]; ok {
		k.notBefore = later(k.notBefore, c.NotBefore) // another partition's item may have been here first
		if k.front != nil {
			k.front.keys.fix(k)
		}
		return k
	}
	k := &key[T]{
		name: name, partition: partition, delay: c.Delay, notBefore: c.NotBefore, blocked: c.BlockedUntil, pace: c.Pace, inFront: -1,
		items: heap[*entry[T]]{at: func(e *entry[T]) *int { return &e.inKey }, less: before[T]},
	}
	b.keys[name] = k
	b.join(k, c.Site, c.Address)
	return k
}

// Acquire waits for an item that may start and takes its key and group out. It also hands back what has waited too long.
func (b *Bench[T]) Acquire(ctx context.Context) (*Lease[T], error) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		b.mu.Lock()
		late := b.expire()
		b.promote()
		slow := b.demote()
		l := b.take()
		next, some := b.next()
		b.mu.Unlock()
		b.giveBack(late)
		for _, l := range slow {
			b.cut(l.Item)
		}
		if l != nil {
			return l, nil
		}
		timer.Stop()
		var due <-chan time.Time
		if some {
			timer.Reset(time.Until(next))
			due = timer.C
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-b.wake:
		case <-due:
		}
	}
}

// deferral is an item on its way back.
type deferral[T any] struct {
	item  Item[T]
	until time.Time
}

func (b *Bench[T]) giveBack(list []deferral[T]) {
	for _, d := range list {
		b.deferred(d.item, d.until)
	}
}

func (b *Bench[T]) poke() {
	select {
	case b.wake <- struct{}{}:
	default:
	}
}
