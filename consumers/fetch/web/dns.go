package web

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"sync"
	"time"
)

// resolver answers DNS questions; net.Resolver implements it.
type resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// names is a cache of DNS answers. Callers that ask for the same name at the same time share one
// question.
type names struct {
	ask           resolver
	timeout       time.Duration
	keep, missing time.Duration
	least, most   time.Duration
	limit         int

	mu      sync.Mutex
	entries map[string]*answer
}

// answer is a question in progress (ready is open) or its answer.
type answer struct {
	ready   chan struct{}
	addrs   []netip.Addr
	err     error
	expires time.Time
}

func newNames(ask resolver, o Options) *names {
	return &names{
		ask: ask, timeout: o.DNSTimeout, keep: o.DNSKeep, missing: o.DNSKeepMissing, least: o.DNSKeepLeast, most: o.DNSKeepMost,
		limit: o.DNSEntries, entries: make(map[string]*answer),
	}
}

// lookup returns the addresses of host. The question continues when its caller gives up, because
// others may wait for it; it has its own time-out.
func (n *names) lookup(ctx context.Context, host string) ([]netip.Addr, error) {
	if a, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{a}, nil
	}
	a, mine := n.entry(host)
	if mine {
		go n.resolve(context.WithoutCancel(ctx), host, a)
	}
	select {
	case <-a.ready:
		return a.addrs, a.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// entry returns the present answer, or a new one that the caller must resolve (mine).
func (n *names) entry(host string) (a *answer, mine bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	a, ok := n.entries[host]
	if ok && (a.pending() || time.Now().Before(a.expires)) {
		return a, false
	}
	n.evict()
	a = &answer{ready: make(chan struct{})}
	n.entries[host] = a
	return a, true
}

func (a *answer) pending() bool {
	select {
	case <-a.ready:
		return false
	default:
		return true
	}
}

// evict makes room for one entry: it looks at up to eight, in the map's random order, and removes
// an expired one, else the last one.
func (n *names) evict() {
	if len(n.entries) < n.limit {
		return
	}
	const look = 8
	i, victim := 0, ""
	for host, a := range n.entries {
		if a.pending() {
			continue
		}
		victim = host
		if i++; i == look || time.Now().After(a.expires) {
			break
		}
	}
	delete(n.entries, victim)
}

func (n *names) resolve(ctx context.Context, host string, a *answer) {
	ctx, cancel := context.WithTimeout(ctx, n.timeout)
	defer cancel()
	var list []netip.Addr
	var holds time.Duration
	if s, ok := n.ask.(interface {
		lookupTTL(context.Context, string) ([]netip.Addr, time.Duration, error)
	}); ok {
		list, holds, a.err = s.lookupTTL(ctx, host)
	} else {
		list, a.err = n.ask.LookupNetIP(ctx, "ip", host)
	}
	a.addrs = alternate(list)
	a.expires = time.Now().Add(n.keepFor(holds, a.err))
	close(a.ready)
}

// keepFor is how long an answer is kept: as long as it is valid, within limits; "no such host" for
// DNSKeepMissing; any other error (time-out, SERVFAIL) not at all.
func (n *names) keepFor(holds time.Duration, err error) time.Duration {
	switch {
	case err == nil && holds == 0:
		return n.keep
	case err == nil:
		return min(max(holds, n.least), n.most)
	}
	if d := (*net.DNSError)(nil); errors.As(err, &d) && d.IsNotFound {
		return n.missing
	}
	return 0
}

// alternate returns the addresses of the two families by turns, beginning with the family of the
// first, and at most maxAddrs. The resolver sorts by what it can reach; unreachable addresses of
// one family must not push out the other family.
func alternate(list []netip.Addr) []netip.Addr {
	var first, other []netip.Addr
	for _, a := range list {
		if a = a.Unmap(); a.Is4() == list[0].Unmap().Is4() {
			first = append(first, a)
		} else {
			other = append(other, a)
		}
	}
	var out []netip.Addr
	for i := 0; i < max(len(first), len(other)); i++ {
		if i < len(first) {
			out = append(out, first[i])
		}
		if i < len(other) {
			out = append(out, other[i])
		}
	}
	return out[:min(len(out), maxAddrs)]
}

// maxAddrs is how many addresses of a host are kept; others are not tried.
const maxAddrs = 4
