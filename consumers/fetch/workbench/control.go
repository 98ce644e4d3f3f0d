package workbench

import "time"

// Pause holds the items of a partition, but for urgent ones, or lets them go on.
func (b *Bench[T]) Pause(partition int32, on bool) {
	b.mu.Lock()
	q := b.paused[partition]
	switch {
	case on && q == nil:
		held := b.queue(b.byScore)
		b.paused[partition] = &held
	case !on && q != nil:
		delete(b.paused, partition)
		for q.len() > 0 {
			b.file(q.top())
		}
	}
	b.mu.Unlock()
	if !on && q != nil {
		b.poke()
	}
}

// Stop gives out no leases at all, but for those that Probe allows, or goes on.
func (b *Bench[T]) Stop(on bool) {
	b.mu.Lock()
	b.stopped, b.probes = on, 0
	b.mu.Unlock()
	b.poke()
}

// Probe allows n leases while the bench is stopped.
func (b *Bench[T]) Probe(n int) {
	b.mu.Lock()
	b.probes = n
	b.mu.Unlock()
	b.poke()
}

// Drain takes the waiting items off, all but keep of those whose keys may start soonest.
func (b *Bench[T]) Drain(keep int) []Item[T] {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	var items []Item[T]
	for _, e := range append([]*entry[T](nil), b.deadlines.list...) {
		if keep > 0 && !e.key.blocked.After(now) && e.key.items.top() == e {
			keep--
			continue
		}
		b.remove(e)
		b.enter(e.key)
		items = append(items, e.Item)
	}
	return items
}

// Revoke forgets a partition and returns its waiting items. Leases that are out stay valid; their items cannot come back.
func (b *Bench[T]) Revoke(partition int32) []Item[T] {
	b.mu.Lock()
	defer b.mu.Unlock()
	for l := range b.leases {
		if l.Item.Partition == partition {
			l.dead = true
		}
	}
	var items []Item[T]
	for _, k := range b.keys {
		items = b.revoke(k, partition, items)
	}
	delete(b.paused, partition) // empty: its fronts are gone
	return items
}

func (b *Bench[T]) revoke(k *key[T], partition int32, items []Item[T]) []Item[T] {
	n := len(items)
	for _, e := range append([]*entry[T](nil), k.items.list...) {
		if e.Partition == partition {
			b.remove(e)
			items = append(items, e.Item)
		}
	}
	switch {
	case k.items.len() > 0:
		k.partition = k.items.top().Partition
	case k.partition != partition && len(items) == n:
		return items
	case k.busy: // its lease ends what is left of it
		delete(b.keys, k.name)
		b.leave(k)
		return items
	default:
		b.forget(k)
		return items
	}
	b.enter(k)
	return items
}
