package fetch

import (
	"context"
	"errors"
	"log/slog"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"millrace/consumers/fetch/web"
	"millrace/consumers/fetch/workbench"
	"millrace/schema"
	"millrace/streams"
	"millrace/streams/state"
)

// asker sends requests; *web.Client implements it.
type asker interface {
	Do(ctx context.Context, r web.Request) *web.Result
	Lookup(ctx context.Context, host string) ([]netip.Addr, error)
	Mapped(host string) bool
	Close()
}

// Deps are what a Fetcher needs from outside.
type Deps struct {
	Store  state.Store
	Canon  *schema.Canonicalizer // for targets of redirects; nil drops no parameters
	Logger *slog.Logger          // nil: none
}

// Fetcher holds the parts that all partitions of a process share: the workbench, the web client,
// and the hosts.
//
// It is large because all partitions share it.
type Fetcher struct {
	o      Options
	web    asker
	bench  *workbench.Bench[*item]
	hosts  *hosts
	away   *elsewhere
	outage *outage
	skew   skew
	early  atomic.Int64 // requests that were written while the process was stopped
	canon  *schema.Canonicalizer
	log    *slog.Logger
	pulse  *pulse

	stop context.CancelFunc
	side sync.WaitGroup

	mu       sync.Mutex
	attempts map[*attempt]struct{} // under way
}

// New starts a Fetcher. Close it after streams.Run has returned.
func New(o Options, d Deps) (*Fetcher, error) {
	c, err := o.client()
	if err != nil {
		return nil, err
	}
	return start(o, d, c)
}

// client returns the client of valid options; invalid ones are an error.
func (o Options) client() (*web.Client, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	wo := o.Web
	wo.UserAgent = o.UserAgent()
	return web.New(wo)
}

func start(o Options, d Deps, a asker) (*Fetcher, error) {
	if d.Store == nil {
		return nil, errors.New("fetch: no store")
	}
	if d.Logger == nil {
		d.Logger = slog.New(slog.DiscardHandler)
	}
	if d.Canon == nil {
		d.Canon = new(schema.Canonicalizer)
	}
	f := &Fetcher{
		o: o, web: a, canon: d.Canon, log: d.Logger.With("group", Group),
		pulse: newPulse(time.Now()), attempts: make(map[*attempt]struct{}),
	}
	retried := state.Retrying(d.Store, state.DefaultBackoff(), func(call string, err error, wait time.Duration) {
		f.log.Warn("store does not answer, trying again", "call", call, "error", err, "wait", wait)
	})
	f.hosts, f.away, f.outage = newHosts(retried, o), newElsewhere(), newOutage()
	bench, err := workbench.New(o.Bench, f.deferred, f.cutSlow)
	if err != nil {
		return nil, err
	}
	f.bench = bench
	ctx, stop := context.WithCancel(context.Background())
	f.stop = stop
	f.side.Go(func() { f.dispatch(ctx) })
	f.side.Go(func() { f.pulse.run(ctx, f.wasStopped) })
	f.side.Go(func() { f.probe(ctx) })
	return f, nil
}

// Requests are the requests in progress, and the exceptions to politeness since the start.
type Requests struct {
	InFlight, Most int   // without slow requests
	Slow           int   // slow requests
	Elsewhere      int64 // requests to one host for another host's robots.txt
	Early          int64 // requests that may have come early: the process was stopped while writing them
}

// Requests returns the requests in progress.
func (f *Fetcher) Requests() Requests {
	r := Requests{Elsewhere: f.away.count(), Early: f.early.Load()}
	r.InFlight, r.Slow, r.Most = f.bench.Out()
	return r
}

// Close cancels all attempts and waits for them.
func (f *Fetcher) Close() {
	f.stop()
	f.cancelAttempts(func(*attempt) bool { return true }, context.Canceled)
	f.side.Wait()
	f.web.Close()
}

// Task returns the Task of a partition. It is the start function for streams.Run.
func (f *Fetcher) Task(p *streams.Partition) streams.Task[*schema.Scheduled] { return newTask(f, p) }

// dispatch starts an attempt for every lease. The bench limits their number.
func (f *Fetcher) dispatch(ctx context.Context) {
	for {
		l, err := f.bench.Acquire(ctx)
		if err != nil {
			return
		}
		t := l.Item.Value.task
		if !t.begin() {
			l.Done(time.Time{})
			continue
		}
		f.side.Go(func() {
			defer t.end()
			f.serve(l)
		})
	}
}

// deferred ends an item that cannot start within Hold: it gets an Outcome DEFERRED.
func (f *Fetcher) deferred(it workbench.Item[*item], until time.Time) {
	t := it.Value.task
	if !t.begin() {
		return
	}
	f.side.Go(func() {
		defer t.end()
		if !f.outage.began().IsZero() {
			t.finish(it.Value, f.offlineOutcome(it.Value))
			return
		}
		t.finish(it.Value, it.Value.outcome(schema.Outcome_DEFERRED, until))
	})
}

// cutSlow cancels the slow request of an item, since all slots for slow requests are taken.
func (f *Fetcher) cutSlow(it workbench.Item[*item]) {
	f.cancelAttempts(func(a *attempt) bool { return a.it == it.Value }, errCut)
}

// errStopped cancels requests that were not written before the process was stopped.
var errStopped = errors.New("the process was stopped for a while")

func (f *Fetcher) wasStopped() {
	n := f.cancelAttempts(func(a *attempt) bool { return !a.written.Load() }, errStopped)
	f.log.Warn("process was stopped for more than a second", "cancelled", n)
}

// cancelAttempts cancels the attempts for which which is true, and returns their number.
func (f *Fetcher) cancelAttempts(which func(*attempt) bool, cause error) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for a := range f.attempts {
		if which(a) {
			a.cancel(cause)
			n++
		}
	}
	return n
}

func (f *Fetcher) track(a *attempt) {
	f.mu.Lock()
	f.attempts[a] = struct{}{}
	f.mu.Unlock()
}

func (f *Fetcher) untrack(a *attempt) {
	f.mu.Lock()
	delete(f.attempts, a)
	f.mu.Unlock()
}
