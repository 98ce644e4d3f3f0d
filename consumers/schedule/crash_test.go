package schedule

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"millrace/schema"
)

// The web that the crash test crawls: what a path answers, by how often it was
// asked. Every page links to all of them.
func simulated(path string, n int, gone bool) (o schema.Outcome_Result, status int32) {
	switch {
	case strings.HasPrefix(path, ":http/missing"):
		return schema.Outcome_GONE, 404
	case strings.HasPrefix(path, ":http/moved"):
		return schema.Outcome_REDIRECT, 301
	case strings.HasPrefix(path, ":http/flaky") && n == 0:
		return schema.Outcome_SERVER_ERROR, 500
	case strings.HasPrefix(path, ":http/broken"):
		return schema.Outcome_CLIENT_ERROR, 403
	case strings.HasPrefix(path, ":http/later") && n == 0:
		return schema.Outcome_DEFERRED, 0
	case strings.HasPrefix(path, ":http/dies") && gone:
		return schema.Outcome_GONE, 410
	}
	return schema.Outcome_OK, 200
}

var simulatedPaths = []string{":http/a", ":http/b", ":http/missing", ":http/moved", ":http/flaky",
	":http/broken", ":http/later", ":http/dies"}

// fetchOne answers the oldest unread URL.
func (w *world) fetchOne(asked map[string]int, gone bool) bool {
	open := w.unfinished()
	if len(open) == 0 {
		return false
	}
	s := w.out[open[0]]
	key := schema.RowKey(s.RowKey)
	result, status := simulated(key.Path(), asked[s.RowKey], gone)
	asked[s.RowKey]++
	w.finish(open[0], func(o *schema.Outcome) {
		o.Result, o.HttpStatus = result, status
		if result == schema.Outcome_DEFERRED {
			o.Until, o.FetchedAt = w.clock.Add(30*time.Second).UnixMilli(), 0
		}
		if result == schema.Outcome_REDIRECT {
			o.RedirectTo = "http://example.com/target"
		}
	})
	switch result {
	case schema.Outcome_REDIRECT:
		w.append(linksTo(key.Host(), ":http/target"))
	case schema.Outcome_OK:
		w.append(linksTo(key.Host(), simulatedPaths...))
		w.append(&schema.Discovered{Host: string(key.Host()), Body: &schema.Discovered_Digest{Digest: &schema.Digest{
			RowKey: s.RowKey, Rev: s.Rev, TextHash: []byte(s.RowKey), Useful: true}}})
	}
	return true
}

// crawl runs the world until nothing is in flight and nothing but re-crawls is
// due, in small rounds. It ends with errCrash when the effects are used up.
func (w *world) crawl(asked map[string]int, gone bool) error {
	for n, quiet := 0, 0; quiet < 3; n++ {
		if n > 10_000 {
			return fmt.Errorf("no end of it: %+v", w.group.Status())
		}
		before := w.committed
		if err := w.round(3); err != nil {
			return err
		}
		switch s := w.group.Status(); {
		case w.committed < len(w.in) || w.committed > before || w.task.ledger.hosts.Backlog() > 0 && s.InFlight == 0 && s.Waiting == 0:
			quiet = 0
		case w.fetchOne(asked, gone):
			quiet = 0
		default:
			quiet++
			if pending := nextDue(w.task.ledger, int64(w.task.emission.flights.len())); !pending.IsZero() || s.Waiting > 0 {
				w.clock = w.clock.Add(20 * time.Second)
				quiet = 0
			}
		}
	}
	return nil
}

// I1, I6, I8: after whichever write or send the process dies, every URL ends as
// it would have, nothing is emitted that is in flight already, what ended is
// said to dedupe, and the counts are right.
func TestCrashBetweenAnyTwoEffects(t *testing.T) {
	t.Run("every URL", func(t *testing.T) { crashEverywhere(t, 0) })
	t.Run("a budget of six", func(t *testing.T) { crashEverywhere(t, 6) })
}

func crashEverywhere(t *testing.T, urlsPerHost int64) {
	whole := simulate(t, -1, urlsPerHost)
	if n := 60; whole.used < n {
		t.Fatalf("the whole crawl has %d effects, want at least %d", whole.used, n)
	}
	if urlsPerHost == 0 && !whole.gone["com.example:http/dies"] {
		t.Fatal("no Gone for the URL that ends")
	}
	for n := range whole.used {
		got := simulate(t, n, urlsPerHost)
		if !maps.Equal(got.ends, whole.ends) {
			t.Fatalf("crash after effect %d: URLs ended as\n%v\nwant\n%v", n, got.ends, whole.ends)
		}
		if !slices.Equal(got.counts, whole.counts) {
			t.Fatalf("crash after effect %d: counts %v, want %v", n, got.counts, whole.counts)
		}
		if !maps.Equal(got.gone, whole.gone) {
			t.Fatalf("crash after effect %d: gone %v, want %v", n, got.gone, whole.gone)
		}
		if got.twice != "" {
			t.Fatalf("crash after effect %d: emitted while in flight: %s", n, got.twice)
		}
	}
}

type ending struct {
	used   int
	ends   map[string]string
	gone   map[string]bool
	counts []int64
	twice  string
}

func simulate(t *testing.T, crashAfter int, urlsPerHost int64) ending {
	w := newWorld(t, func(o *Options) { o.Delay, o.URLsPerHost, o.Traps = 2*time.Second, urlsPerHost, true })
	w.effects = crashAfter
	if crashAfter < 0 {
		w.effects = 1 << 30
	}
	budget := w.effects
	asked := map[string]int{}
	drive := func(gone bool) {
		for {
			err := w.crawl(asked, gone)
			if err == nil {
				return
			}
			if !errors.Is(err, errCrash) {
				t.Fatal(err)
			}
			w.crash()
			w.effects = 1 << 30
		}
	}
	w.append(linksTo("com.example", ":http/a"))
	w.append(linksTo("com.example", ":http/a", ":http/b"))
	drive(false)
	w.append(&schema.Discovered{Host: "com.example", Body: &schema.Discovered_Recheck{
		Recheck: &schema.Recheck{Target: &schema.Recheck_Prefix{Prefix: "com.example:http/d"}}}})
	drive(true)
	return w.ending(budget)
}

func (w *world) ending(budget int) ending {
	e := ending{used: budget - w.effects, ends: map[string]string{}, gone: map[string]bool{}}
	for _, p := range append(slices.Clone(simulatedPaths), ":http/target") {
		row := w.row("com.example" + p)
		if row == nil {
			e.ends[p] = "lost"
			continue
		}
		e.ends[p] = fmt.Sprint(row.Status, row.Reason, row.HadPage, row.NextDue > 0)
	}
	for _, d := range w.docs {
		e.gone[d.GetGone().RowKey] = true
	}
	h, _ := w.task.ledger.hosts.Get(w.t.Context(), "com.example")
	e.counts = slices.Concat(h.Row.Statuses, h.Row.TierUrls, []int64{h.Row.Fetched})
	e.twice = w.twice
	return e
}
