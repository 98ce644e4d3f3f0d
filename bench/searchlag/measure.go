package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"syscall"
	"time"

	"millrace/bench/figures"
	"millrace/cmd/wire"
	"millrace/producers/seeds"
	"millrace/schema"
	"millrace/streams"
	"millrace/topics"
)

const (
	lookEvery = 50 * time.Millisecond
	askEach   = 100
)

// watch follows pages from fetch to search: when each was fetched, and which documents still wait.
type watch struct {
	sys *wire.System
	mu  sync.Mutex
	// fetched is the time at which the log took the last page of a row key.
	fetched map[string]time.Time
	waiting map[int32][]document // on docs.unique and not in search, by partition, in order
	sample  []lag
	unknown int // documents whose page was not seen
	found   int // searches that found what they should
	missed  []string
}

type document struct {
	key             string
	offset          int64
	fetched, unique time.Time
}

// lag is how long a document took.
type lag struct {
	fetched time.Time
	unique  time.Duration // to docs.unique
	search  time.Duration // to search
}

// measure crawls from the seeds; every host is at address.
func (s settings) measure(ctx context.Context, web, address string, urls []string) (*report, error) {
	cfg := wire.DefaultConfig()
	cfg.Data, cfg.Listen, cfg.Scope, cfg.Delay, cfg.AllowPrivate = s.dir, "127.0.0.1:0", "any", 0, true
	cfg.Resolve = []string{"*=" + address}
	sys, err := wire.Open(ctx, cfg, slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})))
	if err != nil {
		return nil, err
	}
	defer sys.Close()
	w := &watch{sys: sys, fetched: map[string]time.Time{}, waiting: map[int32][]document{}}
	r := &report{web: web, load: figures.LoadAverage(), began: time.Now()}
	before := processorTime()
	err = w.during(ctx, s.most, func(ctx context.Context) error {
		if err := seed(ctx, sys, urls); err != nil {
			return err
		}
		return w.look(ctx)
	})
	r.took, r.cpu, r.loadAfter = time.Since(r.began), processorTime()-before, figures.LoadAverage()
	r.lags, r.unknown, r.found, r.missed = w.sample, w.unknown, w.found, w.missed
	for _, list := range w.waiting {
		r.left += len(list)
	}
	return r, err
}

// during runs the crawl and what follows its topics until fn returns.
func (w *watch) during(ctx context.Context, most time.Duration, fn func(context.Context) error) error {
	ctx, stop := context.WithTimeout(ctx, most)
	defer stop()
	server, err := w.sys.Listen()
	if err != nil {
		return err
	}
	var side sync.WaitGroup
	errs := make([]error, 4)
	for i, run := range []func() error{
		func() error { return server.Run(ctx) },
		func() error { return w.sys.Run(ctx, topics.GroupNames()...) },
		func() error { return w.follow(ctx, topics.Pages().Name, w.page) },
		func() error { return w.follow(ctx, topics.Unique().Name, w.document) },
	} {
		side.Go(func() {
			if err := run(); ctx.Err() == nil {
				errs[i] = errors.Join(err, errors.New("it ended before the crawl did"))
				stop()
			}
		})
	}
	err = fn(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = nil // -for is over
	}
	stop()
	side.Wait()
	return errors.Join(append(errs, err)...)
}

func (w *watch) follow(ctx context.Context, topic string, fn func(streams.Raw) error) error {
	from, err := w.sys.Reader.Starts(ctx, topic)
	if err != nil {
		return err
	}
	return w.sys.Reader.Follow(ctx, topic, from, time.Second, fn, nil)
}

// page notes a record of pages.fetched.
func (w *watch) page(r streams.Raw) error {
	p := &schema.Page{}
	if err := p.UnmarshalVT(r.Value); err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.fetched[p.RowKey] = r.Time
	return nil
}

// document notes a record of docs.unique.
func (w *watch) document(r streams.Raw) error {
	if r.Value == nil {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.waiting[r.Partition] = append(w.waiting[r.Partition], document{r.Key, r.Offset, w.fetched[r.Key], r.Time})
	return nil
}

// look takes notice of what search has, until everything is there and the crawl is done.
func (w *watch) look(ctx context.Context) error {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for calm, n := 0, 0; calm < 2; n++ {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
		for _, d := range w.arrived(time.Now()) {
			if err := w.ask(ctx, d); err != nil {
				return err
			}
		}
		if n%20 == 19 { // each second
			if calm++; !w.done(ctx) {
				calm = 0
			}
		}
	}
	return nil
}

// arrived takes the documents that search has now, and returns those to search for.
func (w *watch) arrived(now time.Time) (ask []document) {
	for _, s := range w.sys.Shards() {
		w.mu.Lock()
		list := w.waiting[s.Partition]
		for len(list) > 0 && list[0].offset < s.Offset {
			d := list[0]
			list = list[1:]
			if d.fetched.IsZero() {
				d.fetched = w.fetched[d.key]
			}
			if d.fetched.IsZero() {
				w.unknown++
				continue
			}
			w.sample = append(w.sample, lag{d.fetched, d.unique.Sub(d.fetched), now.Sub(d.fetched)})
			if len(w.sample)%askEach == 0 {
				ask = append(ask, d)
			}
		}
		w.waiting[s.Partition] = list
		w.mu.Unlock()
	}
	return ask
}

// ask searches for a document that should be found.
func (w *watch) ask(ctx context.Context, d document) error {
	url := schema.RowKey(d.key).URL()
	u, err := w.sys.Canon.Parse(url)
	if err != nil {
		return err
	}
	r, err := w.sys.Search(ctx, fmt.Sprintf("site:%s%s", u.Authority(), u.PathQuery()), 0, 10)
	if err != nil {
		return err
	}
	for _, h := range r.Hits {
		if h.URL == url {
			w.found++
			return nil
		}
	}
	w.missed = append(w.missed, url)
	return nil
}

// done reports whether the crawl has nothing to do.
func (w *watch) done(ctx context.Context) bool {
	f := w.sys.Status()
	if f.Pages == 0 || f.Queued > 0 || f.InFlight > 0 || f.Ready > 0 || f.Waiting > 0 {
		return false
	}
	lag := w.sys.Reader.Positions(ctx)
	for _, g := range lag.Groups {
		if g.Records > 0 {
			return false
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, list := range w.waiting {
		if len(list) > 0 {
			return false
		}
	}
	return len(lag.Errors) == 0
}

func seed(ctx context.Context, sys *wire.System, urls []string) error {
	var list []seeds.Seed
	for _, u := range urls {
		s, err := seeds.Parse(sys.Canon, u)
		if err != nil {
			return err
		}
		list = append(list, s)
	}
	return sys.Seed(ctx, list)
}

// processorTime returns the processor time that this process has used.
func processorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
