package fetch

import (
	"errors"
	"net/netip"
	"slices"
	"strings"
	"time"

	"millrace/consumers/fetch/web"
	"millrace/schema"
)

// connectFirst is the time-out for connecting while the host has another address to try.
const connectFirst = 3 * time.Second

// errNoAddress means that a name resolves to no address.
var errNoAddress = errors.New("no addresses")

// locate resolves the address for the next request, and moves the key to the bench's group of that
// address. It reports whether the request may be made with this lease. It may not if the key has
// just moved, because then its turn is decided again; and not if the name does not resolve: then it
// has called failed.
//
// Hosts that the operator mapped share no address: where they are dialled says nothing about their
// servers.
func (a *attempt) locate(host string, failed func(*web.Result)) bool {
	host = strings.Trim(host, "[]")
	if a.f.o.ByIP || a.f.web.Mapped(host) {
		return true
	}
	list, err := a.f.web.Lookup(a.ctx, host)
	if a.ctx.Err() != nil {
		a.stopped()
		return false
	}
	if err == nil && len(list) == 0 {
		err = errNoAddress
	}
	if err != nil {
		failed(&web.Result{Err: &web.Error{Kind: web.KindDNS, Err: err}})
		return false
	}
	a.at, a.others = a.choose(list)
	if key := addressKey(a.at); a.lease.Address != key {
		a.lease.Move(key)
		a.again = true
		return false
	}
	return true
}

// choose returns the address that answered last, if the host still has it, else the first that this
// item has not tried. others says that there are more.
func (a *attempt) choose(list []netip.Addr) (at netip.Addr, others bool) {
	for i, x := range list {
		list[i] = x.Unmap()
	}
	left := slices.DeleteFunc(slices.Clone(list), func(x netip.Addr) bool { return slices.Contains(a.it.dead, x) })
	if len(left) == 0 {
		left, a.it.dead = list, nil
	}
	if known := a.it.host.lastAddress(); a.own() && slices.Contains(left, known) {
		return known, len(left) > 1
	}
	return left[0], len(left) > 1
}

// nextAddress handles a connection that could not be made: the host's other addresses are tried,
// each with its own lease. It returns false if none is left.
func (a *attempt) nextAddress(r *web.Result) bool {
	if r.Err == nil || r.Err.Kind != web.KindConnect && r.Err.Kind != web.KindTimeout || r.Written || !a.at.IsValid() {
		return false
	}
	if errors.Is(r.Err, web.ErrOtherAddr) && !a.it.moved {
		a.it.moved, a.again = true, true // a kept connection to the host's former address
		return true
	}
	if !a.others {
		return false
	}
	a.it.dead = append(a.it.dead, a.at)
	a.again = true
	return true
}

// addressKey is the name of an address on the bench. IPv6 addresses of one /64 network share a
// name, because one server can have all of them.
func addressKey(a netip.Addr) string {
	if !a.IsValid() {
		return ""
	}
	if a.Is4() {
		return a.String()
	}
	p, err := a.WithZone("").Prefix(64)
	if err != nil {
		return a.String()
	}
	return p.String()
}

// lastAddress is the address from which the host answered last.
func (h *host) lastAddress() netip.Addr {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.address
}

// resolve ends the first record of a host whose address is unknown, with ByIP: it defers the record
// and tells schedule the address, which becomes the key.
func (a *attempt) resolve() {
	it := a.it
	addrs, err := a.f.web.Lookup(a.ctx, strings.Trim(it.url.Hostname(), "[]"))
	if a.ctx.Err() != nil {
		a.stopped()
		return
	}
	if err != nil || len(addrs) == 0 {
		o := it.outcome(schema.Outcome_NETWORK, time.Time{})
		o.ErrorKind = string(web.KindDNS)
		it.task.finish(it, o)
		return
	}
	o := it.outcome(schema.Outcome_DEFERRED, time.Now())
	o.Ip = addrs[0].Unmap().String()
	it.task.finish(it, o)
}

// keyAddr is the address that a politeness key is; not valid if it is a name.
func keyAddr(key string) netip.Addr {
	a, err := netip.ParseAddr(strings.Trim(key, "[]"))
	if err != nil {
		return netip.Addr{}
	}
	return a
}
