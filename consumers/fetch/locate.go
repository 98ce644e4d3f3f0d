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

// connectFirst is the time to connect while there is another address to try.
const connectFirst = 3 * time.Second

// errNoAddress says that a name resolves to nothing.
var errNoAddress = errors.New("no addresses")

// locate finds the address that the next request goes to, and has the key stand in the group of
// that address. It reports whether the request may be made in this lease: not if the key has just
// moved, for then its turn is decided anew, and not if the name does not resolve: then failed has
// been told.
//
// Hosts that the operator has mapped share with nobody: where they are dialled says nothing of
// whose they are.
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

// choose takes the address that answered last, if the host still has it, else the first that this
// item has not tried; others reports whether there are more.
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
// each in a turn of its own. It reports false if there is none left.
func (a *attempt) nextAddress(r *web.Result) bool {
	if r.Err == nil || r.Err.Kind != web.KindConnect && r.Err.Kind != web.KindTimeout || r.Written || !a.at.IsValid() {
		return false
	}
	if errors.Is(r.Err, web.ErrOtherAddr) && !a.it.moved {
		a.it.moved, a.again = true, true // a kept connection to where the host was before
		return true
	}
	if !a.others {
		return false
	}
	a.it.dead = append(a.it.dead, a.at)
	a.again = true
	return true
}

// addressKey names what hosts share at an address: all of a /64 network of IPv6 are one server as
// easily as one address is.
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

// lastAddress is the address that the host answered from last.
func (h *host) lastAddress() netip.Addr {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.address
}

// resolve answers the first record of a host whose address is not known yet, where addresses are
// the politeness keys: schedule makes it the key.
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

// keyAddr is the address a politeness key names, if it names one.
func keyAddr(key string) netip.Addr {
	a, err := netip.ParseAddr(strings.Trim(key, "[]"))
	if err != nil {
		return netip.Addr{}
	}
	return a
}
