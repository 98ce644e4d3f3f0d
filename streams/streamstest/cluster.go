package streamstest

import (
	"context"
	"log/slog"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"millrace/streams"
	"millrace/streams/embedded"
	"millrace/topics"
)

// Options starts a broker in memory, with every topic of the embedded layout (4 partitions, or 1),
// and returns the options to reach it. The broker is closed when the test ends.
func Options(t testing.TB) streams.Options {
	t.Helper()
	b, err := embedded.OpenPort("", slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	opts := streams.Options{Brokers: b.Addrs()}
	if err := streams.Provision(t.Context(), opts, streams.DefaultLayout(true)); err != nil {
		t.Fatal(err)
	}
	return opts
}

// Config returns a member's configuration for tests: it logs nothing, ticks every 5 ms and commits
// every 1 ms.
func Config(opts streams.Options) streams.Config {
	cfg := streams.DefaultConfig()
	cfg.Kafka = opts
	cfg.Logger = slog.New(slog.DiscardHandler)
	cfg.TickEvery = 5 * time.Millisecond
	cfg.CommitEvery = time.Millisecond
	return cfg
}

// Start runs a member of a group until stop is called or the test ends. stop returns when the
// member has left.
func Start[M topics.Message](t testing.TB, cfg streams.Config, g topics.Group, topic topics.Topic[M], start func(*streams.Partition) streams.Task[M]) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- streams.Run(ctx, cfg, g, topic, start) }()
	stopped := false
	stop = func() {
		if stopped {
			return
		}
		stopped = true
		cancel()
		if err := <-done; err != nil {
			t.Errorf("group %s: %v", g.Name, err)
		}
	}
	t.Cleanup(stop)
	return stop
}

// Tail calls enough for every record of a topic from its beginning, until it returns true. After a
// minute the test fails.
func Tail(t testing.TB, opts streams.Options, topic string, enough func(*kgo.Record) bool) {
	t.Helper()
	cl, err := kgo.NewClient(append([]kgo.Opt{
		kgo.SeedBrokers(opts.Brokers...),
		kgo.ConsumeTopics(topic),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
		kgo.FetchIsolationLevel(kgo.ReadCommitted()),
	}, opts.Client...)...)
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for {
		fetches := cl.PollFetches(ctx)
		if ctx.Err() != nil {
			t.Fatalf("topic %s: what was waited for did not come", topic)
		}
		for it := fetches.RecordIter(); !it.Done(); {
			if enough(it.Next()) {
				return
			}
		}
	}
}
