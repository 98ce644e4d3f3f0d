package workbench

import "time"

// Lease is the right to make one request of a key. It must end, once, by Done or Again.
type Lease[T any] struct {
	Item    Item[T]
	Key     string
	Arrived time.Time // when the item came
	Ready   time.Time // when its key could have started; waiting after it was for a slot

	b *Bench[T]
	e *entry[T]
}

func (b *Bench[T]) lease(g *group[T]) *Lease[T] {
	k := g.keys.top()
	e := k.items.top()
	l := &Lease[T]{Item: e.Item, Key: k.name, Arrived: e.arrived, Ready: later(b.readyAt(g), e.arrived), b: b, e: e}
	k.items.remove(e)
	b.deadlines.remove(e)
	k.busy, g.busy = true, true
	b.file(g)
	b.out++
	return l
}

// Done ends the lease: the item has left the bench. started is when its request had been written, zero if none was.
func (l *Lease[T]) Done(started time.Time) {
	l.b.mu.Lock()
	l.release(started)
	l.b.mu.Unlock()
	l.b.poke()
}

// Again ends the lease and puts the item back, in its old place and with its old deadline: its key made a request, but another one (robots.txt) or in vain.
// It reports whether the item is on the bench again or deferred; false: its partition was revoked, and the item is the caller's.
func (l *Lease[T]) Again(started time.Time) bool {
	b := l.b
	b.mu.Lock()
	dead := l.e.key.dead
	l.release(started)
	var late []deferral[T]
	if !dead {
		late = b.insert(l.e)
	}
	b.mu.Unlock()
	b.giveBack(late)
	b.poke()
	return !dead
}

func (l *Lease[T]) release(started time.Time) {
	b, k, g := l.b, l.e.key, l.e.key.group
	b.out--
	k.busy, g.busy = false, false
	if !started.IsZero() {
		k.started = later(k.started, started)
		g.started = later(g.started, started)
	}
	if !k.dead {
		g.keys.fix(k)
	}
	b.dropGroup(g)
	b.file(g)
}

// Block moves the back-off clock of a key forward: nothing starts before until. What cannot wait that long is handed back at once.
func (b *Bench[T]) Block(name string, until time.Time) {
	b.mu.Lock()
	k, ok := b.keys[name]
	if !ok {
		b.mu.Unlock()
		return
	}
	k.blocked = later(k.blocked, until)
	k.group.keys.fix(k)
	late := b.hopeless(k)
	b.file(k.group)
	b.mu.Unlock()
	b.giveBack(late)
	b.poke()
}

// hopeless takes the items of a key that cannot start in time.
func (b *Bench[T]) hopeless(k *key[T]) []deferral[T] {
	ready := k.ready(b.o.Guard)
	var late []deferral[T]
	for _, e := range append([]*entry[T](nil), k.items.list...) {
		if ready.After(e.deadline) {
			k.items.remove(e)
			b.deadlines.remove(e)
			late = append(late, deferral[T]{e.Item, ready})
		}
	}
	return late
}

// SetDelay changes the crawl-delay of a key; it counts from the last start.
func (b *Bench[T]) SetDelay(name string, d time.Duration) {
	b.mu.Lock()
	if k, ok := b.keys[name]; ok && k.delay != d {
		k.delay = d
		k.group.keys.fix(k)
		b.file(k.group)
	}
	b.mu.Unlock()
	b.poke()
}

// SetGroup moves a key to a group; while a lease of the key is out it has no effect.
func (b *Bench[T]) SetGroup(name, group string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	k, ok := b.keys[name]
	if !ok || k.busy || b.o.GroupDelay == 0 || k.group.name == group {
		return
	}
	old := k.group
	old.keys.remove(k)
	b.dropGroup(old)
	b.file(old)
	k.group = b.group(group)
	k.group.started = later(k.group.started, k.started) // it was asked by this key before this was known
	k.group.keys.push(k)
	b.file(k.group)
	b.poke()
}

// Pause stops giving out leases, or goes on.
func (b *Bench[T]) Pause(on bool) {
	b.mu.Lock()
	changed := b.paused != on
	b.paused = on
	b.mu.Unlock()
	if changed {
		b.poke()
	}
}

// Revoke forgets a partition and returns its waiting items. Leases that are out stay valid; ending them changes no clock any more.
func (b *Bench[T]) Revoke(partition int32) []Item[T] {
	b.mu.Lock()
	defer b.mu.Unlock()
	var items []Item[T]
	for _, k := range b.keys {
		if k.partition != partition {
			continue
		}
		for _, e := range k.items.list {
			b.deadlines.remove(e)
			items = append(items, e.Item)
		}
		k.items.list, k.dead = nil, true
		b.forget(k)
		b.file(k.group)
	}
	return items
}
