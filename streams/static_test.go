package streams_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"millrace/ops/cluster/clustertest"
	"millrace/schema"
	"millrace/streams"
	"millrace/streams/streamstest"
	"millrace/topics"
)

// moves counts how often a member of a group is given a partition, and tells of each time.
type moves struct {
	mu    sync.Mutex
	given map[string]int
	news  chan struct{}
}

func (m *moves) count(name string) int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.given[name]
}

// owner is a Task that counts.
type owner struct {
	streams.Plain[*schema.Page]
	name string
	all  *moves
}

// Recover implements streams.Task.
func (o *owner) Recover(context.Context) (int64, error) {
	o.all.mu.Lock()
	o.all.given[o.name]++
	o.all.mu.Unlock()
	select {
	case o.all.news <- struct{}{}:
	default:
	}
	return streams.Committed, nil
}

// Handle implements streams.Task.
func (*owner) Handle(context.Context, *streams.Record[*schema.Page]) error { return nil }

// TestARestartOfAStaticMemberMovesNothing: two members share four partitions, one is started again.
// With a name that stays (KIP-345) it gets its two back and the other's are not touched; without,
// the other takes all four over meanwhile.
func TestARestartOfAStaticMemberMovesNothing(t *testing.T) {
	kafka := clustertest.KafkaAlone(t)
	if err := streamstest.Clear(t.Context(), kafka); err != nil {
		t.Fatal(err)
	}
	opts := streams.Options{Brokers: kafka, Transactions: true}
	if err := streams.Provision(t.Context(), opts, streams.Layout{PerHost: 4, PerSite: 4, Replicas: 1}); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		group       string
		static      bool
		consumer    bool // protocol: the brokers divide the partitions (KIP-848)
		stays, back int  // partitions given to the member that stays, and to the one that comes back
	}{
		{"extract", true, false, 0, 2},
		{"feeds", false, false, 2, 2},
		{"sitemaps", true, true, 0, 2},
	} {
		t.Run(c.group, func(t *testing.T) {
			if c.consumer {
				cl, err := kgo.NewClient(kgo.SeedBrokers(kafka...))
				if err != nil {
					t.Fatal(err)
				}
				defer cl.Close()
				configure(t, cl, c.group, kmsg.IncrementalAlterConfigOpSet, time.Minute)
				defer configure(t, cl, c.group, kmsg.IncrementalAlterConfigOpDelete, time.Minute)
			}
			all := &moves{given: map[string]int{}, news: make(chan struct{}, 1)}
			join := func(name string) (leave func()) {
				cfg := streamstest.Config(opts)
				cfg.Member, cfg.Static, cfg.ConsumerProtocol, cfg.Session = name, c.static, c.consumer, time.Minute // a slow machine expels nobody
				return streamstest.Start(t, cfg, topics.Group{Name: c.group, Reads: topics.Pages().Name}, topics.Pages(),
					func(*streams.Partition) streams.Task[*schema.Page] { return &owner{name: name, all: all} })
			}
			join("stays")
			all.await(t, func() bool { return all.count("stays") == 4 })
			leave := join("goes")
			all.await(t, func() bool { return all.count("goes") == 2 })
			before := all.count("stays")
			leave()
			if !c.static {
				all.await(t, func() bool { return all.count("stays") == before+c.stays })
			}
			join("goes")
			all.await(t, func() bool { return all.count("goes") == 2+c.back })
			if moved := all.count("stays") - before; moved != c.stays {
				t.Errorf("%+v: the member that stays was given %d partitions while the other was started again, want %d", c, moved, c.stays)
			}
		})
	}
}

// await returns when done says so; it asks at each partition that is given.
func (m *moves) await(t *testing.T, done func() bool) {
	t.Helper()
	limit := time.After(3 * time.Minute)
	for !done() {
		select {
		case <-m.news:
		case <-limit:
			t.Fatalf("what was waited for did not come: %v", m.given)
		}
	}
}
