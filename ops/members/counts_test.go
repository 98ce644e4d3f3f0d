package members

import (
	"context"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"

	"millrace/schema"
	"millrace/streams"
	"millrace/streams/state"
)

// directory is a data directory whose processes count drops of one reason.
type directory struct {
	t     *testing.T
	id    string
	store *rows
}

// run runs a process that has counted so much when it ends.
func (d directory) run(n int64) {
	d.t.Helper()
	c := d.process(n)
	ctx, stop := context.WithCancel(d.t.Context())
	ended := make(chan struct{})
	go func() { c.Keep(ctx); close(ended) }()
	time.Sleep(3 * c.o.Every)
	stop()
	<-ended
}

func (d directory) process(n int64) *Counts {
	m := streams.NewMeter()
	m.Add(streams.Count{Group: "dedupe", What: "dropped", Label: "stale"}, n)
	m.Add(streams.Count{Group: "dedupe", What: "handled"}, 1000)
	return NewCounts(DefaultOptions(), d.store, slog.New(slog.DiscardHandler), m, d.id)
}

// total returns the sum that is read by a process that only looks on.
func total(t *testing.T, s *rows) int64 {
	t.Helper()
	all, err := NewCounts(DefaultOptions(), s, slog.New(slog.DiscardHandler), streams.NewMeter(), "onlooker").Total(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var n int64
	for _, v := range all {
		if v.What != "dropped" || v.Label != "stale" {
			t.Errorf("%+v is kept", v)
		}
		n += v.Value
	}
	return n
}

func TestCountersAreThoseOfAllProcessesAndSurviveRestarts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &rows{cells: map[string]state.Cells{}}
		wants := func(when string, want int64) {
			t.Helper()
			if got := total(t, s); got != want {
				t.Fatalf("%s: %d, want %d", when, got, want)
			}
		}
		a, b, c := directory{t, "a", s}, directory{t, "b", s}, directory{t, "c", s}
		a.run(3)
		b.run(4)
		wants("two directories", 7)
		a.run(10)
		wants("a again", 17)
		living := a.process(5)
		living.write(t.Context())
		if all, err := living.Total(t.Context()); err != nil || len(all) != 1 || all[0].Value != 22 {
			t.Errorf("a living process says %v (%v)", all, err)
		}
		living.write(t.Context()) // again: it counts once
		wants("a lives", 22)

		time.Sleep(2 * foldAfter)
		c.run(1)
		wants("a and b are gone", 23)
		if len(s.cells) != 1 {
			t.Errorf("%d rows are left, want that of c", len(s.cells))
		}
		b.run(2) // b was not gone
		wants("b came back", 25)
		time.Sleep(foldAfter / 2)
		c.run(0)
		b.run(0)
		wants("some days later", 25)
		for range 4 {
			time.Sleep(foldAfter - time.Hour)
			c.run(0)
			b.run(0)
			wants("weeks later", 25)
		}
		row := &schema.GroupCountsRow{}
		if err := row.UnmarshalVT(s.cells["counts c"][0].Bytes()); err != nil || len(row.Folded) > 0 {
			t.Errorf("c still holds the rows of others apart: %v", row)
		}
	})
}

// Two processes that take over the same row at the same moment do not count it twice.
func TestARowThatTwoTakeOverCountsOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &rows{cells: map[string]state.Cells{}}
		directory{t, "gone", s}.run(5)
		time.Sleep(2 * foldAfter)
		left := s.cells["counts gone"]
		directory{t, "x", s}.run(0)
		s.cells["counts gone"] = left // y saw it before x deleted it
		directory{t, "y", s}.run(0)
		if got := total(t, s); got != 5 {
			t.Fatalf("%d, want 5", got)
		}
		for range 3 {
			time.Sleep(foldAfter - time.Hour)
			directory{t, "y", s}.run(0)
			directory{t, "x", s}.run(0)
			if got := total(t, s); got != 5 {
				t.Fatalf("%d, want 5", got)
			}
		}
	})
}

// countingRows counts the writes.
type countingRows struct {
	*rows
	writes int
}

func (c *countingRows) Write(ctx context.Context, groups ...[]state.Mutation) error {
	c.writes++
	return c.rows.Write(ctx, groups...)
}

// A process that rests does not write its counters every two seconds: each write is a sync of the
// disk. What is counted, or could not be written, is written with the next turn, and the row shows
// each minute that its directory is in use.
func TestCountersThatStandAreNotWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &countingRows{rows: &rows{cells: map[string]state.Cells{}}}
		m := streams.NewMeter()
		c := NewCounts(DefaultOptions(), s, slog.New(slog.DiscardHandler), m, "a")
		wants := func(when string, turns, want int) {
			t.Helper()
			before := s.writes
			for range turns {
				time.Sleep(c.o.Every)
				c.write(t.Context())
			}
			if got := s.writes - before; got != want {
				t.Errorf("%s: %d writes in %d turns, want %d", when, got, turns, want)
			}
		}
		wants("at the start", 1, 1)
		wants("at rest", 20, 0)
		m.Add(streams.Count{Group: "dedupe", What: "dropped", Label: "stale"}, 1)
		wants("with news", 5, 1)
		wants("at rest, for five minutes", 150, 5)
		m.Add(streams.Count{Group: "dedupe", What: "dropped", Label: "stale"}, 1)
		s.set(func() { s.broken = context.DeadlineExceeded })
		wants("the store is away", 3, 3)
		s.set(func() { s.broken = nil })
		wants("it is back", 5, 1)
		if got := total(t, s.rows); got != 2 {
			t.Errorf("%d are kept, want 2", got)
		}
	})
}
