package streams_test

import (
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
