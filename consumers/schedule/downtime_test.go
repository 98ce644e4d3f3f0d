package schedule

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"millrace/consumers/schedule/hosts"
	"millrace/consumers/schedule/policy"
	"millrace/consumers/schedule/table"
	"millrace/schema"
	"millrace/streams/state"
	"millrace/streams/state/embedded"
)

// counting counts what a store is asked.
type counting struct {
	state.Store
	slices, writes, drops int
}

func (c *counting) Slice(ctx context.Context, t *schema.Table, p state.Key, from []state.Value, limit int) ([]state.Row, error) {
	c.slices++
	return c.Store.Slice(ctx, t, p, from, limit)
}

func (c *counting) Write(ctx context.Context, groups ...[]state.Mutation) error {
	c.writes++
	return c.Store.Write(ctx, groups...)
}

func (c *counting) DropAll(ctx context.Context, list []state.Dropping) error {
	c.drops++
	return state.DropAll(ctx, c.Store, list)
}

// fetchedWorld writes what a crawl leaves: so many hosts with ten fetched pages each,
// due again over the week from now.
func fetchedWorld(t testing.TB, store state.Store, hostCount int, now time.Time) {
	ctx := context.Background()
	shards := map[int]*schema.ShardRow{}
	var urls, later, rows []state.Mutation
	flush := func() {
		if err := store.Write(ctx, later, rows, urls); err != nil {
			t.Fatal(err)
		}
		urls, later, rows = nil, nil, nil
	}
	start := now.UnixMilli()
	for i := range hostCount {
		h := schema.Host(fmt.Sprintf("com.h%d", i))
		shard := schema.Shard(h)
		shards[shard] = &schema.ShardRow{At: 1, Slot: start / 600_000, Open: start / 600_000}
		row := table.Normal(&schema.HostRow{At: 1, Site: string(schema.SiteOf(h.Name())), TierUrls: []int64{10},
			Contacted: true, FirstAt: 1, Fetched: 10}, policy.Classes, hosts.Budgets)
		row.Statuses[schema.UrlRow_FETCHED] = 10
		rows = append(rows, state.Mutation{Table: schema.HostTable, TS: 1, Key: table.Host(h), Cells: state.Cells{table.Encode(row)}})
		for k := range 10 {
			path := fmt.Sprintf(":http/p%d", k)
			due := start + int64(i*10+k)*7919%(7*24*3600*1000)
			slot := due / 600_000
			u := &schema.UrlRow{At: 1, Status: schema.UrlRow_FETCHED, Rev: 5, Class: 5, Kind: schema.Kind_PAGE, NextDue: due}
			urls = append(urls, state.Mutation{Table: schema.URLTable, TS: 1, Cells: state.Cells{table.Encode(u)},
				Key: append(table.URLs(h, table.PlaceOf(path, 0)), state.Str(path))})
			later = append(later, state.Mutation{Table: schema.Later, TS: 1, Cells: state.Cells{state.Num(5), state.Num(5)},
				Key: append(table.Later(shard, (slot+int64(shard)%144)/144), state.Num(slot), state.Str(string(h)), state.Str(path))})
		}
		if len(urls) >= 10_000 {
			flush()
		}
	}
	for shard, row := range shards {
		rows = append(rows, state.Mutation{Table: schema.ShardTable, TS: 1, Key: table.Shard(shard), Cells: state.Cells{table.Encode(row)}})
	}
	flush()
}

// After a week without a process emission begins before the hosts and the wheel are
// read wholly, and all that is due is moved with a cost that is linear in it: not a
// read, a write or a sync for every slot of every shard. MILLRACE_DOWNTIME_HOSTS
// makes it larger; it logs what it took.
func TestAWeekOfDowntime(t *testing.T) {
	n := 3000
	if s := os.Getenv("MILLRACE_DOWNTIME_HOSTS"); s != "" {
		n, _ = strconv.Atoi(s)
	}
	store, err := embedded.Open(t.TempDir(), embedded.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	began := time.UnixMilli(1_700_000_000_000)
	fetchedWorld(t, store, n, began)
	t.Logf("%d URLs written", 10*n)
	c := &counting{Store: store}
	start := time.Now()
	w := &world{t: t, opts: DefaultOptions(), clock: began.Add(7*24*time.Hour + time.Hour), n: 1, done: map[int]bool{},
		drops: map[string]int{}, effects: -1}
	w.store = &crashing{Store: c, w: w}
	w.opts.InFlightLeast = 16_000
	w.start()
	var first time.Duration
	read := 0
	for w.task.ledger.counts.row.Hosts == 0 || w.committed < len(w.in) || w.task.ledger.wheel.Chain() != 0 || !w.task.ledger.counts.whole {
		if err := w.round(100); err != nil {
			t.Fatal(err)
		}
		if len(w.out) > 0 && first == 0 {
			first, read = time.Since(start), w.task.ledger.counts.shard
			t.Logf("first emission after %s, with %d of %d shards read", first.Round(time.Millisecond), read, schema.Shards)
		}
	}
	t.Logf("%d URLs: first emission after %s, all moved after %s; %d slices, %d writes, %d batches of drops",
		10*n, first.Round(time.Millisecond), time.Since(start).Round(time.Millisecond), c.slices, c.writes, c.drops)
	if got := int64(len(w.out)) + w.task.ledger.hosts.Backlog(); got != int64(10*n) {
		t.Errorf("%d of %d URLs are due again", got, 10*n)
	}
	if first == 0 || read == schema.Shards {
		t.Errorf("emission began when all shards were read")
	}
	if most := 12*schema.Shards + 10*n/100 + 10*n; c.slices > most {
		t.Errorf("%d slices, want at most %d", c.slices, most)
	}
	if most := 10*schema.Shards/256 + 10*n/500 + 100; c.writes > most || c.drops > most {
		t.Errorf("%d writes and %d batches of drops, want at most %d", c.writes, c.drops, most)
	}
	rows, err := store.Slice(t.Context(), schema.Later, table.Later(7, began.UnixMilli()/600_000/144), nil, 1)
	if err != nil || len(rows) > 0 {
		t.Errorf("a day that is over has rows: %v, %v", rows, err)
	}
}
