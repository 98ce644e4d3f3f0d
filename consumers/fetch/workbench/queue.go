package workbench

import "time"

func (b *Bench[T]) queue(less func(x, y *front[T]) bool) heap[*front[T]] {
	return heap[*front[T]]{at: func(f *front[T]) *int { return &f.inQueue }, less: less}
}

// unfile takes a front out of where it stands.
func (b *Bench[T]) unfile(f *front[T]) {
	if f.queue != nil {
		f.queue.remove(f)
		f.queue = nil
	}
	if s := f.woken; s != nil {
		f.woken = nil
		b.attend(s)
	}
}

// file puts a front where it belongs after anything about it has changed.
func (b *Bench[T]) file(f *front[T]) {
	b.unfile(f)
	if f.group.busy || f.keys.len() == 0 {
		return
	}
	f.queue = b.queueOf(f)
	f.queue.push(f)
}

func (b *Bench[T]) fileAll(g *group[T]) {
	for _, f := range g.fronts {
		b.file(f)
	}
}

func (b *Bench[T]) queueOf(f *front[T]) *heap[*front[T]] {
	switch {
	case f.keys.top().items.len() == 0 || b.readyAt(f).After(time.Now()):
		return &b.waiting
	case !f.urgent && b.paused[f.partition] != nil:
		return b.paused[f.partition]
	}
	pace := b.pace(f)
	if f.urgent && pace != Slow {
		return &b.urgents
	}
	return &b.lanes[pace]
}

// pace is that of the front's first key. A key that has not answered yet is taken to be as slow as its site or address.
func (b *Bench[T]) pace(f *front[T]) Pace {
	p := f.keys.top().pace
	if p == Unproven && (f.group.site.slow() || f.group.address.slow()) {
		return Slow
	}
	return p
}

// next is when Acquire has to look again by itself.
func (b *Bench[T]) next() (t time.Time, some bool) {
	soonest := func(x time.Time) {
		if !some || x.Before(t) {
			t, some = x, true
		}
	}
	if b.deadlines.len() > 0 {
		soonest(b.deadlines.top().deadline)
	}
	if b.waiting.len() > 0 {
		soonest(b.readyAt(b.waiting.top()))
	}
	if b.clocks.len() > 0 {
		soonest(b.clocks.top().opens())
	}
	if b.flying.len() > 0 {
		soonest(b.flying.top().slowAt)
	}
	return t, some
}

// promote moves the fronts whose time has come, and forgets keys that have nothing left to remember.
func (b *Bench[T]) promote() {
	now := time.Now()
	for b.waiting.len() > 0 && !b.readyAt(b.waiting.top()).After(now) {
		f := b.waiting.top()
		if k := f.keys.top(); k.items.len() > 0 {
			b.file(f)
		} else {
			b.sweep(k, now)
		}
	}
	for b.clocks.len() > 0 && !b.clocks.top().opens().After(now) {
		b.attend(b.clocks.pop())
	}
}

// sweep forgets a key without items, once the address it asked last is free too.
func (b *Bench[T]) sweep(k *key[T], now time.Time) {
	if a := k.group.address; a != nil && a.rested().After(now) {
		k.notBefore = a.rested()
		b.enter(k)
		return
	}
	b.forget(k)
}

func (b *Bench[T]) forget(k *key[T]) {
	delete(b.keys, k.name)
	b.part(k)
}

// take gives out the best of what may start, if a slot is free for it. What its site or address keeps from starting is set aside.
func (b *Bench[T]) take() *Lease[T] {
	for {
		q := b.choose()
		if q == nil {
			return nil
		}
		f := q.top()
		if s := b.full(f.group, time.Now()); s != nil {
			b.park(f, s)
			continue
		}
		if want := b.queueOf(f); want != q { // its site has been found to be slow, or its partition paused, since it was filed
			b.file(f)
			continue
		}
		return b.lease(f)
	}
}

// choose picks the queue to serve: the best score among those that have a slot. Only urgent fronts may use the reserve, and unproven ones have a part only.
func (b *Bench[T]) choose() *heap[*front[T]] {
	if b.stopped && b.probes == 0 {
		return nil
	}
	quick := b.out[Quick] + b.out[Unproven]
	ordinary := quick < b.o.InFlight
	var best *heap[*front[T]]
	for _, c := range []struct {
		queue *heap[*front[T]]
		slot  bool
	}{
		{&b.urgents, quick < b.o.InFlight+b.o.Reserve},
		{&b.lanes[Quick], ordinary},
		{&b.lanes[Unproven], ordinary && b.out[Unproven] < b.unproven},
		{&b.lanes[Slow], b.out[Slow] < b.slow},
	} {
		if c.slot && c.queue.len() > 0 && (best == nil || b.byScore(c.queue.top(), best.top())) {
			best = c.queue
		}
	}
	return best
}

// demote moves leases that have lasted too long to the lane of the slow, so that their slots serve others. If that lane is full and others wait for a
// slot, they are cut: Cut is called for their items.
func (b *Bench[T]) demote() (cut []*Lease[T]) {
	now := time.Now()
	for b.flying.len() > 0 && !b.flying.top().slowAt.After(now) {
		l := b.flying.pop()
		switch {
		case b.out[Slow] < b.slow:
			b.out[l.lane]--
			l.lane = Slow
			b.out[Slow]++
		case b.lanes[Quick].len()+b.lanes[Unproven].len()+b.urgents.len() > 0:
			cut = append(cut, l)
		default:
			l.slowAt = now.Add(b.o.SlowAfter)
			b.flying.push(l)
		}
	}
	return cut
}

// expire takes out the items whose time on the bench is over.
func (b *Bench[T]) expire() []deferral[T] {
	now := time.Now()
	var late []deferral[T]
	for b.deadlines.len() > 0 && !b.deadlines.top().deadline.After(now) {
		e := b.deadlines.top()
		b.remove(e)
		late = append(late, deferral[T]{e.Item, later(now, e.key.ready(b.o.Guard))})
		b.enter(e.key)
	}
	return late
}
