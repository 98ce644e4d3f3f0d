package workbench

import (
	"context"
	"sync"
	"time"
)

// Bench is the workbench.
type Bench[T any] struct {
	o        Options
	deferred func(Item[T], time.Time)
	wake     chan struct{} // something may start earlier than Acquire thinks

	mu        sync.Mutex
	keys      map[string]*key[T]
	groups    map[string]*group[T]
	waiting   heap[*group[T]] // by the time they may start
	urgent    heap[*group[T]] // may start now; by score
	normal    heap[*group[T]]
	deadlines heap[*entry[T]]
	out       int // leases
	paused    bool
}

// New returns an empty bench. deferred gets the items that cannot start within Hold, and the time from which they could.
func New[T any](o Options, deferred func(Item[T], time.Time)) (*Bench[T], error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	b := &Bench[T]{
		o: o, deferred: deferred, wake: make(chan struct{}, 1),
		keys: make(map[string]*key[T]), groups: make(map[string]*group[T]),
	}
	place := func(g *group[T]) *int { return &g.inQueue }
	b.waiting = heap[*group[T]]{at: place, less: func(x, y *group[T]) bool { return b.readyAt(x).Before(b.readyAt(y)) }}
	b.urgent = heap[*group[T]]{at: place, less: b.byScore}
	b.normal = heap[*group[T]]{at: place, less: b.byScore}
	b.deadlines = heap[*entry[T]]{
		at:   func(e *entry[T]) *int { return &e.inDeadline },
		less: func(x, y *entry[T]) bool { return x.deadline.Before(y.deadline) },
	}
	return b, nil
}

// Len returns the number of items that wait.
func (b *Bench[T]) Len() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.deadlines.len()
}

// Out returns the number of leases that are out, and the most there may be but
// for the reserve.
func (b *Bench[T]) Out() (out, most int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.out, b.o.InFlight
}

// Keys returns the number of keys remembered.
func (b *Bench[T]) Keys() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.keys)
}

// Add puts an item on the bench; clock is used if the key is not known.
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
		b.file(e.key.group)
		return []deferral[T]{{e.Item, ready}}
	}
	e.key.items.push(e)
	b.deadlines.push(e)
	b.file(e.key.group)
	return nil
}

func (b *Bench[T]) key(name string, c Clock, partition int32) *key[T] {
	if k, ok := b.keys[name]; ok {
		return k
	}
	k := &key[T]{
		name: name, partition: partition, delay: c.Delay, notBefore: c.NotBefore, blocked: c.BlockedUntil, inGroup: -1,
		items: heap[*entry[T]]{at: func(e *entry[T]) *int { return &e.inKey }, less: before[T]},
	}
	b.keys[name] = k
	k.group = b.group(c.Group)
	k.group.keys.push(k)
	return k
}

func (b *Bench[T]) group(name string) *group[T] {
	if b.o.GroupDelay == 0 {
		name = ""
	}
	if g, ok := b.groups[name]; ok && name != "" {
		return g
	}
	g := &group[T]{name: name, inQueue: -1, keys: heap[*key[T]]{
		at:   func(k *key[T]) *int { return &k.inGroup },
		less: func(x, y *key[T]) bool { return x.ready(b.o.Guard).Before(y.ready(b.o.Guard)) },
	}}
	if name != "" {
		b.groups[name] = g
	}
	return g
}

// readyAt is when a group may start: its own clock, and that of the key whose turn comes first.
func (b *Bench[T]) readyAt(g *group[T]) time.Time {
	t := g.keys.top().ready(b.o.Guard)
	if g.started.IsZero() || b.o.GroupDelay == 0 {
		return t
	}
	return later(t, g.started.Add(guarded(b.o.GroupDelay, b.o.Guard)))
}

// score orders what may start: the longest wait first, with a head start by class.
func (b *Bench[T]) score(g *group[T]) time.Time {
	items := g.keys.top().items
	if items.len() == 0 {
		return time.Time{} // to be swept at once
	}
	e := items.top()
	return later(b.readyAt(g), e.arrived).Add(time.Duration(e.Class) * b.o.ClassStep)
}

