package workbench

import "time"

// Pause holds the items of a partition, except urgent ones, or releases them.
func (b *Bench[T]) Pause(partition int32, on bool) {
	b.mu.Lock()
	q := b.order.paused[partition]
	switch {
	case on && q == nil:
		held := b.order.queue(b.order.byScore)
		b.order.paused[partition] = &held
	case !on && q != nil:
		delete(b.order.paused, partition)
		for q.Len() > 0 {
			b.order.file(q.Top())
		}
	}
	b.mu.Unlock()
	if !on && q != nil {
		b.poke()
	}
}

// Stop ends the giving of leases, except those that Probe allows, or resumes it.
func (b *Bench[T]) Stop(on bool) {
	b.mu.Lock()
	b.slots.stopped, b.slots.probes = on, 0
	b.mu.Unlock()
	b.poke()
}

// Probe allows n leases while the bench is stopped.
func (b *Bench[T]) Probe(n int) {
	b.mu.Lock()
	b.slots.probes = n
	b.mu.Unlock()
	b.poke()
}

// Drain removes and returns the waiting items, except up to keep of them that are the first of
// their keys and not blocked.
func (b *Bench[T]) Drain(keep int) []Item[T] {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	var items []Item[T]
	for _, e := range append([]*entry[T](nil), b.deadlines.All()...) {
		if keep > 0 && !e.key.blocked.After(now) && e.key.items.Top() == e {
			keep--
			continue
		}
		b.remove(e)
		b.known.enter(e.key)
		items = append(items, e.Item)
	}
	return items
}

// Revoke removes a partition and returns its waiting items. Leases that are out stay valid, but
// Again cannot put their items back.
func (b *Bench[T]) Revoke(partition int32) []Item[T] {
	b.mu.Lock()
	defer b.mu.Unlock()
	for l := range b.slots.leases {
		if l.Item.Partition == partition {
			l.dead = true
		}
	}
	var items []Item[T]
	for _, k := range b.known.keys {
		items = b.revoke(k, partition, items)
	}
	delete(b.order.paused, partition) // it is empty: the partition's fronts are removed
	return items
}

func (b *Bench[T]) revoke(k *key[T], partition int32, items []Item[T]) []Item[T] {
	n := len(items)
	for _, e := range append([]*entry[T](nil), k.items.All()...) {
		if e.Partition == partition {
			b.remove(e)
			items = append(items, e.Item)
		}
	}
	switch {
	case k.items.Len() > 0:
		k.partition = k.items.Top().Partition
	case k.partition != partition && len(items) == n:
		return items
	case k.busy: // the end of its lease removes the rest
		delete(b.known.keys, k.name)
		b.known.leave(k)
		return items
	default:
		b.known.forget(k)
		return items
	}
	b.known.enter(k)
	return items
}
