package workbench

import (
	"slices"
	"time"

	"millrace/streams/heap"
)

// directory holds the keys, their groups, and the shares of sites and addresses. After a change it
// updates the order.
type directory[T any] struct {
	order            *order[T]
	keys             map[string]*key[T]
	groups           map[string]*group[T]
	sites, addresses map[string]*share[T]
}

func newDirectory[T any](q *order[T]) *directory[T] {
	return &directory[T]{
		order: q, keys: make(map[string]*key[T]), groups: make(map[string]*group[T]),
		sites: make(map[string]*share[T]), addresses: make(map[string]*share[T]),
	}
}

// key returns the key of a name, and creates it from c if needed.
func (d *directory[T]) key(name string, c Clock, partition int32) *key[T] {
	if k, ok := d.keys[name]; ok {
		k.notBefore = later(k.notBefore, c.NotBefore) // the key may come from an item of another partition
		if k.front != nil {
			k.front.keys.Fix(k)
		}
		return k
	}
	k := &key[T]{
		name: name, partition: partition, delay: c.Delay, notBefore: c.NotBefore, blocked: c.BlockedUntil, pace: c.Pace, inFront: -1,
		items: heap.Heap[*entry[T]]{At: func(e *entry[T]) *int { return &e.inKey }, Less: func(a, b *entry[T]) bool { return d.order.o.before(a.claim(), b.claim()) }},
	}
	d.keys[name] = k
	d.join(k, c.Site, c.Address)
	return k
}

// share returns the share of a site or an address, and creates it if needed; nil for "".
func (d *directory[T]) share(all map[string]*share[T], name string, most int, gap time.Duration) *share[T] {
	if name == "" {
		return nil
	}
	s := all[name]
	if s == nil {
		s = &share[T]{name: name, all: all, most: most, gap: guarded(gap, d.order.o.Guard), inClock: -1, waiters: d.order.queue(d.order.byScore)}
		all[name] = s
	}
	return s
}

// urgent reports whether a key's first item may use the reserve.
func (d *directory[T]) urgent(k *key[T]) bool {
	return k.items.Len() > 0 && (k.items.Top().Always || k.items.Top().Class <= d.order.o.Urgent)
}

// enter puts a key into the right front of its group after its items or clocks have changed, and
// updates the order.
func (d *directory[T]) enter(k *key[T]) {
	urgent := d.urgent(k)
	if f := k.front; f != nil {
		if f.urgent == urgent && f.partition == k.partition {
			f.keys.Fix(k)
			d.order.file(f)
			return
		}
		d.leave(k)
	}
	f := d.front(k.group, k.partition, urgent)
	f.keys.Push(k)
	k.front = f
	d.order.file(f)
}

// leave takes a key out of its front, but not out of its group.
func (d *directory[T]) leave(k *key[T]) {
	f := k.front
	f.keys.Remove(k)
	k.front = nil
	d.order.file(f)
	if f.keys.Len() == 0 {
		f.group.fronts = slices.DeleteFunc(f.group.fronts, func(x *front[T]) bool { return x == f })
	}
}

// front returns the front of a group for a partition, and creates it if needed.
func (d *directory[T]) front(g *group[T], partition int32, urgent bool) *front[T] {
	for _, f := range g.fronts {
		if f.partition == partition && f.urgent == urgent {
			return f
		}
	}
	f := &front[T]{group: g, partition: partition, urgent: urgent, inQueue: -1, keys: heap.Heap[*key[T]]{
		At:   func(k *key[T]) *int { return &k.inFront },
		Less: func(x, y *key[T]) bool { return x.ready(d.order.o.Guard).Before(y.ready(d.order.o.Guard)) },
	}}
	g.fronts = append(g.fronts, f)
	return f
}

// join puts a key into the group of a site at an address. If one of them is "", the key gets a
// group of its own.
func (d *directory[T]) join(k *key[T], site, address string) {
	name := ""
	if site != "" && address != "" {
		name = site + "@" + address
	}
	g := d.groups[name]
	if name == "" || g == nil {
		g = &group[T]{name: name, site: d.share(d.sites, site, d.order.o.PerSite, 0)}
		if name != "" {
			g.address = d.share(d.addresses, address, d.order.o.PerAddress, d.order.o.AddressGap)
			d.groups[name] = g
		}
		for _, s := range []*share[T]{g.site, g.address} {
			if s != nil {
				g.shares = append(g.shares, s)
				s.groups++
				d.order.clocks.Fix(s)
			}
		}
	}
	g.keys++
	k.group = g
}

// part takes a key out of its group, and removes the group with its last key.
func (d *directory[T]) part(k *key[T]) {
	if k.front != nil {
		d.leave(k)
	}
	g := k.group
	k.group = nil
	if g.keys--; g.keys > 0 {
		return
	}
	if g.name != "" {
		delete(d.groups, g.name)
	}
	for _, s := range g.shares {
		if s.groups--; s.groups == 0 {
			delete(s.all, s.name)
		}
		d.order.clocks.Fix(s)
	}
}

// sweep forgets a key without items. If its address was used a moment ago the key stays until the
// gap has passed.
func (d *directory[T]) sweep(k *key[T], now time.Time) {
	if a := k.group.address; a != nil && a.rested().After(now) {
		k.notBefore = a.rested()
		d.enter(k)
		return
	}
	d.forget(k)
}

// forget removes a key.
func (d *directory[T]) forget(k *key[T]) {
	delete(d.keys, k.name)
	d.part(k)
}

// move moves a key to the group of its site at another address.
func (d *directory[T]) move(k *key[T], address string) {
	g := k.group
	if g.site == nil || (g.address == nil) == (address == "") && (g.address == nil || g.address.name == address) {
		return
	}
	site := g.site.name
	d.leave(k)
	old := k.group
	d.join(k, site, address)
	joined := k.group
	k.group = old
	d.part(k)
	k.group = joined
}
