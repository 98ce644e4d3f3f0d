package fetch

import (
	"context"
	"errors"
	"net/netip"
	"runtime/debug"
	"sync/atomic"
	"time"

	"millrace/consumers/fetch/web"
	"millrace/consumers/fetch/workbench"
	"millrace/schema"
)

// attempt is one use of a lease: at most one request. pageAttempt and robotsAttempt know what to
// request and what the answer means.
type attempt struct {
	f       *Fetcher
	it      *item
	lease   *workbench.Lease[*item]
	ctx     context.Context
	cancel  context.CancelCauseFunc
	written atomic.Bool

	permitted atomic.Int64 // ns since pulse.start: when writing was allowed

	started time.Time  // when the key's delay begins; zero if nothing was written
	again   bool       // the item goes back on the bench
	at      netip.Addr // the address to connect to; not valid: the operator's mapping or the key (ByIP) decides
	others  bool       // the host has more addresses to try
	results []*web.Result
}

// serve runs one attempt for an item: at most one request. Then it ends the lease.
func (f *Fetcher) serve(l *workbench.Lease[*item]) {
	it := l.Item.Value
	it.polite = max(0, l.Ready.Sub(l.Arrived))
	it.worker = max(0, time.Since(l.Ready))
	a := &attempt{f: f, it: it, lease: l}
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
	case it.where() != l.Key:
		l.Done(a.started)
		f.bench.Add(it.where(), a.clock(), l.Item)
	case !l.Again(a.started):
		f.hosts.release(it.host)
	}
}

// own reports whether the lease is of the item's own politeness key, not of the key that its
// robots.txt redirects to.
func (a *attempt) own() bool { return a.lease.Key == a.it.s.PoliteKey }

// guarded runs step. A panic ends only this item: it is counted and logged, the URL gets an
// Outcome, and the key's delay begins now if a request may have been written.
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

// step does the next thing for the item: give it up, defer it, resolve its address, request
// robots.txt, or request the page.
func (a *attempt) step() {
	if a.zombie() != nil { // no connection is opened for a request that must not be written
		a.giveUp()
		return
	}
	now := time.Now()
	it := a.it
	if it.late() {
		it.task.finish(it, it.outcome(schema.Outcome_DEFERRED, time.Time{})) // due at once
		return
	}
	if j := it.judgeOf(it.url); j.stops() {
		it.task.finish(it, it.against(j, now))
		return
	}
	if a.f.o.ByIP && !keyAddr(it.s.PoliteKey).IsValid() {
		a.resolve()
		return
	}
	if it.visit != nil {
		robotsAttempt{a}.askElsewhere()
		return
	}
	ruling, until := it.host.rule(it.authority(), it.path(), now, a.f.o.RobotsGood, it.s.RobotsAfter)
	if it.turnedAway(ruling) {
		pageAttempt{a}.lost()
		return
	}
	switch ruling {
	case unknown:
		robotsAttempt{a}.ask()
	case allowed:
		pageAttempt{a}.ask()
	case forbidden:
		it.task.finish(it, it.outcome(schema.Outcome_ROBOTS, time.Time{}))
	case unreachable:
		it.learn(func(n *schema.HostNotice) { n.Robots = schema.HostNotice_UNREACHABLE })
		it.task.finish(it, it.outcome(schema.Outcome_ROBOTS, until))
	}
}

// slowRest is the time of an answer from which its key is blocked for as long again: a slow server
// has at least half of the time without a request.
const slowRest = 5 * time.Second

// do makes one request, which is written only if mayWrite allows it, and learns from the time that
// it took.
func (a *attempt) do(r web.Request) *web.Result {
	r.MayWrite = a.mayWrite
	if r.Addr = a.at; a.f.o.ByIP {
		r.Addr = keyAddr(a.it.s.PoliteKey)
	}
	if a.others {
		r.Connect = connectFirst
	}
	began := time.Now()
	res := a.f.web.Do(a.ctx, r)
	took := time.Since(began) - res.Waited
	if a.f.o.Requested != nil && res.Written {
		a.f.o.Requested(res)
	}
	if res.File && !res.Answered.IsZero() { // the time of a PDF or Office file says nothing about the host's pages
		took = res.Answered.Sub(began)
	}
	a.results = append(a.results, res)
	pace := a.lease.Answered(took, !r.Whole && res.Err == nil)
	if a.own() {
		a.it.host.learn(pace, a.at, res)
	}
	if took > slowRest && res.Written {
		a.f.bench.Block(a.lease.Key, time.Now().Add(took))
	}
	return res
}