func (b *Bench[T]) byScore(x, y *group[T]) bool { return b.score(x).Before(b.score(y)) }

// file puts a group where it belongs after anything about it has changed.
func (b *Bench[T]) file(g *group[T]) {
	if g.queue != nil {
		g.queue.remove(g)
		g.queue = nil
	}
	if g.busy || g.keys.len() == 0 {
		return
	}
	g.queue = b.queueOf(g)
	g.queue.push(g)
}

func (b *Bench[T]) queueOf(g *group[T]) *heap[*group[T]] {
	if b.readyAt(g).After(time.Now()) {
		return &b.waiting
	}
	if items := g.keys.top().items; items.len() > 0 && items.top().Class <= b.o.Urgent {
		return &b.urgent
	}
	return &b.normal
}

// Acquire waits for an item that may start and takes its key and group out. It also hands back what has waited too long.
func (b *Bench[T]) Acquire(ctx context.Context) (*Lease[T], error) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		b.mu.Lock()
		late := b.expire()
		b.promote()
		l := b.take()
		next, some := b.next()
		b.mu.Unlock()
		b.giveBack(late)
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

// next is when Acquire has to look again by itself.
func (b *Bench[T]) next() (t time.Time, some bool) {
	if b.deadlines.len() > 0 {
		t, some = b.deadlines.top().deadline, true
	}
	if b.waiting.len() > 0 {
		if r := b.readyAt(b.waiting.top()); !some || r.Before(t) {
			t, some = r, true
		}
	}
	return t, some
}

// promote moves the groups whose time has come, and forgets keys that have nothing left to remember.
func (b *Bench[T]) promote() {
	now := time.Now()
	for b.waiting.len() > 0 && !b.readyAt(b.waiting.top()).After(now) {
		g := b.waiting.top()
		b.sweep(g)
		b.file(g)
	}
}

// sweep forgets the first key of a group if it has no items.
func (b *Bench[T]) sweep(g *group[T]) {
	if k := g.keys.top(); k.items.len() == 0 {
		b.forget(k)
	}
}

func (b *Bench[T]) forget(k *key[T]) {
	g := k.group
	if g.queue != nil {
		g.queue.remove(g)
		g.queue = nil
	}
	g.keys.remove(k)
	delete(b.keys, k.name)
	b.dropGroup(g)
}

// dropGroup forgets a group without keys, unless its clock still matters to a key that may come.
func (b *Bench[T]) dropGroup(g *group[T]) {
	if g.name == "" || g.busy || g.keys.len() > 0 {
		return
	}
	if !g.started.Add(guarded(b.o.GroupDelay, b.o.Guard)).After(time.Now()) {
		delete(b.groups, g.name)
	}
}

// take gives out the best of what may start, if a slot is free for it.
func (b *Bench[T]) take() *Lease[T] {
	for !b.paused {
		q := b.choose()
		if q == nil {
			return nil
		}
		g := q.top()
		if g.keys.top().items.len() > 0 {
			return b.lease(g)
		}
		b.sweep(g)
		b.file(g)
	}
	return nil
}

// choose picks the queue to serve: the better score while ordinary slots are free, the urgent one while only the reserve is.
func (b *Bench[T]) choose() *heap[*group[T]] {
	ordinary, any := b.out < b.o.InFlight, b.out < b.o.InFlight+b.o.Reserve
	switch {
	case b.urgent.len() > 0 && any && (!ordinary || b.normal.len() == 0 || !b.byScore(b.normal.top(), b.urgent.top())):
		return &b.urgent
	case b.normal.len() > 0 && ordinary:
		return &b.normal
	}
	return nil
}

// expire takes out the items whose time on the bench is over.
func (b *Bench[T]) expire() []deferral[T] {
	now := time.Now()
	var late []deferral[T]
	for b.deadlines.len() > 0 && !b.deadlines.top().deadline.After(now) {
		e := b.deadlines.pop()
		e.key.items.remove(e)
		late = append(late, deferral[T]{e.Item, later(now, e.key.ready(b.o.Guard))})
		b.file(e.key.group)
	}
	return late
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
