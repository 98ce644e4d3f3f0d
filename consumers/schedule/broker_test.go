package schedule

import (
	"log/slog"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"millrace/schema"
	"millrace/streams"
	"millrace/streams/streamstest"
	"millrace/topics"
)

// On a broker, with the one loop: a member that takes over emits what is new and
// not what its predecessor has in flight.
func TestTakeOverOnABroker(t *testing.T) {
	opts := streamstest.Options(t)
	store := newMemory()
	group, err := topics.GroupNamed("schedule")
	if err != nil {
		t.Fatal(err)
	}
	canon, err := schema.NewCanonicalizer(schema.DefaultCanonOptions())
	if err != nil {
		t.Fatal(err)
	}
	start := func() (stop func()) {
		g, err := New(DefaultOptions(), Deps{Store: store, Canonicalizer: canon,
			Logger: slog.New(slog.DiscardHandler), Clock: time.Now})
		if err != nil {
			t.Fatal(err)
		}
		return streamstest.Start(t, streamstest.Config(opts), group, topics.Discovered(), g.Task)
	}
	seen := map[string]int{}
	emitted := func(want string) {
		clear(seen)
		streamstest.Tail(t, opts, topics.Scheduled().Name, func(r *kgo.Record) bool {
			m := &schema.Scheduled{}
			if err := m.UnmarshalVT(r.Value); err != nil {
				t.Fatal(err)
			}
			seen[m.RowKey]++
			return seen[want] > 0
		})
	}
	produce(t, opts, linksTo("com.example", ":http/a"), linksTo("org.example", ":http/b"))
	stop := start()
	emitted("com.example:http/a")
	stop()
	stop = start()
	defer stop()
	neighbour := "net.example"
	for topics.Partition(neighbour, 4) != topics.Partition("com.example", 4) {
		neighbour += "e"
	}
	produce(t, opts, linksTo("com.example", ":http/a"), linksTo(schema.Host(neighbour), ":http/c"))
	emitted(neighbour + ":http/c")
	if seen["com.example:http/a"] != 1 {
		t.Errorf("emitted %v", seen)
	}
}

func produce(t *testing.T, opts streams.Options, list ...*schema.Discovered) {
	t.Helper()
	cl, err := kgo.NewClient(kgo.SeedBrokers(opts.Brokers...), kgo.RecordPartitioner(kgo.ManualPartitioner()))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	for _, m := range list {
		r := &kgo.Record{Topic: topics.Discovered().Name, Key: []byte(m.Host), Value: streams.Encode(m),
			Partition: topics.Partition(m.Host, 4)}
		if err := cl.ProduceSync(t.Context(), r).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
}
