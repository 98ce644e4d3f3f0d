package watch

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"millrace/streams"
	"millrace/topics"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// river is a pipeline whose positions the test sets.
type river struct {
	mu        sync.Mutex
	done, end map[string]int64
	reads     int
	fail      bool
}

func newRiver() *river { return &river{done: map[string]int64{}, end: map[string]int64{}} }

func (r *river) lag(context.Context) streams.Lag {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.reads++
	l := streams.Lag{At: time.Now()}
	for _, g := range topics.Groups() {
		gl := streams.GroupLag{Group: g.Name, Topic: g.Reads}
		if r.fail {
			l.Errors = append(l.Errors, "no broker")
		} else {
			n := r.end[g.Name] - r.done[g.Name]
			gl.Records = n
			gl.Partitions = []streams.PartitionLag{{Committed: r.done[g.Name], End: r.end[g.Name], Records: n}}
		}
		l.Groups = append(l.Groups, gl)
	}
	return l
}

func watching(t *testing.T, src Sources) *Watch {
	t.Helper()
	w, err := New(DefaultOptions(), src)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// Ten records a second come in, eight are done: the report must say so, and when
// the inflow stops, how long the rest takes.
func TestRatesAndDrainComeFromPositions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRiver()
		w := watching(t, Sources{Lag: r.lag})
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- w.Run(ctx) }()
		flow := func(seconds int, in, out int64) {
			for range seconds {
				time.Sleep(time.Second) // virtual: the clock of the bubble
				synctest.Wait()
				r.mu.Lock()
				r.end["extract"] += in
				r.done["extract"] += out
				r.mu.Unlock()
			}
		}
		flow(60, 10, 8)
		report := w.Report(ctx)
		e := report.Edge("extract")
		if e.In == nil || *e.In < 9 || *e.In > 11 || *e.Out < 7 || *e.Out > 9 {
			t.Errorf("in %v, out %v, want 10 and 8", e.In, e.Out)
		}
		if e.Drain != nil {
			t.Errorf("a backlog that grows is never drained, not in %.0f s", *e.Drain)
		}
		flow(60, 0, 2)
		report = w.Report(ctx)
		if e = report.Edge("extract"); e.Records != 0 && (e.Drain == nil || *e.Drain > 60) {
			t.Errorf("%d records behind, drain %v", e.Records, e.Drain)
		}
		if report.Edge("dedupe").State != Idle {
			t.Errorf("nothing came to dedupe, but it is %s", report.Edge("dedupe").State)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}

func TestHistoryIsBounded(t *testing.T) {
	h := newHistory()
	start := time.Unix(0, 0)
	const samples = 50_000 // more than a day, every two seconds
	for i := range samples {
		h.add(point{at: start.Add(time.Duration(i) * 2 * time.Second)})
	}
	if len(h.fine.points) != finePoints || len(h.coarse.points) != coarsePoints {
		t.Errorf("%d and %d points", len(h.fine.points), len(h.coarse.points))
	}
	end := start.Add((samples - 1) * 2 * time.Second)
	for _, back := range []time.Duration{time.Minute, 9 * time.Minute, time.Hour, 23 * time.Hour} {
		w := h.window(end.Add(-back))
		if d := back - w.span(); d < 0 || d > 2*time.Minute {
			t.Errorf("asked for %s back, got %s", back, w.span())
		}
		for i := 1; i < len(w); i++ {
			if w[i].at.Before(w[i-1].at) {
				t.Fatalf("points of %s are not in order", back)
			}
		}
	}
}

func TestReportsAreSharedWhileFresh(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRiver()
		w := watching(t, Sources{Lag: r.lag})
		for range 10 {
			w.Report(t.Context())
		}
		if r.reads != 1 {
			t.Errorf("%d readings for reports of one moment", r.reads)
		}
		time.Sleep(w.opts.Fresh) // virtual
		w.Report(t.Context())
		if r.reads != 2 {
			t.Errorf("%d readings, want a second one when the first was old", r.reads)
		}
	})
}

// A broker that is slow to answer is asked once, not once per person who waits.
func TestSlowReadingsAreShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRiver()
		w := watching(t, Sources{Lag: func(ctx context.Context) streams.Lag {
			l := r.lag(ctx)
			<-ctx.Done()
			return l
		}})
		var waiting sync.WaitGroup
		started := time.Now()
		for range 5 {
			waiting.Go(func() { w.Report(t.Context()) })
		}
		waiting.Wait()
		if r.reads != 1 || time.Since(started) != w.opts.Timeout {
			t.Errorf("%d readings in %s", r.reads, time.Since(started))
		}
	})
}

func TestWhatCannotBeReadIsNamed(t *testing.T) {
	r := newRiver()
	r.fail = true
	w := watching(t, Sources{
		Lag:         r.lag,
		DeadLetters: func(context.Context) (int64, error) { return 0, errors.New("no such topic") },
	})
	report := w.Report(t.Context())
	if report.DeadLetters != nil {
		t.Error("a number of dead letters that was not read")
	}
	if all := strings.Join(report.Errors, "; "); !strings.Contains(all, "no broker") || !strings.Contains(all, "dead letters: no such topic") {
		t.Errorf("errors: %s", all)
	}
	for _, e := range report.Groups {
		if e.State != Unknown {
			t.Errorf("%s is %s, want unknown", e.Group, e.State)
		}
	}
}

func TestTrendShowsGapsAsGaps(t *testing.T) {
	var w window
	start := time.Unix(1000, 0)
	for i := range 11 {
		p := point{at: start.Add(time.Duration(i) * time.Second), groups: map[string]position{}}
		if i < 4 || i > 6 {
			p.groups["fetch"] = position{done: int64(i) * 5}
		}
		w = append(w, p)
	}
	for i, v := range w.trend("fetch", 10*time.Second, 10) {
		want := 5.0
		if i >= 3 && i <= 6 {
			want = -1
		}
		if v != want {
			t.Errorf("second %d: %v, want %v", i, v, want)
		}
	}
}

// Brokers that answer late take the time of nobody else: status still says that a log changed, and
// how the frontier stands.
func TestSlowBrokersHideNoNotice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRiver()
		w := watching(t, Sources{
			Lag: func(ctx context.Context) streams.Lag {
				l := r.lag(ctx)
				<-ctx.Done()
				return l
			},
			Frontier: func(ctx context.Context) (Frontier, error) { return Frontier{Queued: 7}, ctx.Err() },
			Notices: func(ctx context.Context) ([]Notice, error) {
				return []Notice{{LogChanged, "the topic was made anew"}}, ctx.Err()
			},
			Members: func(ctx context.Context) ([]Member, error) { return []Member{{ID: "a"}}, ctx.Err() },
		})
		report := w.Report(t.Context())
		if len(report.Errors) > 0 {
			t.Errorf("errors: %q", report.Errors)
		}
		if len(report.Notices) != 1 || report.Frontier == nil || len(report.Members) != 1 {
			t.Errorf("notices %v, frontier %v, members %v", report.Notices, report.Frontier, report.Members)
		}
	})
}
