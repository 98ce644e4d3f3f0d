package workbench

import (
	"context"
	"sync"
	"time"

	"millrace/streams/heap"
)

// Bench is the workbench. The fields below mu are one state: every method locks mu, changes the
// state, and puts what changed into the right queues.
type Bench[T any] struct {
	o        Options
	deferred func(Item[T], time.Time)
	cut      func(Item[T])
	wake     chan struct{} // wakes Acquire: something may start earlier than it expects

	mu        sync.Mutex
	known     *directory[T]
	order     *order[T]
	slots     slots[T]
	deadlines heap.Heap[*entry[T]]
}

// New returns an empty bench. deferred is called with each item that cannot start within Hold, and
// the time from which it could. cut is called with each item whose lease must end at once, because
// it is slow and all slow slots are taken.
func New[T any](o Options, deferred func(Item[T], time.Time), cut func(Item[T])) (*Bench[T], error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	q := newOrder[T](o)
	b := &Bench[T]{
		o: o, deferred: deferred, cut: cut, wake: make(chan struct{}, 1),
		known: newDirectory(q), order: q, slots: newSlots[T](o),
	}
	b.deadlines = heap.Heap[*entry[T]]{
		At:   func(e *entry[T]) *int { return &e.inDeadline },
		Less: func(x, y *entry[T]) bool { return x.deadline.Before(y.deadline) },
	}
	return b, nil
}

// Len returns the number of items that wait.
func (b *Bench[T]) Len() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.deadlines.Len()
}

// Out returns the number of leases outside the slow lane, the number in it, and the limit for the
// first without the reserve.
func (b *Bench[T]) Out() (out, slow, most int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.slots.quick(), b.slots.out[Slow], b.o.InFlight
}

// Keys returns the number of known keys.
func (b *Bench[T]) Keys() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.known.keys)
}

// Add puts an item on the bench. clock is used only if the key is new; its NotBefore is always
// used.
func (b *Bench[T]) Add(name string, clock Clock, it Item[T]) {
	b.mu.Lock()
	k := b.known.key(name, clock, it.Partition)
	now := time.Now()
	e := &entry[T]{Item: it, key: k, arrived: now, deadline: now.Add(b.o.Hold), inKey: -1, inDeadline: -1}
	late := b.insert(e)
	b.mu.Unlock()
	b.giveBack(late)
	b.poke()
}

// insert adds an entry to its key, or returns it if the key cannot start before the entry's
// deadline.
func (b *Bench[T]) insert(e *entry[T]) []deferral[T] {
	if ready := e.key.ready(b.o.Guard); ready.After(e.deadline) {
		b.known.enter(e.key)
		return []deferral[T]{{e.Item, ready}}
	}
	e.key.items.Push(e)
	e.key.partition = e.Partition
	b.deadlines.Push(e)
	b.known.enter(e.key)
	return nil
}

// remove takes an entry off the bench. The caller must call enter for its key.
func (b *Bench[T]) remove(e *entry[T]) {
	e.key.items.Remove(e)
	b.deadlines.Remove(e)
}

// Acquire waits for an item that may start, and leases its key and group. It also defers items that
// have waited too long.
func (b *Bench[T]) Acquire(ctx context.Context) (*Lease[T], error) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		b.mu.Lock()
		late := b.expire()
		b.promote()
		slow := b.slots.demote(b.order.ready())
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

// deferral is an item to be deferred.
type deferral[T any] struct {
	item  Item[T]
	until time.Time
}

// giveBack calls deferred for items. mu must not be locked.
func (b *Bench[T]) giveBack(list []deferral[T]) {
	for _, d := range list {
		b.deferred(d.item, d.until)
	}
}

// poke wakes Acquire.
func (b *Bench[T]) poke() {
	select {
	case b.wake <- struct{}{}:
	default:
	}
}
