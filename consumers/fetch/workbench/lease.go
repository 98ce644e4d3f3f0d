package workbench

import "time"

// Lease is the right to make one request of a key. It must end, once, by Done or Again.
type Lease[T any] struct {
	Item    Item[T]
	Key     string
	Address string    // of the key's group; "" if it is not known
	Arrived time.Time // when the item came
	Ready   time.Time // when its key could have started; waiting after it was for a slot

	b        *Bench[T]
	e        *entry[T]
	lane     Pace
	slowAt   time.Time // when it moves to the lane of the slow
	inFlying int
	dead     bool    // its partition was revoked
	moved    *string // the address its key has now
}

// lease takes the first item of a front out, with its key and group.
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
	f.woken = nil // it starts: nobody else is to go in its place
	b.known.enter(k)
	b.order.fileAll(g)
	b.order.occupy(g)
	b.slots.take(l)
	return l
}

// Answered tells that the server has answered, or will not: what the lease still does is not the
// server's time. took is how long it took; quick answers prove a key, and slow ones move it, and
// its site and address if they are all so, to the lane of the slow. It returns the key's pace.
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

// Move tells that the key has another address, "" for none, from the end of the lease on.
func (l *Lease[T]) Move(address string) {
	l.b.mu.Lock()
	l.moved = &address
	l.b.mu.Unlock()
}

// Done ends the lease: the item has left the bench. started is when its request had been written,
// zero if none was.
func (l *Lease[T]) Done(started time.Time) {
	l.b.mu.Lock()
	l.release(started)
	l.b.mu.Unlock()
	l.b.poke()
}

// Again ends the lease and puts the item back, in its old place and with its old deadline: its key
// made a request, but another one (robots.txt) or in vain. It reports whether the item is on the
// bench again or deferred; false: its partition was revoked, and the item is the caller's.
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
		if b.slots.stopped { // its turn to probe is still to come
			b.slots.probes++
		}
	}
	b.known.enter(k)
	b.order.fileAll(g)
}

// Block moves the back-off clock of a key forward: nothing starts before until. What cannot wait
// that long is handed back at once.
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

// hopeless takes the items of a key that cannot start in time.
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

// SetDelay changes the crawl-delay of a key; it counts from the last start.
func (b *Bench[T]) SetDelay(name string, d time.Duration) {
	b.mu.Lock()
	if k, ok := b.known.keys[name]; ok && k.delay != d {
		k.delay = d
		b.known.enter(k)
	}
	b.mu.Unlock()
	b.poke()
}
