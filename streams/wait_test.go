package streams_test

import (
	"sync/atomic"
	"testing"
	"time"

	"millrace/schema"
	"millrace/streams"
	"millrace/streams/streamstest"
	"millrace/topics"
)

// extract takes no more pages while dedupe, which reads its output, is behind; Meter.Held reports
// it; it goes on when dedupe has caught up.
func TestAGroupWaitsForItsReaderAndGoesOn(t *testing.T) {
	opts := streamstest.Options(t)
	cfg := streamstest.Config(opts)
	var handled atomic.Int64
	producePages(t, opts, 0, 2000)
	streamstest.Start(t, cfg, extractGroup(t), topics.Pages(), startCopier(func(*streams.Record[*schema.Page]) error {
		handled.Add(1)
		return nil
	}))
	used := map[int32]bool{}
	for i := range 7 {
		used[topics.Partition(page(i).Site, 4)] = true
	}
	until(t, "extract waits for all partitions that it writes to", func() bool { return len(cfg.Meter.Held("extract")) == len(used) })
	if h := cfg.Meter.Held("extract")[0]; h.Reader != "dedupe" || h.Topic != topics.Extracted().Name || h.Unread <= h.Bound {
		t.Errorf("it says: %s", h)
	}
	before := handled.Load()
	for i := range 300 { // one by one: without a wait nearly all would be handled when the last is there
		producePages(t, opts, 2000+i, 2001+i)
	}
	if now := handled.Load() - before; now > 150 {
		t.Errorf("%d of 300 records were taken while the reader was behind", now)
	}
	readAll(t, opts, "dedupe", topics.Extracted().Name)
	until(t, "all records are handled", func() bool {
		readAll(t, opts, "dedupe", topics.Extracted().Name)
		return handled.Load() >= 2300
	})
}

// readAll commits the ends of a topic for a group.
func readAll(t *testing.T, opts streams.Options, group, topic string) {
	t.Helper()
	log, err := streams.NewLog(opts)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	for p := range int32(4) {
		end, err := log.End(t.Context(), topic, p)
		if err == nil {
			err = log.Commit(t.Context(), group, topic, p, streams.Progress{Offset: end})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	deadline := time.Now().Add(time.Minute)
	for !is() {
		if time.Now().After(deadline) {
			t.Fatalf("never: %s", what)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// A producer appends at once if no group reads the topic, and waits for a reader that is behind.
func TestAProducerWaitsOnlyForWhoRuns(t *testing.T) {
	opts := streamstest.Options(t)
	p, err := streams.NewProducer(t.Context(), opts, "test", topics.Pages())
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	if err := p.Send(t.Context(), page(1)); err != nil {
		t.Fatal(err)
	}
	time.Sleep(maxSeedLag) // the record gets old
	if err := p.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	said := make(chan string, 100)
	p.Waiting = func(what string) { said <- what }
	release := make(chan struct{})
	streamstest.Start(t, streamstest.Config(opts), extractGroup(t), topics.Pages(), startCopier(func(*streams.Record[*schema.Page]) error {
		<-release
		return nil
	}))
	log, err := streams.NewLog(opts)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	until(t, "the group has a member", func() bool { return log.Members(t.Context(), "extract") == 1 })
	waited := make(chan error, 1)
	go func() {
		time.Sleep(time.Second) // it checks once a second
		waited <- p.Wait(t.Context())
	}()
	if what := <-said; what == "" {
		t.Error("it does not say what it waits for")
	}
	close(release)
	if err := <-waited; err != nil {
		t.Error(err)
	}
}

const maxSeedLag = 5 * time.Second
