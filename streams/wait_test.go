package streams_test

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

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
	pages := pagesOfOneSite(t, opts)
	pages(2000)
	streamstest.Start(t, cfg, extractGroup(t), topics.Pages(), startCopier(func(*streams.Record[*schema.Page]) error {
		handled.Add(1)
		return nil
	}))
	until(t, cfg.Meter, "extract waits for the partition that it writes to", func() bool { return len(cfg.Meter.Held("extract")) > 0 })
	if h := cfg.Meter.Held("extract")[0]; h.Reader != "dedupe" || h.Topic != topics.Extracted().Name || h.Unread <= h.Bound {
		t.Errorf("it says: %s", h)
	}
	before := handled.Load()
	for range 300 { // one by one: without a wait nearly all would be handled when the last is there
		pages(1)
	}
	if now := handled.Load() - before; now > 150 {
		t.Errorf("%d of 300 records were taken while the reader was behind", now)
	}
	readAll(t, opts, "dedupe", topics.Extracted().Name)
	until(t, cfg.Meter, "all records are handled", func() bool {
		readAll(t, opts, "dedupe", topics.Extracted().Name)
		return handled.Load() >= 2300
	})
}

// pagesOfOneSite returns a function that appends further pages, all to one partition: with several,
// which of them the group had written to when it began to wait would be a matter of time.
func pagesOfOneSite(t *testing.T, opts streams.Options) func(n int) {
	out, err := streams.NewProducer(t.Context(), opts, "test", topics.Pages())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(out.Close)
	next := 0
	return func(n int) {
		var list []*schema.Page
		for range n {
			list = append(list, page(7*next)) // page has seven sites
			next++
		}
		if err := out.Send(t.Context(), list...); err != nil {
			t.Fatal(err)
		}
	}
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

// until waits until something is true of a member that m counts for: it looks whenever m changes.
func until(t *testing.T, m *streams.Meter, what string, is func() bool) {
	t.Helper()
	late := time.After(time.Minute)
	for {
		changed := m.Changed()
		if is() {
			return
		}
		select {
		case <-changed:
		case <-late:
			t.Fatalf("never: %s", what)
		}
	}
}

// A producer appends at once if no group reads the topic, and waits for a reader that is behind.
func TestAProducerWaitsOnlyForWhoRuns(t *testing.T) {
	opts := streamstest.Options(t)
	appendOld(t, opts)
	newProducer := func() *streams.Producer[*schema.Page] { // a producer looks at its readers once a second, a new one at once
		p, err := streams.NewProducer(t.Context(), opts, "test", topics.Pages())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(p.Close)
		return p
	}
	if err := newProducer().Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	p := newProducer()
	said := make(chan string, 100)
	p.Waiting = func(what string) { said <- what }
	joined, release := make(chan struct{}, 4), make(chan struct{})
	copies := startCopier(func(*streams.Record[*schema.Page]) error {
		<-release
		return nil
	})
	streamstest.Start(t, streamstest.Config(opts), extractGroup(t), topics.Pages(), func(p *streams.Partition) streams.Task[*schema.Page] {
		joined <- struct{}{}
		return copies(p)
	})
	<-joined
	waited := make(chan error, 1)
	go func() { waited <- p.Wait(t.Context()) }()
	if what := <-said; what == "" {
		t.Error("it does not say what it waits for")
	}
	close(release)
	if err := <-waited; err != nil {
		t.Error(err)
	}
}

// appendOld appends a page that has waited for longer than a source of URLs lets its readers be
// behind.
func appendOld(t *testing.T, opts streams.Options) {
	t.Helper()
	cl, err := kgo.NewClient(kgo.SeedBrokers(opts.Brokers...), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	place := topics.Pages().Place(page(1))
	r := &kgo.Record{Topic: topics.Pages().Name, Key: []byte(place.Key), Value: streams.Encode(page(1)),
		Partition: topics.Partition(place.Route, 4), Timestamp: time.Now().Add(-time.Minute)}
	if err := cl.ProduceSync(t.Context(), r).FirstErr(); err != nil {
		t.Fatal(err)
	}
}
