package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
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
	askEach   = 20
	callbacks = "crawler.test" // as hubs know the crawl
)

// watch follows items on their way.
type watch struct {
	*settings
	web *web
	sys *wire.System

	mu      sync.Mutex
	known   map[string]*item // by row key
	waiting map[int32][]passing
	stop    func()
	found   int // searches that found what they should
	missed  []string
	docs    int64
	unread  map[string][]int64 // records before each group, each second
}

// passing is an item whose document is on docs.unique.
type passing struct {
	item   *item
	offset int64
}

// run measures a crawl.
func (s *settings) run(ctx context.Context) (r *report, err error) {
	if s.dir == "" {
		if s.dir, err = os.MkdirTemp("", "millrace-news-"); err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(s.dir)) }()
	}
	w := newWeb(*s)
	server := httptest.NewServer(w)
	defer server.Close()
	sys, err := wire.Open(ctx, s.config(server.Listener.Addr().String()), slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})))
	if err != nil {
		return nil, err
	}
	defer sys.Close()
	if err := fill(ctx, sys.Store, w.wide, time.Now()); err != nil {
		return nil, err
	}
	m := &watch{settings: s, web: w, sys: sys, known: map[string]*item{}, waiting: map[int32][]passing{}, unread: map[string][]int64{}}
	return m.crawl(ctx)
}

// config is that of `millrace run`, but for where the web is and how often feeds are asked.
func (s *settings) config(address string) wire.Config {
	cfg := wire.DefaultConfig()
	cfg.Data, cfg.Listen, cfg.Scope, cfg.AllowPrivate = s.dir, "127.0.0.1:0", "any", true
	cfg.Delay, cfg.DelayIP, cfg.FeedMin, cfg.FeedMax = s.delay, 0, max(s.every, time.Minute), max(s.every, time.Minute)
	cfg.Resolve = []string{"*=" + address}
	if s.hubs > 0 {
		cfg.WebSub, cfg.ServeNames = "http://"+callbacks, []string{callbacks}
	}
	return cfg
}

// crawl runs everything for as long as is measured.
func (w *watch) crawl(ctx context.Context) (*report, error) {
	list := make([]seeds.Seed, 0, w.sites)
	for _, u := range w.web.feeds() {
		seed, err := seeds.Parse(w.sys.Canon, u)
		if err != nil {
			return nil, err
		}
		list = append(list, seed)
	}
	if err := w.sys.Seed(ctx, list); err != nil {
		return nil, err
	}
	r := &report{settings: *w.settings, load: figures.LoadAverage(), began: time.Now()}
	before := processorTime()
	ctx, stop := context.WithTimeout(ctx, w.most)
	defer stop()
	w.stop = stop
	err := w.during(ctx, stop)
	r.took, r.cpu, r.loadAfter = time.Since(r.began), processorTime()-before, figures.LoadAverage()
	w.mu.Lock()
	defer w.mu.Unlock()
	r.found, r.missed, r.docs, r.subscribed = w.found, w.missed, w.docs, w.web.hub.subscribed()
	r.take(w.web)
	r.unread = w.unread
	r.waiting = w.sys.Status().URLs[schema.UrlRow_QUEUED]
	return r, err
}

// during runs groups, hub, publishers and followers until ctx ends.
func (w *watch) during(ctx context.Context, stop func()) error {
	site, err := w.sys.Listen()
	if err != nil {
		return err
	}
	w.web.hub.client.Transport = dialing(site.Addr())
	var side sync.WaitGroup
	var hub sync.WaitGroup
	hub.Go(w.web.hub.run)
	runs := []func(context.Context) error{
		site.Run,
		func(ctx context.Context) error { return w.sys.Run(ctx, topics.GroupNames()...) },
		w.follow, w.followExtracted, w.publish, w.look, w.queues,
	}
	errs := make([]error, len(runs))
	for i, run := range runs {
		side.Go(func() {
			if err := run(ctx); ctx.Err() == nil {
				errs[i] = errors.Join(err, fmt.Errorf("part %d ended before the crawl did", i))
				stop()
			}
		})
	}
	side.Wait()
	close(w.web.hub.queue)
	hub.Wait()
	return errors.Join(errs...)
}

