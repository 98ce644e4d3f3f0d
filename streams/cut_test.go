package streams_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"millrace/ops/cluster/clustertest"
	"millrace/schema"
	"millrace/streams"
	"millrace/streams/embedded"
	"millrace/streams/streamstest"
	"millrace/topics"
)

// eraSeen is a Task that reports the records that it handles, with their era.
type eraSeen struct {
	streams.Plain[*schema.Page]
	p    *streams.Partition
	own  *int64 // where an Own group begins; nil: at the commit
	seen func(p *streams.Partition, r *streams.Record[*schema.Page])
}

func (e *eraSeen) Recover(context.Context) (int64, error) {
	if e.own != nil {
		return *e.own, nil
	}
	return streams.Committed, nil
}

func (e *eraSeen) Handle(_ context.Context, r *streams.Record[*schema.Page]) error {
	e.seen(e.p, r)
	return nil
}

// handled runs a group until it has handled n records, and returns their keys and eras.
func handled(t *testing.T, cfg streams.Config, g topics.Group, n int) map[string]int64 {
	t.Helper()
	out := map[string]int64{}
	var mu sync.Mutex
	all := make(chan struct{})
	stop := streamstest.Start(t, cfg, g, topics.Pages(), func(p *streams.Partition) streams.Task[*schema.Page] {
		return &eraSeen{p: p, seen: func(p *streams.Partition, r *streams.Record[*schema.Page]) {
			mu.Lock()
			defer mu.Unlock()
			if out[r.Value.RowKey] = p.Era(); len(out) == n {
				close(all)
			}
			p.Done(r.Offset)
		}}
	})
	<-all
	wantIdle(t, cfg.Kafka, g.Name)
	stop()
	return out
}

// hostPages appends pages [from, to) of one host, each in its own batch.
func hostPages(t *testing.T, opts streams.Options, from, to int) {
	t.Helper()
	p, err := streams.NewProducer(t.Context(), opts, "test", topics.Pages())
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for i := from; i < to; i++ {
		if err := p.Send(t.Context(), &schema.Page{RowKey: "test.h:http/" + string(rune('A'+i)), Site: "h.test", Rev: 1}); err != nil {
			t.Fatal(err)
		}
	}
}

func segmentOf(dir string) string {
	p := topics.Partition("test.h", 4)
	return filepath.Join(dir, "partitions", topics.Pages().Name+"-"+string(rune('0'+p)), "0.dat")
}

func openDir(t *testing.T, dir string) (streams.Options, func()) {
	t.Helper()
	b, err := embedded.Open(dir, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	opts := streams.Options{Brokers: b.Addrs(), Dial: b.Dial, MachineStart: "m"}
	if err := streams.Provision(t.Context(), opts, streams.DefaultLayout(true)); err != nil {
		t.Fatal(err)
	}
	return opts, b.Close
}

// When a log lost its end, a new era begins: its new records have offsets that were read before,
// and all of them are handled, with every kind of delivery.
func TestRecordsOfALogThatLostItsEndAreHandled(t *testing.T) {
	for name, delivery := range map[string]topics.Delivery{"ordered": topics.Ordered, "async": topics.Async, "transactional": topics.Transactional} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			marks := &streamstest.Marks{}
			g := topics.Group{Name: "extract", Reads: topics.Pages().Name, Delivery: delivery}
			opts, end := openDir(t, dir)
			hostPages(t, opts, 0, 7)
			cut, err := os.Stat(segmentOf(dir))
			if err != nil {
				t.Fatal(err)
			}
			hostPages(t, opts, 7, 10)
			cfg := streamstest.Config(opts)
			cfg.Marks = marks
			for key, era := range handled(t, cfg, g, 10) {
				if era != 1 {
					t.Errorf("%s: era %d before anything happened", key, era)
				}
			}
			end()
			if err := os.Truncate(segmentOf(dir), cut.Size()); err != nil {
				t.Fatal(err)
			}
			opts, end = openDir(t, dir)
			defer end()
			changes, err := streams.CheckLogs(t.Context(), opts, marks)
			if err != nil || len(changes) != 1 || changes[0].Group != "extract" || changes[0].From != 10 || changes[0].To != 7 {
				t.Fatalf("changes %v, %v: want one, of extract, from 10 to 7", changes, err)
			}
			hostPages(t, opts, 20, 25) // past the old end
			cfg = streamstest.Config(opts)
			cfg.Marks = marks
			for key, era := range handled(t, cfg, g, 5) {
				if era != 2 {
					t.Errorf("%s: era %d in a log that was cut", key, era)
				}
			}
			if changes, err := streams.CheckLogs(t.Context(), opts, marks); err != nil || len(changes) > 0 {
				t.Errorf("changes again: %v, %v", changes, err)
			}
		})
	}
}

// A topic that is deleted and made anew while its group runs ends the member; the next one begins
// a new era at the beginning of the new topic.
func TestATopicMadeAnewIsReadFromItsBeginning(t *testing.T) {
	t.Run("embedded", func(t *testing.T) { madeAnew(t, streamstest.Options(t), 1) })
	t.Run("kafka", func(t *testing.T) { madeAnew(t, kafkaAlone(t), 1) })
}

