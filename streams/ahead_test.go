package streams_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"millrace/schema"
	"millrace/streams"
	"millrace/streams/streamstest"
	"millrace/topics"
)

// A member that looks ahead handles what somebody waits for before the other records of its
// partition, and each of them once, also if some fail at first. What it does out of order is in its
// commit.
func TestWhatSomebodyWaitsForIsHandledFirst(t *testing.T) {
	const pages, waited, fails = 200, 199, 17 // fewer than the bound of docs.extracted, which nobody reads
	opts := streamstest.Options(t)
	p, err := streams.NewProducer(t.Context(), opts, "test", topics.Pages())
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	var list []*schema.Page
	for i := range pages { // of one host, so in one partition
		m := &schema.Page{RowKey: fmt.Sprintf("test.a:http/%d", i), Site: "a.test", Rev: 1}
		if i == waited {
			m.ListedAt = 1
		}
		list = append(list, m)
	}
	if err := p.Send(t.Context(), list...); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var order []string
	failed := 0
	streamstest.Start(t, streamstest.Config(opts), extractGroup(t), topics.Pages(),
		startCopier(func(r *streams.Record[*schema.Page]) error {
			mu.Lock()
			defer mu.Unlock()
			if r.Value.RowKey == list[fails].RowKey && failed < 2 {
				failed++
				return errors.New("not now")
			}
			order = append(order, r.Value.RowKey)
			return nil
		}))
	wantIdle(t, opts, "extract")
	mu.Lock()
	defer mu.Unlock()
	if at := slices.Index(order, list[waited].RowKey); at > pages/2 {
		t.Errorf("it was handled after %d others", at)
	}
	slices.Sort(order)
	if len(order) != pages || len(slices.Compact(order)) != pages {
		t.Errorf("%d of %d records were handled", len(order), pages)
	}
}

// noter is a Task that notes which records it handles, in order.
type noter struct {
	streams.Plain[*schema.Unique]
	handle func(*streams.Record[*schema.Unique]) error
}

func (n *noter) Handle(_ context.Context, r *streams.Record[*schema.Unique]) error {
	return n.handle(r)
}

// The index takes the partition first that has a document which somebody waits for, while as many
// records wait that they take many rounds. The order of each partition stays, also where
// records fail at first, and the other partitions have their half meanwhile: who pushes pages does
// not stop the index for others.
func TestAPartitionThatSomebodyWaitsForComesFirst(t *testing.T) {
	const each, urgent, fails = 1000, 600, 950
	opts := streamstest.Options(t)
	log, err := streams.NewLog(opts)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	count, err := log.Partitions(t.Context(), topics.Unique().Name)
	if err != nil {
		t.Fatal(err)
	}
	waits := func(p int32) bool { return p == count-1 }
	var list []streams.Send
	for p := range count {
		for i := range each {
			m := &schema.Unique{Doc: &schema.Doc{RowKey: fmt.Sprintf("test.a:http/%d", i)}}
			var headers []streams.Header
			if waits(p) && i == urgent {
				headers = []streams.Header{{Key: "urgent", Value: []byte("1")}}
			}
			list = append(list, streams.Send{Topic: topics.Unique().Name, Partition: p, Key: m.Doc.RowKey, Value: streams.Encode(m), Headers: headers})
		}
	}
	if err := streams.Append(t.Context(), opts, list...); err != nil {
		t.Fatal(err)
	}
	g, err := topics.GroupNamed("index")
	if err != nil {
		t.Fatal(err)
	}
	g.Delivery = topics.Ordered // it keeps no offset of its own here
	var mu sync.Mutex
	var all, others int // records handled until the urgent one was
	next, failed, open := map[int32]int64{}, 0, 1
	streamstest.Start(t, streamstest.Config(opts), g, topics.Unique(), func(p *streams.Partition) streams.Task[*schema.Unique] {
		return &noter{handle: func(r *streams.Record[*schema.Unique]) error {
			mu.Lock()
			defer mu.Unlock()
			if open == 0 && r.Offset == fails && failed < 2 {
				failed++
				return errors.New("not now")
			}
			if r.Offset != next[r.Partition] {
				t.Errorf("partition %d: record %d after %d", r.Partition, r.Offset, next[r.Partition]-1)
			}
			next[r.Partition] = r.Offset + 1
			if open > 0 {
				all++
				if !waits(r.Partition) {
					others++
				}
			}
			if waits(r.Partition) && r.Offset == urgent {
				open--
			}
			return nil
		}}
	})
	wantIdle(t, opts, "index")
	mu.Lock()
	defer mu.Unlock()
	for p := range count {
		if next[p] != each {
			t.Errorf("partition %d: %d of %d records were handled", p, next[p], each)
		}
	}
	if most := int(count) * each / 2; all > most {
		t.Errorf("%d records were handled until the one that somebody waits for was, want at most %d", all, most)
	}
	if least := urgent / 4; others < least {
		t.Errorf("%d records of other partitions were handled meanwhile, want at least %d", others, least)
	}
}
