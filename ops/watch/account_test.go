package watch

import (
	"context"
	"slices"
	"testing"
	"time"

	"millrace/streams"
	"millrace/topics"
)

// The parts of what was fetched add up, with what is not known yet as a part of its own.
func TestTheFetchedAddUp(t *testing.T) {
	for _, fetched := range []int64{1171, 1060, 1000} { // more, as many, and fewer than the others come to
		r := Report{
			Pages:    &Pages{Documents: 748, SameText: 300, Aliases: 7},
			Frontier: &Frontier{ByStatus: map[string]int64{"FETCHED": fetched, "GONE": 9}, ByReason: map[string]int64{"noindex": 5, "not_found": 9}},
		}
		var sum int64
		for _, p := range r.FetchedParts() {
			sum += p.N
		}
		if sum != fetched {
			t.Errorf("%d fetched, the parts are %d: %v", fetched, sum, r.FetchedParts())
		}
	}
	if parts := (&Report{Frontier: &Frontier{}}).FetchedParts(); parts != nil {
		t.Errorf("parts without a number of pages: %v", parts)
	}
}

// A URL that waits for its slow host's turn is not behind.
func TestPoliteWaitingIsNotBehind(t *testing.T) {
	lag := func(context.Context) streams.Lag {
		l := streams.Lag{At: time.Now()}
		for _, g := range topics.Groups() {
			gl := streams.GroupLag{Group: g.Name, Topic: g.Reads, Partitions: make([]streams.PartitionLag, 1)}
			if g.Name == "fetch" {
				gl.Records, gl.Seconds = 131, 27
			}
			l.Groups = append(l.Groups, gl)
		}
		return l
	}
	w := watching(t, Sources{Lag: lag, Frontier: func(context.Context) (Frontier, error) { return Frontier{HostsWaiting: 1}, nil }})
	if r := w.Report(t.Context()); r.Edge("fetch").State != Polite || r.Lag != (LagSummary{Polite: 131}) {
		t.Errorf("fetch is %s, lag %+v", r.Edge("fetch").State, r.Lag)
	}
}

func TestNoticesAndSlowBrokersAreOneLineEach(t *testing.T) {
	lag := func(context.Context) streams.Lag {
		l := streams.Lag{At: time.Now()}
		for _, g := range topics.Groups() {
			l.Errors = append(l.Errors, g.Name+": context deadline exceeded")
		}
		return l
	}
	w := watching(t, Sources{Lag: lag,
		Requests: func(context.Context) Requests { return Requests{OfflineSince: "2026-01-01T00:00:00Z"} },
		Notices:  func(context.Context) ([]Notice, error) { return []Notice{{LogFull, "the log is full"}}, nil },
	})
	r := w.Report(t.Context())
	if len(r.Errors) != 1 {
		t.Errorf("errors %q, want one line", r.Errors)
	}
	var kinds []NoticeKind
	for _, n := range r.Notices {
		kinds = append(kinds, n.Kind)
	}
	if !slices.Equal(kinds, []NoticeKind{LogFull, Offline}) {
		t.Errorf("notices %v", r.Notices)
	}
}
