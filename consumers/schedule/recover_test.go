package schedule

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"millrace/consumers/schedule/policy"
	"millrace/schema"
	"millrace/streams/state"
)

// What fetch has not finished is in flight after a restart: it is not emitted
// again, and what follows in the queue is.
func TestRecoveryKnowsWhatIsInFlight(t *testing.T) {
	w := newWorld(t, func(o *Options) { o.Delay, o.Window = 0, 10 })
	w.append(linksTo("com.example", paths(30)...))
	w.run()
	w.finish(0, nil)
	w.run()
	if len(w.out) != 11 {
		t.Fatalf("%d emitted, want 11", len(w.out))
	}
	w.done[0] = false // fetch has appended the outcome and not committed yet
	w.crash()
	w.run()
	if len(w.out) != 11 || w.group.Status().InFlight != 10 {
		t.Fatalf("%d emitted after the restart, %d in flight", len(w.out)-11, w.group.Status().InFlight)
	}
	w.done[0] = true
	for i := 1; i < len(w.out); i++ {
		w.finish(i, nil)
		w.run()
		if i%7 == 0 {
			w.crash()
			w.run()
		}
	}
	if len(w.out) != 30 || w.twice != "" {
		t.Errorf("%d emitted, want each of 30 once (%s)", len(w.out), w.twice)
	}
	h, _ := w.task.ledger.hosts.Get(t.Context(), "com.example")
	if q := h.Row.Queues[policy.ClassRest]; q.Head+int64(h.Row.Queues[policy.ClassRest+1].Head) != 30 {
		t.Errorf("queues after all: %v", h.Row.Queues)
	}
}

// Whatever is lost of urls.scheduled is emitted again, with a higher rev; what is
// only slow is not.
func TestLostEmissionsAreRepeated(t *testing.T) {
	w := newWorld(t, func(o *Options) { o.Delay, o.Window = 0, 10 })
	w.append(linksTo("com.example", ":http/first"))
	w.run()
	w.finish(0, nil)
	w.append(linksTo("com.example", ":http/lost", ":http/slow"))
	w.run()
	lost := 1
	w.done[lost] = true // as if the log had lost it
	w.pass(3*hold-time.Second, 10*time.Second)
	if len(w.out) != 3 {
		t.Fatalf("%d emitted too early", len(w.out)-3)
	}
	w.pass(time.Minute, 10*time.Second)
	if len(w.out) != 4 || w.out[3].RowKey != w.out[lost].RowKey || w.out[3].Rev <= w.out[lost].Rev {
		t.Fatalf("after three times the hold bound: %v", w.out[3:])
	}
	w.finish(lost, nil) // it was not lost after all: the newer attempt stays in flight
	w.run()
	if s := w.group.Status(); s.InFlight != 2 {
		t.Errorf("%d in flight, want 2", s.InFlight)
	}
	w.finish(3, nil)
	w.finish(2, nil)
	w.run()
	if s := w.group.Status(); s.InFlight != 0 || s.Queued != 0 {
		t.Errorf("at the end: %+v", s)
	}
}

// Emission waits for everything that was appended before the assignment.
func TestNothingIsEmittedBeforeTheLogIsRead(t *testing.T) {
	w := newWorld(t, nil)
	for range 20 {
		w.append(linksTo("com.example", ":http/a"))
	}
	for w.committed < 20 {
		if err := w.round(3); err != nil {
			t.Fatal(err)
		}
		if len(w.out) > 0 && w.committed < 20 {
			t.Fatalf("emitted after %d of 20 records", w.committed)
		}
	}
	w.run()
	if len(w.out) != 1 {
		t.Errorf("%d emitted, want 1", len(w.out))
	}
}

// MaxPages holds over restarts: what was fetched counts, what failed does not.
func TestMaxPages(t *testing.T) {
	w := newWorld(t, func(o *Options) { o.Delay, o.MaxPages = 0, 5 })
	w.append(linksTo("com.example", paths(20)...))
	w.run()
	for i := 0; i < len(w.out); i++ {
		w.finish(i, func(o *schema.Outcome) {
			if i%2 == 1 {
				o.Result, o.HttpStatus = schema.Outcome_GONE, 404
			}
		})
		w.run()
		w.crash()
		w.run()
	}
	s := w.group.Status()
	if len(w.out) != 9 || s.Pages != 5 || !s.Full || s.URLs[schema.UrlRow_GONE] != 4 || s.URLs[schema.UrlRow_QUEUED] != 11 || s.Causes["not_found"] != 4 {
		t.Errorf("%d emitted; %+v", len(w.out), s)
	}
}

// far is a store that is a network away, by the clock of a synctest bubble: nothing sleeps in fact.
type far struct{ state.Store }

const roundTrip = 10 * time.Millisecond

func (f far) Get(ctx context.Context, t *schema.Table, key state.Key) (state.Cells, error) {
	time.Sleep(roundTrip)
	return f.Store.Get(ctx, t, key)
}

// A partition with all shards reads their rows side by side: one after the other they are 4,096
// round trips, before anything can be emitted.
func TestAStartWaitsForFewRoundTrips(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		newWorldOn(t, far{newMemory()}, 1, nil)
		if trips := time.Since(began) / roundTrip; trips > schema.Shards/20 {
			t.Errorf("the start waited for %d round trips to the store", trips)
		}
	})
}

// With several processes MaxPages is of all of them, whichever of them has the hosts.
func TestMaxPagesOfTwoProcesses(t *testing.T) {
	store := newMemory()
	var both []*world
	for _, host := range []schema.Host{"com.example", "org.example"} {
		w := newWorldOf(t, store, host, 2, func(o *Options) { o.Delay, o.MaxPages = 0, 20 })
		w.append(linksTo(host, paths(60)...))
		both = append(both, w)
	}
	if both[0].id == both[1].id {
		t.Fatal("both hosts are in one partition")
	}
	for range 200 {
		for _, w := range both {
			w.run()
			for _, i := range w.unfinished() {
				w.finish(i, nil)
			}
			w.run()
			w.clock = w.clock.Add(time.Second)
		}
	}
	sum := 0
	for _, w := range both {
		sum += len(w.out)
		if !w.group.Status().Full {
			t.Errorf("partition %d: not full after %d", w.id, len(w.out))
		}
	}
	if sum < 20 || sum > 22 {
		t.Errorf("%d and %d pages, together 20, and a few more at most", len(both[0].out), len(both[1].out))
	}
}
