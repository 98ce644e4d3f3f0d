package streams_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"millrace/ops/cluster/clustertest"
	"millrace/schema"
	"millrace/streams"
	"millrace/streams/streamstest"
	"millrace/topics"
)

// ownership checks that a partition has one owner at a time.
type ownership struct {
	mu     sync.Mutex
	owner  map[int32]string
	seen   map[string]int
	broken []string
	all    chan struct{}
	want   int
}

func (o *ownership) take(p int32, member string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if was := o.owner[p]; was != "" {
		o.broken = append(o.broken, fmt.Sprintf("partition %d went to %s while %s had it", p, member, was))
	}
	o.owner[p] = member
}

func (o *ownership) leave(p int32) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.owner[p] = ""
}

func (o *ownership) handled(key string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.seen[key]++; o.seen[key] == 1 && len(o.seen) == o.want {
		close(o.all)
	}
}

// member is a Task that reports its start and end to ownership.
type member struct {
	streams.Plain[*schema.Page]
	name string
	p    *streams.Partition
	o    *ownership
}

func (m *member) Recover(context.Context) (int64, error) {
	m.o.take(m.p.ID(), m.name)
	return streams.Committed, nil
}

func (m *member) Handle(_ context.Context, r *streams.Record[*schema.Page]) error {
	m.o.handled(r.Value.RowKey)
	return nil
}

func (m *member) Revoke(context.Context, bool) { m.o.leave(m.p.ID()) }

func TestMembersComeAndGoAndEveryPartitionHasOneOwnerAtATime(t *testing.T) {
	t.Run("embedded", func(t *testing.T) { comeAndGo(t, streamstest.Options(t)) })
	t.Run("kafka", func(t *testing.T) {
		opts := streams.Options{Brokers: clustertest.KafkaAlone(t), Transactions: true}
		if err := streamstest.Clear(t.Context(), opts.Brokers); err != nil {
			t.Fatal(err)
		}
		layout := streams.Layout{PerHost: 4, PerSite: 4, Replicas: 1}
		if err := streams.Provision(t.Context(), opts, layout); err != nil {
			t.Fatal(err)
		}
		comeAndGo(t, opts)
	})
}

func comeAndGo(t *testing.T, opts streams.Options) {
	const pages, batches = 2000, 20
	o := &ownership{owner: map[int32]string{}, seen: map[string]int{}, all: make(chan struct{}), want: pages}
	g := topics.Group{Name: "extract", Reads: topics.Pages().Name}
	join := func(name string) (leave func()) {
		return streamstest.Start(t, streamstest.Config(opts), g, topics.Pages(),
			func(p *streams.Partition) streams.Task[*schema.Page] { return &member{name: name, p: p, o: o} })
	}
	leave := join("m0")
	for i := range batches {
		producePages(t, opts, i*pages/batches, (i+1)*pages/batches)
		if i%4 == 3 {
			next := join(fmt.Sprintf("m%d", i))
			leave()
			leave = next
		}
	}
	select {
	case <-o.all:
	case <-time.After(time.Minute):
		t.Fatalf("%d of %d records were handled", len(o.seen), pages)
	}
	leave()
	repeats := 0
	for _, n := range o.seen {
		repeats += n - 1
	}
	if len(o.broken) > 0 {
		t.Error(o.broken)
	}
	if repeats > 0 {
		t.Errorf("%d records were handled twice although nobody crashed", repeats)
	}
}
