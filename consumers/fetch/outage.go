package fetch

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"

	"millrace/consumers/fetch/web"
	"millrace/consumers/fetch/workbench"
	"millrace/schema"
)

// outage finds out whether this process has lost its network: it counts the hosts that could not be
// reached since the last answer of any host. A host that was reached before counts four times:
// names that do not exist are common, known hosts that fail together are not.
type outage struct {
	mu      sync.Mutex
	failing map[string]bool // by politeness key: whether the host was reached before
	live    map[string]struct{}
	since   time.Time // begin of the outage; zero: none
}

const (
	knownWeight   = 4
	offlineWeight = 5 * knownWeight // five known hosts, or twenty others, in a row without one answer
	fewestWeight  = 3 * knownWeight // if fewer than five hosts are known: all of them, but at least three
	mostLive      = 64              // hosts remembered to have answered
)

// errorOffline is Outcome.error_kind of records that are deferred because this process is offline.
const errorOffline = "offline"

func newOutage() *outage {
	return &outage{failing: make(map[string]bool), live: make(map[string]struct{})}
}

// reached notes that a host answered. ended says that this ends an outage, lasted how long that
// was.
func (u *outage) reached(key string) (ended bool, lasted time.Duration) {
	u.mu.Lock()
	defer u.mu.Unlock()
	clear(u.failing)
	if len(u.live) < mostLive {
		u.live[key] = struct{}{}
	}
	if u.since.IsZero() {
		return false, 0
	}
	lasted = time.Since(u.since)
	u.since = time.Time{}
	return true, lasted
}

// missed notes that a host could not be reached. on says that there is an outage now, began that
// this host completed the evidence.
func (u *outage) missed(key string, known bool) (on, began bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if !u.since.IsZero() {
		return true, false
	}
	if len(u.failing) < 4*offlineWeight {
		u.failing[key] = known
	}
	if known && len(u.live) < mostLive {
		u.live[key] = struct{}{}
	}
	weight := 0
	for _, known := range u.failing {
		if weight++; known {
			weight += knownWeight - 1
		}
	}
	if weight < min(max(knownWeight*len(u.live), fewestWeight), offlineWeight) {
		return false, false
	}
	u.since = time.Now()
	return true, true
}

// began is when the outage began; zero if there is none.
func (u *outage) began() time.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.since
}

// While offline a few items stay on the bench for probes. The others are deferred for a time that
// grows with the outage.
const (
	probeItems  = 8
	probeLeases = 3
	probeFirst  = 10 * time.Second
	probeMost   = 30 * time.Second // below the bench's Hold, so that the items kept for probes are still there
	awayLeast   = 30 * time.Second
	awayMost    = 5 * time.Minute
)

// away is how long deferred records stay away: half of the outage so far, within limits.
func (u *outage) away() time.Duration {
	began := u.began()
	if began.IsZero() {
		return 0
	}
	return min(max(time.Since(began)/2, awayLeast), awayMost)
}

// OfflineSince is when this process lost its network; zero if it has not.
func (f *Fetcher) OfflineSince() time.Time { return f.outage.began() }

// offline learns from a result whether this process has a network. If it has none, the item is
// deferred without counting a failure, and offline returns true.
func (a *attempt) offline(r *web.Result) bool {
	f, it := a.f, a.it
	if arrived(r) {
		if ended, lasted := f.outage.reached(a.lease.Key); ended {
			f.log.Warn("online again", "after", lasted)
			f.bench.Stop(false)
		}
		return false
	}
	known := it.host.reachedBefore()
	if !unreached(r, known || !f.outage.began().IsZero()) {
		return false
	}
	on, began := f.outage.missed(a.lease.Key, known)
	if began {
		f.log.Warn("offline: most hosts cannot be reached at once; nothing is counted against them, and fetching goes on when a probe succeeds")
		f.bench.Stop(true)
		f.giveBack(f.bench.Drain(probeItems))
	}
	if on {
		it.task.finish(it, f.offlineOutcome(it))
	}
	return on
}

// arrived reports results that only a server can have caused.
func arrived(r *web.Result) bool {
	if r.Err == nil {
		return true
	}
	switch r.Err.Kind {
	case web.KindTLSName, web.KindTLSExpired, web.KindTLSUntrusted, web.KindProtocol, web.KindHeaderTooBig, web.KindTooBig, web.KindSlow:
		return true
	}
	return false
}

// unreached reports errors that a lost network would cause: no connection, or no answer from DNS.
// "No such host" is one of them only if the host was reached before.
func unreached(r *web.Result, known bool) bool {
	d := (*net.DNSError)(nil)
	switch r.Err.Kind {
	case web.KindDNS:
		return known || !errors.As(r.Err, &d) || !d.IsNotFound
	case web.KindConnect, web.KindTimeout:
		return !r.Written
	}
	return false
}

func (f *Fetcher) offlineOutcome(it *item) *schema.Outcome {
	o := it.outcome(schema.Outcome_DEFERRED, time.Now().Add(f.outage.away()))
	o.ErrorKind = errorOffline
	return o
}

func (f *Fetcher) giveBack(list []workbench.Item[*item]) {
	for _, it := range list {
		f.deferred(it, time.Now())
	}
}

// probe allows a few requests now and then while the process is offline.
func (f *Fetcher) probe(ctx context.Context) {
	pause := probeFirst
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		if f.outage.began().IsZero() {
			pause = probeFirst
			continue
		}
		f.bench.Probe(probeLeases)
		pause = min(2*pause, probeMost)
	}
}

// reachedBefore reports whether the host is known to have answered, now or before a restart: its
// robots.txt was read.
func (h *host) reachedBefore() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, f := range h.files {
		if f.rules != nil || f.state == schema.HostNotice_RULES || f.state == schema.HostNotice_ALLOW_ALL {
			return true
		}
	}
	return false
}
