package policy

import (
	"testing"
	"time"

	"millrace/schema"
)

// The pause between two polls runs from when the feed was asked, not from when its answer had its
// turn behind a backlog; no clock makes it shorter than half or longer than the maximum.
func TestABacklogDoesNotMakePollsLater(t *testing.T) {
	o := DefaultOptions()
	o.MinFeed, o.MaxFeed = time.Minute, time.Minute
	const now, minute = int64(1_700_000_000_000), int64(60_000)
	next := func(asked int64) int64 {
		row := &schema.UrlRow{Status: schema.UrlRow_QUEUED, Kind: schema.Kind_FEED, Rev: 1}
		m := &schema.Outcome{Rev: 2, Result: schema.Outcome_OK, HttpStatus: 200, Kind: schema.Kind_FEED, Served: schema.Kind_FEED, FetchedAt: asked}
		key := schema.RowKey("com.example:http/feed")
		o.Outcome(row, &schema.HostRow{}, m, key, now)
		listed := &schema.Listed{RowKey: string(key), Rev: 2, FetchedAt: asked, Ids: []uint32{1}, Hash: []byte("x")}
		if _, ok := o.Listed(row, &schema.HostRow{}, listed, key, now); !ok {
			t.Fatal("the list was not taken")
		}
		return row.NextDue
	}
	for _, ago := range []int64{0, 5_000, 20_000} {
		if due := next(now - ago); due < now-ago+minute*9/10-1 || due > now-ago+minute {
			t.Errorf("asked %d ms ago: due %d ms after that, want 54 to 60 s", ago, due-(now-ago))
		}
	}
	for _, asked := range []int64{1, now - 10*minute, now + 10*minute, 1 << 62} {
		if due := next(asked); due < now+minute*9/20-1 || due > now+minute {
			t.Errorf("asked at %d ms from now: due after %d ms", asked-now, due-now)
		}
	}
}
