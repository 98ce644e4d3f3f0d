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

func (b *Bench[T]) lease(f *front[T]) *Lease[T] {
	k, g := f.keys.top(), f.group
	e := k.items.top()
	now := time.Now()
	l := &Lease[T]{
		Item: e.Item, Key: k.name, Arrived: e.arrived, Ready: later(b.readyAt(f), e.arrived),
		b: b, e: e, lane: b.pace(f), slowAt: now.Add(b.o.SlowAfter), inFlying: -1,
	}
	if g.address != nil {
		l.Address = g.address.name
	}
	b.remove(e)
	k.busy, g.busy = true, true
	f.woken = nil // it starts: nobody else is to go in its place
	b.enter(k)
	b.fileAll(g)
	b.occupy(g)
	b.out[l.lane]++
	b.leases[l] = struct{}{}
	if l.lane != Slow {
		b.flying.push(l)
	}
	if b.stopped {
		b.probes--
	}
	return l
}

// Answered tells that the server has answered, or will not: what the lease still does is not the server's time. took is how long it took; quick answers
// prove a key, and slow ones move it, and its site and address if they are all so, to the lane of the slow. It returns the key's pace.
func (l *Lease[T]) Answered(took time.Duration, proven bool) Pace {
	b := l.b
	b.mu.Lock()
	defer b.mu.Unlock()
	b.flying.remove(l)
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
	delete(b.leases, l)
	b.flying.remove(l)
	b.out[l.lane]--
	k.busy, g.busy = false, false
	if !started.IsZero() {
		k.started = later(k.started, started)
		g.started = later(g.started, started)
	}
	b.vacate(g)
	if b.keys[k.name] != k { // forgotten by Revoke while the lease was out
		b.part(k)
		b.fileAll(g)
		return
	}
	if l.moved != nil {
		b.move(k, *l.moved)
		if b.stopped { // its turn to probe is still to come
			b.probes++
		}
	}
	b.enter(k)
	b.fileAll(g)
}

// move takes a key to the group of its site at another address.
func (b *Bench[T]) move(k *key[T], address string) {
	g := k.group
	if g.site == nil || (g.address == nil) == (address == "") && (g.address == nil || g.address.name == address) {
		return
	}
	site := g.site.name
	b.leave(k)
	old := k.group
	b.join(k, site, address)
	joined := k.group
	k.group = old
	b.part(k)
	k.group = joined
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
	late := b.hopeless(k)
	b.enter(k)
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
			b.remove(e)
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
		b.enter(k)
	}
	b.mu.Unlock()
	b.poke()
}
