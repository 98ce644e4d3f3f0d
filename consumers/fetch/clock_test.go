package fetch

import (
	"testing"
	"testing/synctest"
	"time"

	"millrace/schema"
	"millrace/streams"
	"millrace/streams/state"
)

// TestAClockThatIsWrongDelaysNothing: records whose times are 26 h before or after this process's
// clock are fetched, and those that lay in the log for too long by the broker's clock go back.
func TestAClockThatIsWrongDelaysNothing(t *testing.T) {
	for _, off := range []time.Duration{0, -26 * time.Hour, 26 * time.Hour} {
		inWorld(t, nil, func(w *world) {
			add := func(path string, age time.Duration) {
				u, _ := new(schema.Canonicalizer).Parse("https://a.test/" + path)
				at := time.Now().Add(off - age)
				s := &schema.Scheduled{
					RowKey: string(u.RowKey()), Url: u.String(), Site: "a.test", Rev: 1, Class: 6, PoliteKey: string(u.Host()), FirstContact: true,
					ScheduledAt: at.UnixMilli(), NotAfter: at.Add(3 * time.Minute).UnixMilli(),
				}
				r := &streams.Record[*schema.Scheduled]{Topic: "urls.scheduled", Offset: w.next, Value: s, Time: at}
				w.next++
				if err := w.task.Handle(w.t.Context(), r); err != nil {
					t.Fatal(err)
				}
			}
			add("young", 0)
			add("old", 10*time.Minute)
			w.wait(10 * time.Second)
			synctest.Wait()
			got := map[string]schema.Outcome_Result{}
			for _, o := range w.outcomes() {
				got[o.RowKey] = o.Result
			}
			if got["test.a:https/young"] != schema.Outcome_OK || got["test.a:https/old"] != schema.Outcome_DEFERRED {
				t.Errorf("clock %v off: %v", off, got)
			}
		})
	}
}

// TestARowFromTheFutureIsBounded: a process whose clock was years ahead wrote it.
func TestARowFromTheFutureIsBounded(t *testing.T) {
	inWorld(t, nil, func(w *world) {
		future := time.Now().AddDate(10, 0, 0).UnixMilli()
		row := &schema.PoliteRow{At: future * 1000, BlockedUntil: future, Failures: 3, Robots: []*schema.RobotsRow{
			{Authority: "https://a.test", State: schema.HostNotice_ALLOW_ALL, FetchedAt: future, ExpiresAt: future},
		}}
		b, err := row.MarshalVT()
		if err != nil {
			t.Fatal(err)
		}
		w.store.cells["test.a"] = state.Mutation{Table: schema.Polite, Key: state.Key{state.Str("test.a")}, Cells: state.Cells{state.Bytes(b)}, TS: row.At}
		w.schedule("https://a.test/1")
		w.wait(time.Minute)
		if o := w.one(); o.Result != schema.Outcome_DEFERRED || o.Until > time.Now().Add(24*time.Hour).UnixMilli() {
			t.Errorf("outcome %v", o)
		}
		w.wait(24 * time.Hour)
		w.schedule("https://a.test/1", func(s *schema.Scheduled) { s.Rev = 2 })
		w.wait(time.Minute)
		if got := w.origin.paths("a.test"); got != "/robots.txt /1" {
			t.Errorf("asked for %q", got)
		}
	})
}