// asked sets when the key's delay begins. The server counts from the arrival of the request, which
// is between its last byte written and the first byte of the answer. To count from the later one
// would cost the latency of every request. So the delay begins at most 2 % of itself after the
// write: that covers jitter, not the distance.
func (a *attempt) asked(r *web.Result) {
	if !r.Written {
		return
	}
	if permitted := time.Duration(a.permitted.Load()); permitted > 0 && r.Started.Sub(a.f.pulse.start)-permitted > pulseGap {
		a.f.early.Add(1)
	}
	most := a.delay() / 50
	if !r.Answered.IsZero() {
		most = min(most, r.Answered.Sub(r.Started))
	}
	a.started = r.Started.Add(max(0, most))
}

// errDecided refuses a request whose URL an operator excluded, removed or paused while the
// connection was made.
var errDecided = errors.New("an operator decided against this request")

var errStale = errors.New("the last good heartbeat is too old: another process may own the partition")

// mayWrite is called in the Write call of the connection. An error keeps the request from being
// written.
func (a *attempt) mayWrite() error {
	err := a.zombie()
	if err == nil && a.it.judge().stops() {
		err = errDecided
		a.cancel(err)
	}
	if err == nil {
		a.written.Store(true)
		a.permitted.Store(int64(time.Since(a.f.pulse.start)))
	}
	return err
}

// zombie returns why this process must not send requests for the partition now; nil if it may. The
// reasons: the partition is revoked, the process was stopped lately, or the last successful
// heartbeat is too old.
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

// stalePause is how long (two heartbeats) a key is blocked after such a refusal, so that
// connections are not opened in a loop.
const stalePause = 2 * time.Second

// abandoned handles a request that this process cancelled itself: it has no outcome.
func (a *attempt) abandoned(r *web.Result) bool {
	if r.Err == nil || !givenUp(r.Err.Kind) {
		return false
	}
	a.stopped()
	return true
}

// errCut cancels a slow request when all slots for slow requests are taken and others wait.
var errCut = errors.New("the request is slow, and others wait for its slot")

// stopped handles a cancelled attempt. After errCut the item goes back on the bench and waits for a
// slot for slow requests; after a decision it goes back too, and its next step ends it.
func (a *attempt) stopped() {
	if why := context.Cause(a.ctx); (errors.Is(why, errCut) || errors.Is(why, errDecided)) && !a.it.task.givenUp() {
		a.again = true
		return
	}
	a.giveUp()
}

// giveUp leaves the item to the partition's next owner. If the partition is still ours, it tries
// again after stalePause.
func (a *attempt) giveUp() {
	if a.it.task.givenUp() {
		a.f.hosts.release(a.it.host)
		return
	}
	a.f.bench.Block(a.lease.Key, time.Now().Add(stalePause))
	a.again = true
}

// rest blocks the key. after is the pause that the server asked for, 0 for the usual back-off, not
// longer than most. The block is stored before the outcome is appended.
func (a *attempt) rest(after, most time.Duration) time.Time {
	until := a.it.host.fail(time.Now(), after, a.f.o.BackoffFirst, most)
	a.f.bench.Block(a.it.s.PoliteKey, until)
	a.it.learn(func(n *schema.HostNotice) {
		n.BlockedUntil = millis(until)
		n.CrawlDelayMs = a.robotsDelay().Milliseconds()
	})
	a.save()
	return until
}

func (a *attempt) delay() time.Duration { return a.it.delay() }

// robotsDelay is the delay without the rules of operators, which schedule knows itself.
func (a *attempt) robotsDelay() time.Duration { return a.it.host.delay(a.f.o.Delay, a.f.o.MaxDelay) }

// save stores the host's row. If that fails because the partition is lost, the next owner learns it
// again.
func (a *attempt) save() {
	if err := a.f.hosts.save(a.it.task.ctx, a.it.host); err != nil && a.it.task.ctx.Err() == nil {
		a.f.log.Error("politeness state not written", "key", a.it.s.PoliteKey, "error", err)
	}
}