func kafkaAlone(t *testing.T) streams.Options {
	opts := streams.Options{Brokers: clustertest.KafkaAlone(t), Transactions: true}
	if err := streamstest.Clear(t.Context(), opts.Brokers); err != nil {
		t.Fatal(err)
	}
	if err := streams.Provision(t.Context(), opts, streams.Layout{PerHost: 4, PerSite: 4, Replicas: 1}); err != nil {
		t.Fatal(err)
	}
	return opts
}

func madeAnew(t *testing.T, opts streams.Options, replicas int16) {
	cfg := streamstest.Config(opts)
	cfg.Marks = &streamstest.Marks{}
	g := topics.Group{Name: "extract", Reads: topics.Pages().Name}
	seen := make(chan string, 100)
	var mu sync.Mutex
	eras := map[string]int64{}
	start := func(p *streams.Partition) streams.Task[*schema.Page] {
		return &eraSeen{p: p, seen: func(p *streams.Partition, r *streams.Record[*schema.Page]) {
			mu.Lock()
			eras[r.Value.RowKey] = p.Era()
			mu.Unlock()
			seen <- r.Value.RowKey
		}}
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- streams.Run(ctx, cfg, g, topics.Pages(), start) }()
	hostPages(t, opts, 0, 5)
	for range 5 {
		<-seen
	}
	recreate(t, opts, topics.Pages().Name, replicas)
	hostPages(t, opts, 20, 28)
	var changed *streams.LogChangedError
	if err := <-done; !errors.As(err, &changed) {
		t.Errorf("the member ended with %v", err)
	}
	go func() { done <- streams.Run(ctx, cfg, g, topics.Pages(), start) }()
	for range 8 {
		key := <-seen
		mu.Lock()
		era := eras[key]
		mu.Unlock()
		if era != 2 {
			t.Errorf("%s was handled in era %d", key, era)
		}
	}
	cancel()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

// recreate deletes a topic and makes it anew under the same name.
func recreate(t *testing.T, opts streams.Options, topic string, replicas int16) {
	t.Helper()
	cl, err := kgo.NewClient(append([]kgo.Opt{kgo.SeedBrokers(opts.Brokers...)}, opts.Client...)...)
	if err != nil {
		t.Fatal(err)
	}
	adm := kadm.NewClient(cl)
	defer adm.Close()
	if _, err := adm.DeleteTopic(t.Context(), topic); err != nil {
		t.Fatal(err)
	}
	made := false
	for {
		if !made {
			_, err = adm.CreateTopic(t.Context(), 4, replicas, nil, topic)
			made = err == nil
		}
		if made { // the broker that is asked may hear of it a moment later
			var now kadm.TopicDetails
			if now, err = adm.ListTopics(t.Context(), topic); err == nil {
				err = now[topic].Err
			}
			if err == nil {
				return
			}
		}
		if t.Context().Err() != nil {
			t.Fatal(err)
		}
	}
}

// Records that are missing in the middle of the embedded log, after damage, are counted and logged;
// those around them are handled.
func TestAHoleInTheLogIsCounted(t *testing.T) {
	dir := t.TempDir()
	opts, end := openDir(t, dir)
	part := fillPages(t, opts, topics.Feeds(), 24)
	end()
	files, err := filepath.Glob(filepath.Join(dir, "partitions", topics.Feeds().Name+"-"+string(rune('0'+part)), "*.dat"))
	if err != nil || len(files) < 3 {
		t.Fatalf("%d segments, %v: the test needs three", len(files), err)
	}
	var bases []int
	for _, f := range files {
		base, err := strconv.Atoi(strings.TrimSuffix(filepath.Base(f), ".dat"))
		if err != nil {
			t.Fatal(err)
		}
		bases = append(bases, base)
	}
	slices.Sort(bases)
	if err := os.Remove(filepath.Join(filepath.Dir(files[0]), strconv.Itoa(bases[1])+".dat")); err != nil {
		t.Fatal(err)
	}
	opts, end = openDir(t, dir)
	defer end()
	cfg := streamstest.Config(opts)
	cfg.Marks = &streamstest.Marks{}
	var n atomic.Int64
	stop := streamstest.Start(t, cfg, topics.Group{Name: "feeds", Reads: topics.Feeds().Name}, topics.Feeds(), func(p *streams.Partition) streams.Task[*schema.Page] {
		return &eraSeen{p: p, seen: func(*streams.Partition, *streams.Record[*schema.Page]) { n.Add(1) }}
	})
	hole := int64(bases[2] - bases[1])
	until(t, cfg.Meter, "all that is left is handled", func() bool { return n.Load() == 24-hole })
	wantIdle(t, opts, "feeds")
	stop()
	if lost := cfg.Meter.Value("feeds", "lost", topics.Feeds().Name); lost != hole {
		t.Errorf("%d counted as lost, the hole has %d", lost, hole)
	}
}
