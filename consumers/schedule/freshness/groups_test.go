package freshness

import (
	"slices"
	"testing"

	"millrace/schema"
)

// Every page that has a plan is in one group of its host, by the interval of that plan, until the
// plan ends; rows of a version without groups lead to no negative number.
func TestPagesAreCountedByTheirInterval(t *testing.T) {
	h := Host{State: &schema.HostFreshness{}}
	h.Recount(0, 48)       // every half hour
	h.Recount(0, 1)        // every day
	h.Recount(0, 1)        //
	h.Recount(0, 1./400)   // more rarely than any bound
	h.Recount(1, 1./7)     // now every week
	h.Recount(1./7, 1./30) // now every 30 days
	if got, want := h.State.ByInterval, []int64{1, 0, 1, 0, 0, 1, 1}; !slices.Equal(got, want) || h.State.Pages != 4 {
		t.Errorf("%v of %d pages, want %v", got, h.State.Pages, want)
	}
	old := Host{State: &schema.HostFreshness{Pages: 2, Load: 2}}
	old.Recount(1, 0)
	old.Recount(1, 1./7)
	if got, want := old.State.ByInterval, []int64{0, 0, 0, 0, 1, 0, 0}; !slices.Equal(got, want) {
		t.Errorf("groups of a row that had none: %v, want %v", got, want)
	}
	old.Recount(1./7, 0)
	if s := old.State; s.Pages != 0 || s.Load != 0 || len(s.ByInterval) != 0 {
		t.Errorf("a host without plans has %v", s)
	}
}
