//go:build linux

// Command idle measures what a crawl costs that has nothing to do: the CPU time of a process with
// all groups and the web server, which knows many URLs of which none is due.
//
//	go run ./bench/idle                          10^6 URLs, watched for a minute
//	go run ./bench/idle -urls 100000 -for 20s -profile cpu.out
//
// It writes hosts of ten fetched pages each into a new data directory, due again from an hour after
// on, opens it as `run` does, waits until the frontier has read all hosts, and once more as long as
// -settle. Then it counts CPU time (getrusage) and how often the process went to sleep and was
// woken.
//
// Limits: there are no documents, so that the index is empty; nobody looks at the dashboard.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"runtime/pprof"
	"syscall"
	"time"

	"millrace/bench/figures"
	"millrace/bench/known"
	"millrace/cmd/wire"
	"millrace/topics"
)

type options struct {
	urls        int
	watch, calm time.Duration
	profile     string
}

func main() {
	var o options
	flag.IntVar(&o.urls, "urls", 1_000_000, "that are known; none is due")
	flag.DurationVar(&o.watch, "for", time.Minute, "how long to watch")
	flag.DurationVar(&o.calm, "settle", 15*time.Second, "pause after the start, before")
	flag.StringVar(&o.profile, "profile", "", "file for a CPU profile of that time")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := o.run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "idle:", err)
		os.Exit(1)
	}
}

func (o options) run(ctx context.Context) (err error) {
	dir, err := os.MkdirTemp("", "millrace-idle-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	wire.Tune()
	cfg := wire.DefaultConfig()
	cfg.Data, cfg.Listen, cfg.Scope, cfg.AllowPrivate = dir, "127.0.0.1:0", "any", true
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
	s, err := wire.Open(ctx, cfg, log)
	if err != nil {
		return err
	}
	err = known.Fill(ctx, s.Store, o.urls/known.PagesPerHost, time.Now().Add(time.Hour))
	s.Close() // as it is after a stop
	if err != nil {
		return err
	}
	if s, err = wire.Open(ctx, cfg, log); err != nil {
		return err
	}
	defer s.Close()
	return o.measure(ctx, s)
}

// measure runs all groups and the web server, and prints one line.
func (o options) measure(ctx context.Context, s *wire.System) error {
	server, err := s.Listen()
	if err != nil {
		return err
	}
	ctx, end := context.WithCancel(ctx)
	ended := make(chan error, 2)
	go func() { ended <- server.Run(ctx) }()
	go func() { ended <- s.Run(ctx, topics.GroupNames()...) }()
	err = o.watched(ctx, s)
	end()
	return errors.Join(err, <-ended, <-ended)
}

func (o options) watched(ctx context.Context, s *wire.System) error {
	for f := s.Status(); f.Partitions == 0 || f.Recovering > 0; f = s.Status() {
		if err := pause(ctx, 100*time.Millisecond); err != nil {
			return err
		}
	}
	if err := pause(ctx, o.calm); err != nil {
		return err
	}
	endProfile, err := startProfile(o.profile)
	if err != nil {
		return err
	}
	before, began := spent(), time.Now()
	err = pause(ctx, o.watch)
	after, wall := spent(), time.Since(began)
	if err = errors.Join(err, endProfile()); err != nil {
		return err
	}
	cpu := time.Duration(after.Utime.Nano() + after.Stime.Nano() - before.Utime.Nano() - before.Stime.Nano())
	fmt.Printf("%d URLs known, none due: %.2f %% of a core over %s, woken %.0f times a second; load average %s\n", s.Status().URLs[known.Status],
		100*cpu.Seconds()/wall.Seconds(), wall.Round(time.Second), float64(after.Nvcsw-before.Nvcsw)/wall.Seconds(), figures.LoadAverage())
	return nil
}

// startProfile records the CPU time of this process, if a file is named.
func startProfile(file string) (end func() error, err error) {
	if file == "" {
		return func() error { return nil }, nil
	}
	f, err := os.Create(file)
	if err != nil {
		return nil, err
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() error {
		pprof.StopCPUProfile()
		return f.Close()
	}, nil
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// spent is what this process used.
func spent() (u syscall.Rusage) {
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // of oneself: cannot fail
	return u
}
