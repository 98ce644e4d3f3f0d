package wire

import (
	"log/slog"
	"slices"
	"testing"

	"millrace/consumers/schedule/table"
	"millrace/ops/watch"
	"millrace/schema"
	"millrace/streams/state"
)

// A report that is made after the groups have ended says what an account of that moment says,
// however short ago the counts were read for a report before.
func TestTheLastReportIsOfTheEnd(t *testing.T) {
	cfg := DefaultConfig()
	cfg.Data, cfg.AllowPrivate = t.TempDir(), true
	s, err := Open(t.Context(), cfg, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	report := func() watch.Report {
		w, err := s.Watch()
		if err != nil {
			t.Fatal(err)
		}
		return w.Report(t.Context())
	}
	report()
	counts := &schema.CountsRow{Drops: []*schema.Count{{Name: "scope", N: 5}}}
	if err := s.Store.Write(t.Context(), []state.Mutation{{Table: schema.ShardTable, Key: table.Counts(0), TS: 1,
		Cells: state.Cells{table.Encode(counts)}}}); err != nil {
		t.Fatal(err)
	}
	account, err := s.Account(t.Context())
	if err != nil || account.Drops["scope"] != 5 {
		t.Fatalf("account %+v, %v", account, err)
	}
	if got := report().Drops; !slices.Contains(got, watch.Drop{Group: "schedule", Reason: "scope", N: 5}) {
		t.Errorf("the report has %v", got)
	}
}
