package main

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"runtime/pprof"
	"slices"
	"strings"
	"time"

	"millrace/bench/rest"
	"millrace/cmd/wire"
	"millrace/streams"
	"millrace/topics"
)

// crawled holds the figures of a crawl: its cost, its pages and records, and the work of each
// group.
type crawled struct {
	Cost    cost
	Ending  cost // of closing: what was put off
	Pages   int64
	Records map[string]int64 // sent, by topic
	Groups  map[string]rounds
	Shares  []share
	Store   []streams.CountValue // requests to CQL: store_reads and store_writes, by table
}

// rounds is how a group worked.
type rounds struct{ Rounds, Records, Commits int64 }

// crawl crawls everything and stops.
func (s settings) crawl(ctx context.Context) (crawled, error) {
	sys, err := s.open(ctx)
	if err != nil {
		return crawled{}, err
	}
	stop, err := serve(sys)
	if err != nil {
		sys.Close()
		return crawled{}, err
	}
	var out crawled
	endProfile, err := startProfile(s.profile)
	if err != nil {
		return out, errors.Join(err, stop())
	}
	out.Cost, err = timed(func() error { return s.work(ctx, sys) })
	out.Ending, _ = timed(func() error {
		err = errors.Join(err, stop())
		sys.Close()
		return nil
	})
	endProfile()
	if err != nil {
		return out, err
	}
	out.count(sys.Meter)
	out.Shares, err = sharesOf(s.profile)
	return out, err
}

func (s settings) open(ctx context.Context) (*wire.System, error) {
	wire.Tune()
	cfg := wire.DefaultConfig()
	cfg.Data, cfg.Listen = s.dir, "127.0.0.1:0"
	cfg.Scope, cfg.Delay, cfg.AllowPrivate = "any", 0, true
	cfg.Resolve = []string{"*=" + s.origin}
	if s.brokers != "" {
		cfg.Brokers, cfg.Store = strings.Split(s.brokers, ","), s.store
	}
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	return wire.Open(ctx, cfg, log)
}

// serve runs the web server and its watch, as every millrace does.
func serve(sys *wire.System) (stop func() error, err error) {
	server, err := sys.Listen()
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- server.Run(ctx) }()
	return func() error {
		cancel()
		return <-ended
	}, nil
}

// groups are those that take part.
func (s settings) groups() []string {
	names := topics.GroupNames()
	if s.noIndex {
		names = slices.DeleteFunc(names, func(n string) bool { return n == "index" })
	}
	return names
}

// work runs the groups until they have done everything.
func (s settings) work(ctx context.Context, sys *wire.System) error {
	w, err := s.world()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- sys.Run(ctx, s.groups()...) }()
	err = sys.SeedURLs(ctx, w.Seeds(w.HostCount(), ""), "")
	if err == nil {
		err = rest.Wait(ctx, sys, s.groups())
	}
	cancel()
	return errors.Join(err, <-ended)
}

// count reads the counters of the crawl.
func (c *crawled) count(m *streams.Meter) {
	c.Records, c.Groups = map[string]int64{}, map[string]rounds{}
	for _, v := range m.Counts() {
		g := c.Groups[v.Group]
		switch v.What {
		case "sent":
			c.Records[v.Label] += v.Value
		case "handled":
			g.Records = v.Value
		case "rounds":
			g.Rounds = v.Value
		case "commits":
			g.Commits = v.Value
		case "store_reads", "store_writes":
			c.Store = append(c.Store, v)
		}
		c.Groups[v.Group] = g
	}
	c.Pages = c.Records[topics.Pages().Name]
}

// startProfile records the CPU time of this process.
func startProfile(file string) (stop func(), err error) {
	f, err := os.Create(file)
	if err != nil {
		return nil, err
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() {
		pprof.StopCPUProfile()
		_ = f.Close()
	}, nil
}

// idleFor is how long a crawl with nothing to do is watched.
const idleFor = 10 * time.Second

// idle opens what a crawl left and does nothing with it.
func (s settings) idle(ctx context.Context) (c cost, err error) {
	sys, err := s.open(ctx)
	if err != nil {
		return c, err
	}
	defer sys.Close()
	stop, err := serve(sys)
	if err != nil {
		return c, err
	}
	defer func() { err = errors.Join(err, stop()) }()
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- sys.Run(ctx, topics.GroupNames()...) }()
	pause(ctx, 5*time.Second) // recovery
	endProfile := func() {}
	if s.profile != "" {
		if endProfile, err = startProfile(s.profile); err != nil {
			cancel()
			return c, errors.Join(err, <-ended)
		}
	}
	c, _ = timed(func() error { pause(ctx, idleFor); return nil })
	endProfile()
	cancel()
	return c, errors.Join(err, <-ended)
}

func pause(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}
