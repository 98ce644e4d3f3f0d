package fetch

import (
	"context"
	"errors"
	"net/netip"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"

	"millrace/consumers/fetch/web"
	"millrace/consumers/fetch/workbench"
	"millrace/schema"
)

// attempt is one use of a lease: at most one request of the key.
type attempt struct {
	f       *Fetcher
	it      *item
	ctx     context.Context
	cancel  context.CancelCauseFunc
	written atomic.Bool

	started time.Time  // from when the key's delay runs; zero if nothing was written
	again   bool       // the item goes back on the bench
	addr    netip.Addr // the host's, if a connection was made
	results []*web.Result
}

// serve brings an item one request further.
func (f *Fetcher) serve(l *workbench.Lease[*item]) {
	it := l.Item.Value
	it.polite = max(0, l.Ready.Sub(l.Arrived))
	it.worker = max(0, time.Since(l.Ready))
	a := &attempt{f: f, it: it}
	a.ctx, a.cancel = context.WithCancelCause(it.task.ctx)
	defer a.cancel(nil)
	f.track(a)
	defer f.untrack(a)
	a.guarded()
	for _, r := range a.results {
		r.Release()
	}
	switch {
	case !a.again:
		l.Done(a.started)
	case !l.Again(a.started):
		f.hosts.release(it.host)
	}
	if a.addr.IsValid() {
		f.bench.SetGroup(l.Key, a.addr.String())
	}
}

// guarded runs step. A panic ends this item only: it is counted and logged, its URL gets an Outcome, and the key's delay counts from now if a request
// may have been written.
func (a *attempt) guarded() {
	defer func() {
		p := recover()
		if p == nil {
			return
		}
		a.f.log.Error("panic while fetching", "url", a.it.s.Url, "panic", p, "stack", string(debug.Stack()))
		a.it.task.part.Drop("panic", 1)
		a.again = false
		if a.written.Load() {
			a.started = time.Now()
		}
		if a.it.ended {
			return
		}
		o := a.it.outcome(resultOfError(web.KindInternal), time.Time{})
		o.ErrorKind = string(web.KindInternal)
		a.it.task.finish(a.it, o)
	}()
	a.step()
}

// step does what is next for the item: give it back, look at robots.txt, or ask for the page.
func (a *attempt) step() {
	if a.zombie() != nil { // nothing is dialled that could not be written
		a.giveUp()
		return
	}
	now := time.Now()
	it := a.it
	if it.s.NotAfter != 0 && now.UnixMilli() > it.s.NotAfter {
		it.task.finish(it, it.outcome(schema.Outcome_DEFERRED, now))
		return
	}
	if a.f.o.ByIP && !keyAddr(it.s.PoliteKey).IsValid() {
		a.resolve()
		return
	}
	ruling, until := it.host.rule(it.authority(), it.url.PathQuery(), now, a.f.o.RobotsGood)
	switch ruling {
	case unknown:
		a.askRobots()
	case allowed:
		a.askPage()
	case forbidden:
		it.task.finish(it, it.outcome(schema.Outcome_ROBOTS, time.Time{}))
	case unreachable:
		it.learn(func(n *schema.HostNotice) { n.Robots = schema.HostNotice_UNREACHABLE })
		it.task.finish(it, it.outcome(schema.Outcome_ROBOTS, until))
	}
}

// do makes one request under the zombie rule.
func (a *attempt) do(r web.Request) *web.Result {
	r.MayWrite = a.mayWrite
	if a.f.o.ByIP {
		r.Addr = keyAddr(a.it.s.PoliteKey)
	}
	res := a.f.web.Do(a.ctx, r)
	a.results = append(a.results, res)
	a.addr = res.Addr
	return res
}

// asked begins the key's delay. The server counts from the request's arrival, which lies between its last byte written and the first byte of the answer.
// To count from the later end would cost the latency of every request; up to 2 % of the delay it is granted: that covers jitter, not distance.
func (a *attempt) asked(r *web.Result) {
	if !r.Written {
		return
	}
	most := a.delay() / 50
	if !r.Answered.IsZero() {
		most = min(most, r.Answered.Sub(r.Started))
	}
	a.started = r.Started.Add(max(0, most))
}

var errStale = errors.New("the last good heartbeat is too old: another process may own the partition")

// mayWrite is asked in the Write call of the connection.
func (a *attempt) mayWrite() error {
	err := a.zombie()
	if err == nil {
		a.written.Store(true)
	}
	return err
}

// zombie says why this process must not act for the partition now, if it must not.
func (a *attempt) zombie() error {
	switch {
	case a.it.task.givenUp():
		return errRevoked
	case !a.f.pulse.steady(time.Now()):
		return errStopped
	case !a.it.task.part.Fresh():
		return errStale
	}
	return nil
}

// stalePause keeps a key quiet after a refusal, so that connections are not opened in a loop: two heartbeats.
const stalePause = 2 * time.Second

// abandoned handles a request that ended by our own will: there is no outcome of it.
func (a *attempt) abandoned(r *web.Result) bool {
	if r.Err == nil || !givenUp(r.Err.Kind) {
		return false
	}
	a.giveUp()
	return true
}

// giveUp leaves the item to the partition's next owner, or, if the partition is still ours, tries again in a while.
func (a *attempt) giveUp() {
	if a.it.task.givenUp() {
		a.f.hosts.release(a.it.host)
		return
	}
	a.f.bench.Block(a.it.s.PoliteKey, time.Now().Add(stalePause))
	a.again = true
}

// resolve answers the first record of a host whose address is not known yet: schedule makes the address its politeness key.
func (a *attempt) resolve() {
	it := a.it
	addrs, err := a.f.web.Lookup(a.ctx, strings.Trim(it.url.Hostname(), "[]"))
	if a.ctx.Err() != nil {
		a.giveUp()
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

// rest keeps the key quiet: after is what the server asked for, 0 for the usual back-off, up to most. It is durable before the outcome is appended.
func (a *attempt) rest(after, most time.Duration) time.Time {
	until := a.it.host.fail(time.Now(), after, a.f.o.BackoffFirst, most)
	a.f.bench.Block(a.it.s.PoliteKey, until)
	a.it.learn(func(n *schema.HostNotice) {
		n.BlockedUntil = millis(until)
		n.CrawlDelayMs = a.delay().Milliseconds()
	})
	a.save()
	return until
}

func (a *attempt) delay() time.Duration { return a.it.host.delay(a.f.o.Delay, a.f.o.MaxDelay) }

// save writes the host's row. If the partition is lost meanwhile, the next owner learns it anew.
func (a *attempt) save() {
	if err := a.f.hosts.save(a.it.task.ctx, a.it.host); err != nil && a.it.task.ctx.Err() == nil {
		a.f.log.Error("politeness state not written", "key", a.it.s.PoliteKey, "error", err)
	}
}
