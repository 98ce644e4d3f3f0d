package streams_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"go.uber.org/goleak"

	"millrace/schema"
	"millrace/streams"
	"millrace/streams/streamstest"
	"millrace/topics"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// copier is the smallest Task: a page becomes an Extracted.
type copier struct {
	streams.Plain[*schema.Page]
	out  streams.Emitter[*schema.Extracted]
	seen func(*streams.Record[*schema.Page]) error
}

func (c *copier) Handle(_ context.Context, r *streams.Record[*schema.Page]) error {
	c.out.Send(&schema.Extracted{Body: &schema.Extracted_Gone{Gone: &schema.Gone{RowKey: r.Value.RowKey, Site: r.Value.Site}}})
	return c.seen(r)
}

func startCopier(seen func(*streams.Record[*schema.Page]) error) func(*streams.Partition) streams.Task[*schema.Page] {
	return func(p *streams.Partition) streams.Task[*schema.Page] {
		return &copier{out: streams.NewEmitter(p, "extract", topics.Extracted()), seen: seen}
	}
}

func extractGroup(t *testing.T) topics.Group {
	g, err := topics.GroupNamed("extract")
	if err != nil {
		t.Fatal(err)
	}
	return g
}

func page(i int) *schema.Page {
	return &schema.Page{RowKey: fmt.Sprintf("test.h%d:http/%d", i%7, i), Site: fmt.Sprintf("h%d.test", i%7), Rev: 1}
}

func producePages(t *testing.T, opts streams.Options, from, to int) {
	t.Helper()
	p, err := streams.NewProducer(t.Context(), opts, "test", topics.Pages())
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	var pages []*schema.Page
	for i := from; i < to; i++ {
		pages = append(pages, page(i))
	}
	if err := p.Send(t.Context(), pages...); err != nil {
		t.Fatal(err)
	}
}

// wantKeys waits until every page has an output.
func wantKeys(t *testing.T, opts streams.Options, n int) {
	t.Helper()
	missing := map[string]bool{}
	for i := range n {
		missing[page(i).RowKey] = true
	}
	if n == 0 {
		return
	}
	streamstest.Tail(t, opts, topics.Extracted().Name, func(r *kgo.Record) bool {
		delete(missing, string(r.Key))
		return len(missing) == 0
	})
}

// wantIdle waits until the group's lag is zero records and zero seconds (I10).
func wantIdle(t *testing.T, opts streams.Options, group string) {
	t.Helper()
	log, err := streams.NewLog(opts)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	deadline := time.Now().Add(time.Minute)
	for {
		for _, g := range log.Lag(t.Context()).Groups {
			if g.Group == group && g.Records == 0 && g.Seconds == 0 {
				return
			}
		}
		if time.Now().After(deadline) {
			t.Fatalf("group %s never became idle: %+v", group, log.Lag(t.Context()))
		}
	}
}

func TestEveryRecordIsHandledAndTheLagReturnsToZero(t *testing.T) {
	opts := streamstest.Options(t)
	producePages(t, opts, 0, 300)
	streamstest.Start(t, streamstest.Config(opts), extractGroup(t), topics.Pages(),
		startCopier(func(*streams.Record[*schema.Page]) error { return nil }))
	wantKeys(t, opts, 300)
	wantIdle(t, opts, "extract")
}

func TestAFailedHandleIsRetriedAndWhatItSentIsTakenBack(t *testing.T) {
	opts := streamstest.Options(t)
	producePages(t, opts, 0, 1)
	tries := 0
	streamstest.Start(t, streamstest.Config(opts), extractGroup(t), topics.Pages(),
		startCopier(func(*streams.Record[*schema.Page]) error {
			if tries++; tries < 2 {
				return errors.New("the store does not answer")
			}
			return nil
		}))
	wantKeys(t, opts, 1)
	wantIdle(t, opts, "extract")
	log, err := streams.NewLog(opts)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	var total int64
	for p := range int32(4) {
		end, err := log.End(t.Context(), topics.Extracted().Name, p)
		if err != nil {
			t.Fatal(err)
		}
		total += end
	}
	if total != 1 {
		t.Errorf("%d outputs for one record", total)
	}
}

func TestARecordThatCannotBeHandledBecomesADeadLetterAndThePartitionGoesOn(t *testing.T) {
	opts := streamstest.Options(t)
	producePages(t, opts, 0, 50)
	bad := page(13).RowKey
	streamstest.Start(t, streamstest.Config(opts), extractGroup(t), topics.Pages(),
		startCopier(func(r *streams.Record[*schema.Page]) error {
			if r.Value.RowKey == bad {
				panic("cannot be")
			}
			return nil
		}))
	streamstest.Tail(t, opts, topics.DeadLetters().Name, func(r *kgo.Record) bool {
		headers := map[string]string{}
		for _, h := range r.Headers {
			headers[h.Key] = string(h.Value)
		}
		if headers["kind"] != "panic" || headers["group"] != "extract" || headers["topic"] != "pages.fetched" {
			t.Errorf("dead letter says %v", headers)
		}
		var p schema.Page
		if err := p.UnmarshalVT(r.Value); err != nil || p.RowKey != bad {
			t.Errorf("dead letter holds %v, %v", &p, err)
		}
		return true
	})
	wantIdle(t, opts, "extract")
}

