package dedupe

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"millrace/schema"
	"millrace/streams/state"
)

// distant is a store behind a network: every request takes one trip of a fake clock. Requests at
// the same time take one trip together. The groups of a Write are written one after the other.
type distant struct {
	state.Store
	mu       sync.Mutex
	requests int
	written  map[string]int // bytes by table
}

const trip = time.Millisecond

func (d *distant) travel() {
	d.mu.Lock()
	d.requests++
	d.mu.Unlock()
	time.Sleep(trip)
}

func (d *distant) Get(ctx context.Context, t *schema.Table, k state.Key) (state.Cells, error) {
	d.travel()
	return d.Store.Get(ctx, t, k)
}

// GetAll is one trip of requests for 16 rows each.
func (d *distant) GetAll(ctx context.Context, list []state.Wanted) ([]state.Cells, error) {
	d.requests += (len(list) - 1) / 16
	d.travel()
	return state.GetAll(ctx, d.Store, list)
}

func (d *distant) GetMany(ctx context.Context, t *schema.Table, k state.Key, last []state.Value) ([]state.Row, error) {
	d.travel()
	return d.Store.GetMany(ctx, t, k, last)
}

func (d *distant) Slice(ctx context.Context, t *schema.Table, p state.Key, from []state.Value, n int) ([]state.Row, error) {
	d.travel()
	return d.Store.Slice(ctx, t, p, from, n)
}

func (d *distant) Write(ctx context.Context, groups ...[]state.Mutation) error {
	for _, g := range groups {
		partitions := map[string]bool{}
		for _, m := range g {
			partitions[name(m.Table, m.Key[:len(m.Table.Partition)])] = true
			for _, v := range m.Cells {
				d.written[m.Table.Name] += len(v.Str())
			}
		}
		d.requests += len(partitions) - 1
		d.travel()
	}
	return d.Store.Write(ctx, groups...)
}

// The cost of a round of 100 records on a distant store: successive trips, requests, and bytes.
func TestARoundCostsFewTrips(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newScene(t, func(o *Options) { o.Transactions, o.ReadAhead = true, true })
		d := &distant{Store: s.w.store}
		s.w.over = d
		if err := s.w.start(); err != nil {
			t.Fatal(err)
		}
		for _, step := range costs() {
			from, began := len(s.w.in), time.Now()
			for i := range 100 {
				s.w.in = append(s.w.in, step.record(i))
			}
			d.requests, d.written = 0, map[string]int{}
			if err := s.w.rounds(100); err != nil {
				t.Fatal(err)
			}
			trips, bytes := int(time.Since(began)/trip), 0
			for _, n := range d.written {
				bytes += n
			}
			t.Logf("%-18s %2d trips for %d records, %.1f requests and %d bytes a record %v",
				step.what, trips, len(s.w.in)-from, float64(d.requests)/100, bytes/100, d.written)
			if trips > step.trips || d.requests > step.requests*100 || d.written[schema.Fold.Name] > 100*2000 {
				t.Errorf("%s: %d trips, %d requests, %d bytes of journal; at most %d, %d, %d",
					step.what, trips, d.requests, d.written[schema.Fold.Name], step.trips, step.requests*100, 100*2000)
			}
		}
	})
}

// cost is a kind of record, with the most trips of a round and requests of a record.
type cost struct {
	what            string
	record          func(i int) *schema.Extracted
	trips, requests int
}

func costs() []cost {
	text := make([]byte, 20_000)
	for i := range text {
		text[i] = byte('a' + i*i%23)
	}
	at := func(i int) string { return fmt.Sprintf("com.example.www:https/%04d", i) }
	doc := func(key, hash, canonical string, rev int64) *schema.Extracted {
		x := document(key, hash, canonical, "A", rev)
		x.GetDoc().Text = string(text) + hash
		return x
	}
	return []cost{
		{"new", func(i int) *schema.Extracted { return doc(at(i), fmt.Sprint(i), "", 1) }, 8, 6},
		{"unchanged", func(i int) *schema.Extracted { return doc(at(i), fmt.Sprint(i), "", 2) }, 8, 5},
		{"twin", func(i int) *schema.Extracted { return doc(at(1000+i), fmt.Sprint(i), "", 1) }, 9, 9},
		{"names a canonical", func(i int) *schema.Extracted { return doc(at(2000+i), fmt.Sprint("alias ", i), at(i), 1) }, 9, 9},
		{"changed", func(i int) *schema.Extracted { return doc(at(1000+i), fmt.Sprint("new ", i), "", 3) }, 9, 10},
		{"gone", func(i int) *schema.Extracted { return gone(at(1000+i), schema.Gone_NOT_FOUND, 4) }, 9, 8},
	}
}