// publish lets each site publish an item in each interval, at a random moment.
func (w *watch) publish(ctx context.Context) error {
	r := rand.New(rand.NewPCG(1, 1))
	type due struct {
		site int
		at   time.Duration
	}
	began := time.Now()
	for n := time.Duration(0); ; n++ {
		list := make([]due, w.sites)
		for i := range list { // evenly spread over the sites, in random order of the moments
			list[i] = due{i, n*w.every + w.every*time.Duration(i)/time.Duration(w.sites)}
		}
		r.Shuffle(len(list), func(i, k int) { list[i].site, list[k].site = list[k].site, list[i].site })
		for _, d := range list {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(time.Until(began.Add(d.at))):
			}
			w.web.publish(d.site, time.Now())
			w.know(d.site)
		}
	}
}

// know notes the newest item of a site by its row key.
func (w *watch) know(i int) {
	w.web.mu.Lock()
	it := w.web.sites[i].items[len(w.web.sites[i].items)-1]
	w.web.mu.Unlock()
	u, err := w.sys.Canon.Parse(it.url)
	if err != nil {
		return
	}
	w.mu.Lock()
	w.known[string(u.RowKey())] = it
	w.mu.Unlock()
}

// follow notes documents of items on docs.unique.
func (w *watch) follow(ctx context.Context) error {
	from, err := w.sys.Reader.Starts(ctx, topics.Unique().Name)
	if err != nil {
		return err
	}
	return w.sys.Reader.Follow(ctx, topics.Unique().Name, from, time.Second, func(r streams.Raw) error {
		if r.Value == nil {
			return nil
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		w.docs++
		if it := w.known[r.Key]; it != nil && it.unique.IsZero() {
			it.unique = r.Time
			w.waiting[r.Partition] = append(w.waiting[r.Partition], passing{it, r.Offset})
		}
		return nil
	}, nil)
}

// followExtracted notes documents of items on docs.extracted.
func (w *watch) followExtracted(ctx context.Context) error {
	from, err := w.sys.Reader.Starts(ctx, topics.Extracted().Name)
	if err != nil {
		return err
	}
	return w.sys.Reader.Follow(ctx, topics.Extracted().Name, from, time.Second, func(r streams.Raw) error {
		w.mu.Lock()
		defer w.mu.Unlock()
		if it := w.known[r.Key]; it != nil && it.extracted.IsZero() {
			it.extracted = r.Time
		}
		return nil
	}, nil)
}

// look notes what search has.
func (w *watch) look(ctx context.Context) error {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for n := 0; ; {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
		for _, it := range w.arrived(time.Now()) {
			if n++; n%askEach == 0 || n == w.settings.items {
				if err := w.ask(ctx, it); err != nil {
					return err
				}
			}
			if n == w.settings.items {
				w.stop()
			}
		}
	}
}

// queues notes each second how many records each group has before it.
func (w *watch) queues(ctx context.Context) error {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-tick.C:
		}
		lag := w.sys.Reader.Positions(ctx)
		w.mu.Lock()
		for _, g := range lag.Groups {
			w.unread[g.Group] = append(w.unread[g.Group], g.Records)
		}
		w.mu.Unlock()
	}
}

func (w *watch) arrived(now time.Time) (out []*item) {
	for _, s := range w.sys.Shards() {
		w.mu.Lock()
		list := w.waiting[s.Partition]
		for len(list) > 0 && list[0].offset < s.Offset {
			list[0].item.found = now
			out = append(out, list[0].item)
			list = list[1:]
		}
		w.waiting[s.Partition] = list
		w.mu.Unlock()
	}
	return out
}

// ask searches for an item that should be found.
func (w *watch) ask(ctx context.Context, it *item) error {
	u, err := w.sys.Canon.Parse(it.url)
	if err != nil {
		return err
	}
	answer, err := w.sys.Search(ctx, fmt.Sprintf("site:%s%s", u.Authority(), u.PathQuery()), 0, 10)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, h := range answer.Hits {
		if h.URL == it.url {
			w.found++
			return nil
		}
	}
	w.missed = append(w.missed, it.url)
	return nil
}

// dialing is a transport that connects to one address, whatever the URL says.
func dialing(address string) *http.Transport {
	var d net.Dialer
	return &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return d.DialContext(ctx, network, address)
	}}
}

// processorTime returns the processor time that this process has used.
func processorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
