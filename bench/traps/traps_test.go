package traps_test

import (
	"log/slog"
	"testing"
	"time"

	"go.uber.org/goleak"

	"millrace/bench/traps"
	"millrace/bench/traps/crawl"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// mostInATrap is the largest number of requests that a trap may cost a host.
const mostInATrap = 200

// A trap of any kind costs a bounded number of requests, the host goes on with its other
// pages, and honest sites that look like traps lose nothing.
func TestTrapsAreCutAndHonestSitesLoseNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("a whole crawl")
	}
	w, err := traps.Serve()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := crawl.Web(t.Context(), w, t.TempDir(), time.Hour, true, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	counts := w.Counts()
	if len(counts) != 22 {
		t.Fatalf("%d sites, want 22", len(counts))
	}
	for _, c := range counts {
		t.Logf("%+v", c)
		if c.Found != c.Honest || c.Honest == 0 {
			t.Errorf("%s: %d of %d honest pages found", c.Site, c.Found, c.Honest)
		}
		if most := mostInATrap; c.Trap && c.Extra > most {
			t.Errorf("%s: %d requests in the trap, at most %d", c.Site, c.Extra, most)
		}
	}
}
