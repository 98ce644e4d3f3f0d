package schedule

import (
	"slices"
	"testing"
	"time"

	"millrace/consumers/schedule/table"
	"millrace/schema"
	"millrace/streams/state"
)

// A process that ends before the hosts were counted again writes the sum that it read: it must be
// the one that stood there, however often that happens.
func TestCountsReadManyTimesStayThemselves(t *testing.T) {
	store := newMemory()
	want := normalCounts(&schema.CountsRow{Hosts: 2, Drops: []*schema.Count{{Name: "scope", N: 3}}})
	want.Statuses[schema.UrlRow_FETCHED] = 300
	for ts := int64(1); ts < 5; ts++ {
		err := store.Write(t.Context(), []state.Mutation{{
			Table: schema.ShardTable, TS: ts, Key: table.Counts(0), Cells: state.Cells{table.Encode(want)},
		}})
		if err != nil {
			t.Fatal(err)
		}
		c := newCounts(nil)
		if err := c.read(t.Context(), store, 0); err != nil {
			t.Fatal(err)
		}
		if got := c.row; !slices.Equal(got.Statuses, want.Statuses) || got.Hosts != 2 || len(got.Drops) != 1 {
			t.Fatalf("read %v, written %v", got, want)
		}
		want = c.row
	}
}

// A URL that moved to the queue of a better class is in two queues, and waits once.
func TestAHostCountsWhatWaitsOnce(t *testing.T) {
	w := newWorld(t, func(o *Options) { o.Delay = time.Hour })
	w.append(linksTo("com.example", ":http/a", ":http/b", ":http/c"))
	w.run()
	w.append(added("com.example", "seeds", &schema.AddItem{Url: "http://example.com/c"}))
	w.run()
	h, err := w.task.ledger.hosts.Get(t.Context(), "com.example")
	if err != nil {
		t.Fatal(err)
	}
	line := HostLine{Name: h.Name, Row: h.Row}
	if line.Waiting() != 3 || line.Entries() < line.Waiting() {
		t.Errorf("%d wait of 3, with %d entries", line.Waiting(), line.Entries())
	}
}
