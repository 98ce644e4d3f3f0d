//go:build linux

// Command downtime measures how a frontier comes back after a week without a process, in which
// everything that it knows became due.
//
//	go run ./bench/system/downtime                                         10^6 URLs, and 10^5
//	go run ./bench/system/downtime -urls 100000
//	go run ./bench/system/downtime -brokers HOST:PORT -store cql://HOST:PORT
//
// It writes hosts of ten fetched pages each into a store, as a crawl of a week and an hour ago left
// them, opens it as millrace does, and runs the group schedule alone: on the built-in broker and
// store, or on servers, which it gives a keyspace of its own and whose topics of millrace it
// deletes. It prints how long it took until the first URL was emitted, until everything that was
// due stood in a queue, and the CPU time of this process for it. That with a tenth of the URLs
// shows whether the cost is linear.
//
// Limits: the pages of all hosts are due at times spread over the week; fetch does not run, so that
// what is emitted stays in flight.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"millrace/bench/known"
	"millrace/cmd/wire"
	"millrace/consumers/schedule/calendar"
	"millrace/consumers/schedule/table"
	"millrace/schema"
	"millrace/streams/streamstest"
	"millrace/topics"
)

type options struct {
	urls           int
	brokers, store string
}

func main() {
	var o options
	flag.IntVar(&o.urls, "urls", 1_000_000, "that are known and due")
	flag.StringVar(&o.brokers, "brokers", "", "of Kafka; empty: the built-in one. Topics of millrace there are deleted")
	flag.StringVar(&o.store, "store", "", "cql://host:port of Cassandra or ScyllaDB, without a keyspace")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	for _, n := range []int{o.urls / 10, o.urls} {
		if err := o.measure(ctx, n); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

// measure prints one line about n URLs.
func (o options) measure(ctx context.Context, n int) (err error) {
	dir, err := os.MkdirTemp("", "millrace-downtime-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	cfg, err := o.config(ctx, dir)
	if err != nil {
		return err
	}
	quiet := slog.New(slog.DiscardHandler)
	s, err := wire.Open(ctx, cfg, quiet)
	if err != nil {
		return err
	}
	left := time.Now().Add(-7*24*time.Hour - time.Hour)
	err = known.Fill(ctx, s.Store, n/known.PagesPerHost, left)
	s.Close() // as it is after a stop
	if err != nil {
		return err
	}
	began, cpu := time.Now(), spent()
	if s, err = wire.Open(ctx, cfg, quiet); err != nil {
		return err
	}
	defer s.Close()
	run, end := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() { done <- s.Run(run, "schedule") }()
	first, err := watch(ctx, s, left)
	all, used := time.Since(began), spent()-cpu
	end()
	if err = errors.Join(err, <-done); err != nil {
		return err
	}
	fmt.Printf("%9d URLs due: first emitted after %s, all queued after %s; CPU %s, %.1f ms for 1,000 URLs\n", n,
		first.Sub(began).Round(10*time.Millisecond), all.Round(10*time.Millisecond), used.Round(10*time.Millisecond),
		1000*float64(used.Milliseconds())/float64(n))
	return nil
}

// config is that of a crawl in dir, or on servers in a keyspace named after the time.
func (o options) config(ctx context.Context, dir string) (wire.Config, error) {
	cfg := wire.DefaultConfig()
	cfg.Data, cfg.AllowPrivate, cfg.Scope = dir, true, "any"
	if o.brokers == "" {
		return cfg, nil
	}
	cfg.Brokers = strings.Split(o.brokers, ",")
	cfg.Store = fmt.Sprintf("%s/downtime%d", o.store, time.Now().UnixNano())
	if err := streamstest.Clear(ctx, cfg.Brokers); err != nil {
		return cfg, err
	}
	_, err := wire.Provision(ctx, cfg, slog.New(slog.DiscardHandler))
	return cfg, err
}

// watch returns when everything that was due has left the calendar, and when the first URL was
// emitted.
func watch(ctx context.Context, s *wire.System, left time.Time) (first time.Time, err error) {
	last := calendar.SlotOf(left.Add(7 * 24 * time.Hour).UnixMilli())
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for shard := 0; shard < schema.Shards; {
		select {
		case <-ctx.Done():
			return first, ctx.Err()
		case <-tick.C:
		}
		if first.IsZero() {
			if first, err = emitted(ctx, s); err != nil {
				return first, err
			}
			continue
		}
		for ; shard < schema.Shards; shard++ {
			row := &schema.ShardRow{}
			found, err := table.Read(ctx, s.Store, schema.ShardTable, table.Shard(shard), row)
			if err != nil {
				return first, err
			}
			if found && row.Slot <= last {
				tick.Reset(time.Second)
				break
			}
		}
	}
	return first, nil
}

// emitted is now, if a URL stands on urls.scheduled.
func emitted(ctx context.Context, s *wire.System) (time.Time, error) {
	ends, err := s.Reader.Ends(ctx, topics.Scheduled().Name)
	for _, end := range ends {
		if end > 0 {
			return time.Now(), nil
		}
	}
	return time.Time{}, err
}

// spent is the CPU time of this process.
func spent() time.Duration {
	var u syscall.Rusage
	_ = syscall.Getrusage(syscall.RUSAGE_SELF, &u) // of oneself: cannot fail
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
