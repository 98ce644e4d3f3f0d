package workbench

import "time"

// next is when Acquire must look again by itself.
func (b *Bench[T]) next() (t time.Time, some bool) {
	soonest := func(x time.Time) {
		if !some || x.Before(t) {
			t, some = x, true
		}
	}
	if b.deadlines.Len() > 0 {
		soonest(b.deadlines.Top().deadline)
	}
	if b.order.waiting.Len() > 0 {
		soonest(b.order.readyAt(b.order.waiting.Top()))
	}
	if b.order.clocks.Len() > 0 {
		soonest(b.order.clocks.Top().opens())
	}
	if b.slots.flying.Len() > 0 {
		soonest(b.slots.flying.Top().slowAt)
	}
	return t, some
}

// promote moves the fronts and shares whose time has come, and forgets keys without items.
func (b *Bench[T]) promote() {
	now := time.Now()
	for b.order.waiting.Len() > 0 && !b.order.readyAt(b.order.waiting.Top()).After(now) {
		f := b.order.waiting.Top()
		if k := f.keys.Top(); k.items.Len() > 0 {
			b.order.file(f)
		} else {
			b.known.sweep(k, now)
		}
	}
	for b.order.clocks.Len() > 0 && !b.order.clocks.Top().opens().After(now) {
		b.order.attend(b.order.clocks.Pop())
	}
}

// take leases the best item that may start, if there is a slot for it. Fronts whose share has no
// room are set aside.
func (b *Bench[T]) take() *Lease[T] {
	for {
		q := b.order.choose(&b.slots)
		if q == nil {
			return nil
		}
		f := q.Top()
		if s := b.order.full(f.group, time.Now()); s != nil {
			b.order.setAside(f, s)
			continue
		}
		if want := b.order.queueOf(f); want != q { // since it was filed, its site was found to be slow or its partition was paused
			b.order.file(f)
			continue
		}
		return b.lease(f)
	}
}

// expire removes the items whose deadline has passed.
func (b *Bench[T]) expire() []deferral[T] {
	now := time.Now()
	var late []deferral[T]
	for b.deadlines.Len() > 0 && !b.deadlines.Top().deadline.After(now) {
		e := b.deadlines.Top()
		b.remove(e)
		late = append(late, deferral[T]{e.Item, later(now, e.key.ready(b.o.Guard))})
		b.known.enter(e.key)
	}
	return late
}
