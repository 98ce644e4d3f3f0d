package workbench

import (
	"slices"
	"time"
)

// group holds the keys that share a start-to-start delay, with one lease out for all of them: the hosts of one site at one address. A key whose site or
// address is not known stands in a group of its own.
type group[T any] struct {
	name          string // "" if it stands for one key only
	site, address *share[T]
	shares        []*share[T] // those of the two that there are
	fronts        []*front[T]
	started       time.Time
	busy          bool
	keys          int // in its fronts, and those that are detached with a lease out
}

// front holds the keys of a group that may be served alike: those of one partition whose first item is urgent, or is not. It is what stands in the queues.
type front[T any] struct {
	group     *group[T]
	partition int32
	urgent    bool
	keys      heap[*key[T]] // by the time they may start
	queue     *heap[*front[T]]
	inQueue   int
	woken     *share[T] // which share let it go from its waiters; nil: none
}

// urgent reports whether a key's first item may use the reserve.
func (b *Bench[T]) urgent(k *key[T]) bool {
	return k.items.len() > 0 && (k.items.top().Always || k.items.top().Class <= b.o.Urgent)
}

// enter puts a key in the right front of its group, after its items have changed, and files what changed.
func (b *Bench[T]) enter(k *key[T]) {
	urgent := b.urgent(k)
	if f := k.front; f != nil {
		if f.urgent == urgent && f.partition == k.partition {
			f.keys.fix(k)
			b.file(f)
			return
		}
		b.leave(k)
	}
	f := b.front(k.group, k.partition, urgent)
	f.keys.push(k)
	k.front = f
	b.file(f)
}

// leave takes a key out of its front. Its group stays.
func (b *Bench[T]) leave(k *key[T]) {
	f := k.front
	f.keys.remove(k)
	k.front = nil
	b.file(f)
	if f.keys.len() == 0 {
		f.group.fronts = slices.DeleteFunc(f.group.fronts, func(x *front[T]) bool { return x == f })
	}
}

func (b *Bench[T]) front(g *group[T], partition int32, urgent bool) *front[T] {
	for _, f := range g.fronts {
		if f.partition == partition && f.urgent == urgent {
			return f
		}
	}
	f := &front[T]{group: g, partition: partition, urgent: urgent, inQueue: -1, keys: heap[*key[T]]{
		at:   func(k *key[T]) *int { return &k.inFront },
		less: func(x, y *key[T]) bool { return x.ready(b.o.Guard).Before(y.ready(b.o.Guard)) },
	}}
	g.fronts = append(g.fronts, f)
	return f
}

// join puts a key into the group of a site and an address.
func (b *Bench[T]) join(k *key[T], site, address string) {
	name := ""
	if site != "" && address != "" {
		name = site + "@" + address
	}
	g := b.groups[name]
	if name == "" || g == nil {
		g = &group[T]{name: name, site: b.share(b.sites, site, b.o.PerSite, 0)}
		if name != "" {
			g.address = b.share(b.addresses, address, b.o.PerAddress, b.o.AddressGap)
			b.groups[name] = g
		}
		for _, s := range []*share[T]{g.site, g.address} {
			if s != nil {
				g.shares = append(g.shares, s)
				s.groups++
				b.clocks.fix(s)
			}
		}
	}
	g.keys++
	k.group = g
}

// part takes a key out of its group, which is forgotten with its last key.
func (b *Bench[T]) part(k *key[T]) {
	if k.front != nil {
		b.leave(k)
	}
	g := k.group
	k.group = nil
	if g.keys--; g.keys > 0 {
		return
	}
	if g.name != "" {
		delete(b.groups, g.name)
	}
	for _, s := range g.shares {
		if s.groups--; s.groups == 0 {
			delete(s.all, s.name)
		}
		b.clocks.fix(s)
	}
}

// readyAt is when a front may start: the key whose turn comes first, and its group's own clock.
func (b *Bench[T]) readyAt(f *front[T]) time.Time {
	t := f.keys.top().ready(b.o.Guard)
	if g := f.group; g.name != "" && !g.started.IsZero() {
		t = later(t, g.started.Add(guarded(b.o.SiteDelay, b.o.Guard)))
	}
	return t
}

// score orders what may start: the longest wait first, with a head start by class.
func (b *Bench[T]) score(f *front[T]) time.Time {
	e := f.keys.top().items.top()
	return later(b.readyAt(f), e.arrived).Add(time.Duration(e.Class) * b.o.ClassStep)
}

func (b *Bench[T]) byScore(x, y *front[T]) bool { return b.score(x).Before(b.score(y)) }
