package workbench

import "time"

// Lease is the right to make one request of a key. It must end exactly once, by Done or Again.
type Lease[T any] struct {
	Item    Item[T]
	Key     string
	Address string    // of the key's group; "" if unknown
	Arrived time.Time // when the item was added
	Ready   time.Time // when its key could start; after that it waited for a slot

	b        *Bench[T]
	e        *entry[T]
	lane     Pace
	slowAt   time.Time // when it moves to the slow lane
	inFlying int
	dead     bool    // its partition was revoked
	moved    *string // the new address of its key; nil: unchanged
}

// lease leases the first item of a front, with its key and group.
func (b *Bench[T]) lease(f *front[T]) *Lease[T] {
	k, g := f.keys.Top(), f.group
	e := k.items.Top()
	now := time.Now()
	l := &Lease[T]{
		Item: e.Item, Key: k.name, Arrived: e.arrived, Ready: later(b.order.readyAt(f), e.arrived),
		b: b, e: e, lane: b.order.pace(f), slowAt: now.Add(b.o.SlowAfter), inFlying: -1,
	}
	if g.address != nil {
		l.Address = g.address.name
	}
	b.remove(e)
	k.busy, g.busy = true, true
	f.woken = nil // it starts, so its share must not release another front in its place
	b.known.enter(k)
	b.order.fileAll(g)
	b.order.occupy(g)
	b.slots.take(l)
	return l
}

// Answered notes that the server has answered, or will not answer: what the lease does after that
// is not the server's time. took is how long it took. A slow answer makes the key slow, another one
// makes it quick if proven is true. Slow answers in a row count for its site and address too. It
// returns the key's pace.
func (l *Lease[T]) Answered(took time.Duration, proven bool) Pace {
	b := l.b
	b.mu.Lock()
	defer b.mu.Unlock()
	b.slots.flying.Remove(l)
	k := l.e.key
	slow := took > b.o.SlowAfter
	switch {
	case slow:
		k.pace = Slow
	case proven:
		k.pace = Quick
	default:
		return k.pace
	}
	for _, s := range k.group.shares {
		if s.late++; !slow {
			s.late = 0
		}
	}
	return k.pace
}

// Move changes the key's address when the lease ends; "" for none.
func (l *Lease[T]) Move(address string) {
	l.b.mu.Lock()
	l.moved = &address
	l.b.mu.Unlock()
}

// Done ends the lease, and the item leaves the bench. started is when its request was written, zero
// if none was.
func (l *Lease[T]) Done(started time.Time) {
	l.b.mu.Lock()
	l.release(started)
	l.b.mu.Unlock()
	l.b.poke()
}

// Again ends the lease and puts the item back with its old place and deadline: the request was for
// something else (robots.txt), or failed. It returns false if the partition was revoked; then the
// item is the caller's. Else the item is on the bench again, or deferred.
func (l *Lease[T]) Again(started time.Time) bool {
	b := l.b
	b.mu.Lock()
	l.release(started)
	var late []deferral[T]
	if !l.dead {
		late = b.insert(l.e)
	}
	dead := l.dead
	b.mu.Unlock()
	b.giveBack(late)
	b.poke()
	return !dead
}

func (l *Lease[T]) release(started time.Time) {
	b, k := l.b, l.e.key
	g := k.group
	b.slots.release(l)
	k.busy, g.busy = false, false
	if !started.IsZero() {
		k.started = later(k.started, started)
		g.started = later(g.started, started)
	}
	b.order.vacate(g)
	if b.known.keys[k.name] != k { // forgotten by Revoke while the lease was out
		b.known.part(k)
		b.order.fileAll(g)
		return
	}
	if l.moved != nil {
		b.known.move(k, *l.moved)
		if b.slots.stopped { // the probe was not made yet
			b.slots.probes++
		}
	}
	b.known.enter(k)
	b.order.fileAll(g)
}

// Block sets a key's back-off: nothing starts before until. Items that cannot wait that long are
// deferred at once.
func (b *Bench[T]) Block(name string, until time.Time) {
	b.mu.Lock()
	k, ok := b.known.keys[name]
	if !ok {
		b.mu.Unlock()
		return
	}
	k.blocked = later(k.blocked, until)
	late := b.hopeless(k)
	b.known.enter(k)
	b.mu.Unlock()
	b.giveBack(late)
	b.poke()
}

// hopeless removes and returns the items of a key that cannot start before their deadline.
func (b *Bench[T]) hopeless(k *key[T]) []deferral[T] {
	ready := k.ready(b.o.Guard)
	var late []deferral[T]
	for _, e := range append([]*entry[T](nil), k.items.All()...) {
		if ready.After(e.deadline) {
			b.remove(e)
			late = append(late, deferral[T]{e.Item, ready})
		}
	}
	return late
}

// SetDelay changes the crawl-delay of a key, counted from its last start.
func (b *Bench[T]) SetDelay(name string, d time.Duration) {
	b.mu.Lock()
	if k, ok := b.known.keys[name]; ok && k.delay != d {
		k.delay = d
		b.known.enter(k)
	}
	b.mu.Unlock()
	b.poke()
}
