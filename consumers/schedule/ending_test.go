package schedule

import (
	"fmt"
	"testing"
	"time"

	"millrace/schema"
)

// A page that asks not to be shown after a time is fetched at that time, without validators, if its
// next fetch would be later. Whatever times a page names, they cost one fetch more than those of
// another page; and what it says at that fetch or a later one decides.
func TestAPageIsFetchedWhenItIsOver(t *testing.T) {
	const day = 24 * time.Hour
	for name, c := range map[string]struct {
		until func(at time.Duration) time.Duration // what a page fetched at a time names; 0 = nothing
		first time.Duration                        // when it is fetched again; 0 = as if it said nothing
		again int                                  // fetches in 300 days, more than those of a page that names nothing
	}{
		"kept":              {func(time.Duration) time.Duration { return 3 * day }, 3*day + time.Minute, 1},
		"moved on":          {func(at time.Duration) time.Duration { return at + 2*time.Hour }, 2*time.Hour + time.Minute, 1},
		"moved on each day": {func(at time.Duration) time.Duration { return at.Truncate(day) + 2*day }, 2*day + time.Minute, 1},
		"far away":          {func(time.Duration) time.Duration { return 30000 * day }, 0, 0},
		"past":              {func(time.Duration) time.Duration { return -day }, 0, 0},
		"taken back": {func(at time.Duration) time.Duration {
			if at > day {
				return 0
			}
			return 2 * day
		}, 2*day + time.Minute, 1},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, func(o *Options) {
				o.Delay, o.Interval, o.MinInterval, o.MaxInterval = 0, 30*day, 30*day, 30*day
			})
			w.append(linksTo("com.example", ":http/ends", ":http/other"))
			w.run()
			began, asked, first := w.clock, map[string]int{}, time.Duration(0)
			for ; w.clock.Sub(began) < 300*day; w.clock = w.clock.Add(time.Minute) {
				if at := w.clock.Sub(began); at > day && at%time.Hour > 2*time.Minute {
					continue // nothing that is tested happens between
				}
				w.run()
				for _, i := range w.unfinished() {
					s, at, end := w.out[i], w.clock.Sub(began), int64(0)
					ends := s.RowKey == "com.example:http/ends"
					asked[s.RowKey]++
					if ends && asked[s.RowKey] == 2 {
						first = at
					}
					if until := c.until(at); ends && until != 0 {
						end = began.Add(until).UnixMilli()
					}
					over := end != 0 && end < w.clock.UnixMilli()
					if over && asked[s.RowKey] == 2 && s.Etag != "" {
						t.Errorf("after %s it is fetched with validators", at)
					}
					same := s.Etag != ""
					w.finish(i, func(o *schema.Outcome) {
						if o.Etag = "x"; same {
							o.Result, o.HttpStatus = schema.Outcome_UNCHANGED, 304
						}
					})
					if !same {
						w.append(digestOf(s, "text", func(d *schema.Digest) {
							if d.UnavailableAfter = end; over {
								d.TextHash, d.Useful, d.DropReason = nil, false, "unavailable"
							}
						}))
					}
				}
				w.out, w.done = nil, map[int]bool{}
			}
			row := w.row("com.example:http/ends")
			said := fmt.Sprintf("fetched %d times, the other page %d times, again after %s: %v",
				asked["com.example:http/ends"], asked["com.example:http/other"], first, row)
			if n := asked["com.example:http/ends"] - asked["com.example:http/other"]; n < -1 && row.HadPage || n > c.again {
				t.Error(said)
			}
			if c.first != 0 && (first < c.first || first > c.first+2*time.Hour) || c.first == 0 && first < 20*day {
				t.Error(said)
			}
			if gone := name == "kept" || name == "past"; row.HadPage == gone {
				t.Errorf("a document: %v: %s", row.HadPage, said)
			}
			if name == "past" && row.Changes != 0 {
				t.Errorf("a page that is always without a document changes: %s", said)
			}
		})
	}
}

// A page that is never to be fetched again ends at the time that it names all the same, without a
// request, also if that is years away; one whose host does not answer then ends at the failed
// request.
func TestAPageThatIsNotFetchedAgainEnds(t *testing.T) {
	const day = 24 * time.Hour
	for name, c := range map[string]struct {
		interval time.Duration
		until    time.Duration // after the first fetch
		early    bool          // its text is known before its outcome
		asked    int
	}{
		"never, text known later": {0, 3 * day, false, 1},
		"never, text known first": {0, 3 * day, true, 1},
		"never, in years":         {0, 900 * day, false, 1},
		"host is down":            {300 * day, 3 * day, false, 2},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, func(o *Options) {
				o.Delay, o.Interval, o.MinInterval, o.MaxInterval = 0, c.interval, 300*day, 300*day
			})
			w.append(linksTo("com.example", ":http/ends", ":http/other"))
			w.run()
			began, asked := w.clock, 0
			end := began.Add(c.until)
			answer := func(i int) {
				w.finish(i, func(o *schema.Outcome) {
					if o.Etag = "x"; w.clock.Sub(began) > day {
						o.Result, o.Etag = schema.Outcome_NETWORK, ""
					}
				})
			}
			for ; w.clock.Before(end.Add(2 * time.Hour)); w.clock = w.clock.Add(time.Hour) {
				w.run()
				for _, i := range w.unfinished() {
					s := w.out[i]
					if s.RowKey == "com.example:http/ends" {
						asked++
					}
					digest := digestOf(s, "text", func(d *schema.Digest) {
						if s.RowKey == "com.example:http/ends" {
							d.UnavailableAfter = end.UnixMilli()
						}
					})
					if w.clock.Sub(began) < day && c.early {
						w.append(digest)
						w.run()
					}
					answer(i)
					if w.clock.Sub(began) < day && !c.early {
						w.append(digest)
					}
				}
				if w.run(); len(w.docs) > 0 && w.clock.Before(end) {
					t.Fatalf("its document ends %s early", end.Sub(w.clock))
				}
				w.out, w.done = nil, map[int]bool{}
			}
			if len(w.docs) != 1 || w.docs[0].GetGone().GetRowKey() != "com.example:http/ends" {
				t.Errorf("documents that ended: %v; %v", w.docs, w.row("com.example:http/ends"))
			}
			if asked != c.asked {
				t.Errorf("asked %d times, want %d", asked, c.asked)
			}
			if row := w.row("com.example:http/other"); !row.HadPage {
				t.Errorf("a page without an end: %v", row)
			}
		})
	}
}
