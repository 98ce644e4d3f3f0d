package wire

import (
	"context"
	"math"
	"sync"
	"time"

	estimate "millrace/consumers/schedule/survey"
	"millrace/ops/watch"
)

// Each report contains a survey of freshness. The survey is made again at most every freshnessKeep,
// and only after freshnessShare times the time that it took.
const (
	freshnessKeep  = 30 * time.Second
	freshnessShare = 100 // of the time that it took
)

// current holds the last survey of freshness.
type current struct {
	mu    sync.Mutex
	until time.Time
	last  *watch.Freshness
}

// freshness returns how current the documents are, by the last survey; nil while there is none.
func (s *survey) freshness(ctx context.Context) (*watch.Freshness, error) {
	c := &s.current
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := time.Now(); !now.Before(c.until) {
		began := now
		found, err := estimate.Of(ctx, s.Store, s.scheduleOptions(), s.outside.Clock(), estimate.DefaultEffort())
		if err != nil {
			return c.shown(s, ctx), err
		}
		c.last = surveyed(found)
		c.until = time.Now().Add(max(freshnessKeep, freshnessShare*time.Since(began)))
	}
	return c.shown(s, ctx), nil
}

// shown returns the last survey, with the present counts of arrivals.
func (c *current) shown(s *survey, ctx context.Context) *watch.Freshness {
	if c.last == nil {
		return nil
	}
	out := *c.last
	counts := [][]int64{s.arrivals.Counts(time.Now())}
	if s.roster != nil {
		for _, m := range s.roster.List(ctx) {
			if m.Id != s.id && m.Live != nil {
				counts = append(counts, m.Live.Arrivals)
			}
		}
	}
	out.Arrived = watch.ArrivedOf(counts...)
	if out.Pages == 0 && out.Arrived == nil {
		return nil
	}
	return &out
}

// surveyed converts a survey for status and dashboard.
func surveyed(f estimate.Survey) *watch.Freshness {
	out := &watch.Freshness{At: f.At, Currency: currency(f.Freshness), Sampled: !f.Whole, Rows: f.Rows}
	if b := f.Budget; b != nil {
		out.Budget = &watch.Bought{Half: short(b.Half), Now: short(b.Now), Twice: short(b.Twice)}
	}
	for _, x := range f.Sites {
		out.Sites = append(out.Sites, watch.Site{Site: x.Name, Currency: currency(x.Freshness)})
	}
	return out
}

func currency(f estimate.Freshness) watch.Currency {
	out := watch.Currency{Pages: whole(f.Pages), Current: short(f.Current), StaleDays: short(f.Stale),
		AgeP50: math.Round(f.Age.P50), AgeP90: math.Round(f.Age.P90), AgeP99: math.Round(f.Age.P99), Overdue: short(f.Overdue)}
	for _, g := range f.Intervals {
		out.Intervals = append(out.Intervals, watch.IntervalGroup{Name: intervalName(g.Most), Most: g.Most.Seconds(), Pages: whole(g.Pages)})
	}
	return out
}

// intervalName returns the display name of a group of intervals.
func intervalName(most time.Duration) string {
	names := map[time.Duration]string{time.Hour: "up to 1 h", 6 * time.Hour: "up to 6 h", 24 * time.Hour: "up to 1 day",
		72 * time.Hour: "up to 3 days", 7 * 24 * time.Hour: "up to 7 days", 30 * 24 * time.Hour: "up to 30 days", 0: "more, or never"}
	if name, ok := names[most]; ok {
		return name
	}
	return "up to " + most.String()
}

// short rounds to four decimal places.
func short(x float64) float64 { return math.Round(x*1e4) / 1e4 }

func whole(x float64) int64 { return int64(math.Round(x)) }
