package scylla

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"millrace/streams/state"
)

// road is a lane whose flights take a while. It notes what departs, and refuses what is bad.
type road struct {
	lane[string]
	took    time.Duration
	flights [][]string
	mu      sync.Mutex
}

func newRoad(took time.Duration) *road {
	r := &road{took: took}
	r.flight = newFlights()
	r.fly = func(ctx context.Context, items []string) []error {
		r.mu.Lock()
		r.flights = append(r.flights, slices.Sorted(slices.Values(items)))
		r.mu.Unlock()
		time.Sleep(r.took)
		if !slices.Contains(items, "bad") {
			return nil
		}
		errs := make([]error, len(items)) // as a request is refused for one of its rows
		for i := range errs {
			errs[i] = fmt.Errorf("%w: bad", state.ErrInvalid)
		}
		return errs
	}
	return r
}

// What many calls ask for while an answer is awaited departs together; a call that is alone waits
// for nobody.
func TestCallsOfOneMomentGoTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoad(5 * time.Millisecond)
		var calls sync.WaitGroup
		began := time.Now()
		calls.Go(func() { send(t, r, "0") })
		synctest.Wait()
		for i := range 64 {
			calls.Go(func() { send(t, r, fmt.Sprint("a", i), fmt.Sprint("b", i)) })
		}
		calls.Wait()
		if len(r.flights) != 2 || len(r.flights[1]) != 128 {
			t.Errorf("%d flights, the last of %d items, want 2 and 128", len(r.flights), len(r.flights[len(r.flights)-1]))
		}
		if got := time.Since(began); got != 10*time.Millisecond {
			t.Errorf("they took %s, want two flights", got)
		}
		send(t, r, "alone")
		if got := time.Since(began); got != 15*time.Millisecond {
			t.Errorf("a call that is alone ended after %s, want one more flight", got)
		}
	})
}

func send(t *testing.T, r *road, items ...string) {
	if err := r.send(t.Context(), items); err != nil {
		t.Error(err)
	}
}

// A node that does not answer holds up the others for patience, not for as long as it is silent.
func TestASlowAnswerHoldsUpOthersForAMoment(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoad(time.Hour)
		var slow sync.WaitGroup
		slow.Go(func() { send(t, r, "slow") })
		synctest.Wait()
		r.took = time.Millisecond
		began := time.Now()
		send(t, r, "other")
		if got := time.Since(began); got != patience+time.Millisecond {
			t.Errorf("another call took %s, want %s", got, patience+time.Millisecond)
		}
		slow.Wait()
	})
}

// A call whose rows the store refuses fails alone, whoever went with it.
func TestWhatIsRefusedIsTheErrorOfItsCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoad(time.Millisecond)
		errs := map[string]error{}
		var mu sync.Mutex
		var calls sync.WaitGroup
		for _, item := range []string{"first", "good", "bad", "better"} {
			calls.Go(func() {
				err := r.send(t.Context(), []string{item})
				mu.Lock()
				defer mu.Unlock()
				errs[item] = err
			})
			synctest.Wait()
		}
		calls.Wait()
		if !errors.Is(errs["bad"], state.ErrInvalid) || errs["good"] != nil || errs["better"] != nil || errs["first"] != nil {
			t.Errorf("%v, want an error of bad alone", errs)
		}
	})
}

// A call whose context ends returns; what it asked for is not sent if it still waited, and the
// calls beside it go on.
func TestACallThatEndsLeavesTheOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRoad(5 * time.Millisecond)
		ctx, cancel := context.WithCancel(t.Context())
		var calls sync.WaitGroup
		calls.Go(func() { send(t, r, "first") })
		synctest.Wait()
		calls.Go(func() {
			if err := r.send(ctx, []string{"gone"}); !errors.Is(err, context.Canceled) {
				t.Errorf("%v, want that it was cancelled", err)
			}
		})
		calls.Go(func() { send(t, r, "beside") })
		synctest.Wait()
		cancel()
		calls.Wait()
		r.flight.Wait()
		if want := [][]string{{"first"}, {"beside"}}; !slices.EqualFunc(r.flights, want, slices.Equal) {
			t.Errorf("%v departed, want %v", r.flights, want)
		}
	})
}
