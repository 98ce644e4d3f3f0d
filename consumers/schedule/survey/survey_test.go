package survey

import (
	"fmt"
	"math"
	"testing"
	"time"

	"go.uber.org/goleak"

	"millrace/consumers/schedule/policy"
	"millrace/consumers/schedule/table"
	"millrace/schema"
	"millrace/streams/state"
	"millrace/streams/state/embedded"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var now = time.UnixMilli(1_700_000_000_000)

// crawl writes hosts of n pages each, of which it is well known that they change so many times a
// day, and that were looked at so many days ago; some rows beside them are no documents.
func crawl(t *testing.T, hosts, n int, rate, ago func(page int) float64) state.Store {
	t.Helper()
	store, err := embedded.Open(t.TempDir(), embedded.DefaultOptions())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = store.Close() })
	put := func(key state.Key, table_ *schema.Table, m table.Message) {
		t.Helper()
		if err := store.Write(t.Context(), []state.Mutation{{Table: table_, TS: 1, Key: key, Cells: state.Cells{table.Encode(m)}}}); err != nil {
			t.Fatal(err)
		}
	}
	for k := range hosts {
		name := schema.Host(fmt.Sprintf("com.example.h%d", k))
		row := table.Normal(&schema.HostRow{Site: fmt.Sprintf("s%d.example", k%2), TierUrls: []int64{int64(n)},
			Freshness: &schema.HostFreshness{Pages: int64(n), Load: float64(n), RateSum: 100, RateWeight: 100}}, policy.Classes, 17)
		row.Statuses[schema.UrlRow_FETCHED] = int64(n)
		put(table.Host(name), schema.HostTable, row)
		for i := range n {
			path, r := fmt.Sprintf(":http/p%d", i), rate(i)
			u := &schema.UrlRow{Status: schema.UrlRow_FETCHED, Kind: schema.Kind_PAGE, HadPage: true, FreshShape: float32(min(40, 1000*r)), FreshScale: float32(min(40/r, 1000)),
				LookedAt: now.UnixMilli() - int64(ago(i)*24*3600*1000), IntervalMs: 24 * 3600 * 1000, NextDue: now.UnixMilli()}
			put(append(table.URLs(name, table.PlaceOf(path, 0)), state.Str(path)), schema.URLTable, u)
		}
		queued := ":http/queued"
		put(append(table.URLs(name, table.PlaceOf(queued, 0)), state.Str(queued)), schema.URLTable, &schema.UrlRow{Status: schema.UrlRow_QUEUED})
	}
	return store
}

// The estimate of budgets is made of at most curvePages pages, at most curveHost of a host, which
// stand for all pages of their hosts.
func TestTheEstimateOfBudgetsIsBounded(t *testing.T) {
	r := &reader{opts: policy.DefaultOptions()}
	for _, n := range []int{1, 47, 48, 95, 96, 1000, 30, 30, 30, 30, 30, 30, 30} {
		for range 8 {
			own := &sample{views: make([]weighed, n)}
			own.views[0].Host.State = &schema.HostFreshness{Pages: 1}
			r.take("h", &schema.HostRow{}, own, 2)
		}
	}
	pages := 0
	for _, c := range r.curve {
		sum := 0.0
		for _, p := range c.pages {
			sum += p.N
		}
		if pages += len(c.pages); len(c.pages) > curveHost || math.Mod(sum, 2) != 0 {
			t.Errorf("%d pages of a host stand for %.0f", len(c.pages), sum)
		}
	}
	if pages > curvePages || pages < curvePages-curveHost {
		t.Errorf("%d pages, at most %d", pages, curvePages)
	}
}

// The share of current documents is that of pages that change as is known of them, whether all
// are read or a part; ages are theirs, and a larger budget buys more.
func TestTheEstimateIsTheTruthOfKnownRates(t *testing.T) {
	rate := func(i int) float64 { return []float64{.01, .1, 1, 4}[i%4] }
	ago := func(i int) float64 { return float64(i%10) / 4 }
	const hosts, n = 12, 200
	store := crawl(t, hosts, n, rate, ago)
	want := 0.0
	for i := range n {
		want += math.Exp(-rate(i)*ago(i)) / n
	}
	o := policy.DefaultOptions()
	for _, rows := range []int{100_000, 1000} {
		e := DefaultEffort()
		e.Time, e.Rows = time.Minute, rows
		got, err := Of(t.Context(), store, o, now, e)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(got.Current-want) > .03 || got.Whole != (rows > hosts*n) {
			t.Errorf("%d rows: %.3f are current, want %.3f; whole %v", rows, got.Current, want, got.Whole)
		}
		if day := 24 * 3600.; math.Abs(got.Age.P50-day) > .3*day || math.Abs(got.Age.P99-2.25*day) > 1 {
			t.Errorf("ages %+v, want about a day and 2.25 days", got.Age)
		}
		if b := got.Budget; b == nil || !(b.Half < b.Now-.01 && b.Now < b.Twice-.01) {
			t.Errorf("budgets buy %+v", b)
		}
		if len(got.Sites) != 2 || got.Whole && got.Pages != hosts*n || got.Intervals[2].Pages != got.Pages {
			t.Errorf("%d sites, %.0f pages, by interval %v", len(got.Sites), got.Pages, got.Intervals)
		}
	}
}