func TestARecordInTheWrongPartitionIsHandledByItsOwner(t *testing.T) {
	opts := streamstest.Options(t)
	m := page(3)
	right := topics.Partition("test.h3", 4)
	cl, err := kgo.NewClient(kgo.SeedBrokers(opts.Brokers...), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	err = cl.ProduceSync(t.Context(), &kgo.Record{
		Topic: topics.Pages().Name, Partition: (right + 1) % 4, Key: []byte("test.h3"), Value: streams.Encode(m),
	}).FirstErr()
	if err != nil {
		t.Fatal(err)
	}
	handled := make(chan int32, 10)
	streamstest.Start(t, streamstest.Config(opts), extractGroup(t), topics.Pages(),
		startCopier(func(r *streams.Record[*schema.Page]) error {
			handled <- r.Partition
			return nil
		}))
	if got := <-handled; got != right {
		t.Errorf("handled in partition %d, its host's is %d", got, right)
	}
}

// holder is an Async Task that keeps records open until the test releases them.
type holder struct {
	streams.Plain[*schema.Page]
	p    *streams.Partition
	take func(*streams.Partition, *streams.Record[*schema.Page])
}

func (h *holder) Handle(_ context.Context, r *streams.Record[*schema.Page]) error {
	h.take(h.p, r)
	return nil
}

func TestATakeoverRepeatsOnlyWhatWasNotDone(t *testing.T) {
	opts := streamstest.Options(t)
	const n = 400
	producePages(t, opts, 0, n)
	g := topics.Group{Name: "async", Reads: topics.Pages().Name, Delivery: topics.Async}
	run := func(take func(*streams.Partition, *streams.Record[*schema.Page])) (stop func()) {
		return streamstest.Start(t, streamstest.Config(opts), g, topics.Pages(),
			func(p *streams.Partition) streams.Task[*schema.Page] { return &holder{p: p, take: take} })
	}
	var mu sync.Mutex
	held := map[string]bool{}
	all := make(chan struct{})
	seen := 0
	stop := run(func(p *streams.Partition, r *streams.Record[*schema.Page]) {
		mu.Lock()
		defer mu.Unlock()
		if r.Offset%10 == 0 { // the lowest offset of every partition stays open
			held[r.Value.RowKey] = true
		} else {
			p.Done(r.Offset)
		}
		if seen++; seen == n {
			close(all)
		}
	})
	<-all
	stop()
	again := make(chan string, n)
	run(func(p *streams.Partition, r *streams.Record[*schema.Page]) {
		again <- r.Value.RowKey
		p.Done(r.Offset)
	})
	for len(held) > 0 {
		key := <-again
		if !held[key] {
			t.Fatalf("%s was done and came again", key)
		}
		delete(held, key)
	}
}

// What the map does not say that a group writes is refused, whether it is staged or sent at once,
// and the dead letter says which topic it was for.
func TestAnUndeclaredOutputIsRefused(t *testing.T) {
	opts := streamstest.Options(t)
	producePages(t, opts, 0, 1)
	g := topics.Group{Name: "sly", Reads: topics.Pages().Name}
	atOnce := make(chan error, 10)
	streamstest.Start(t, streamstest.Config(opts), g, topics.Pages(), func(p *streams.Partition) streams.Task[*schema.Page] {
		out := streams.NewEmitter(p, "sly", topics.Extracted())
		return &copier{out: out, seen: func(*streams.Record[*schema.Page]) error {
			out.SendNow(&schema.Extracted{Body: &schema.Extracted_Doc{Doc: &schema.Doc{RowKey: "test.h:http/", Site: "h.test", Rev: 1}}},
				func(err error) { atOnce <- err })
			return nil
		}}
	})
	var letter map[string]string
	streamstest.Tail(t, opts, topics.DeadLetters().Name, func(r *kgo.Record) bool {
		letter = map[string]string{}
		for _, h := range r.Headers {
			letter[h.Key] = string(h.Value)
		}
		return true
	})
	if letter["kind"] != "undeclared" || letter["group"] != "sly" || !strings.Contains(letter["error"], topics.Extracted().Name) {
		t.Errorf("the dead letter says %v", letter)
	}
	var refused *streams.DeadLetterError
	if err := <-atOnce; !errors.As(err, &refused) || refused.Kind != "undeclared" {
		t.Errorf("sent at once: %v", err)
	}
	log, err := streams.NewLog(opts)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	ends, err := log.Ends(t.Context(), topics.Extracted().Name)
	if err != nil {
		t.Fatal(err)
	}
	for p, end := range ends {
		if end > 0 {
			t.Errorf("partition %d of the topic has %d records", p, end)
		}
	}
}
