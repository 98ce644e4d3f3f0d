package taps

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"millrace/consumers/taps/place"
	"millrace/streams/streamstest"
)

// away is a place whose store is away, until it is back.
type away struct {
	place.Place
	back atomic.Bool
}

var errAway = errors.New("the store is away")

func (a *away) Write(ctx context.Context, name string, fn func(io.Writer) error) error {
	if !a.back.Load() {
		return errAway
	}
	return a.Place.Write(ctx, name, fn)
}

// runs runs a tap until the test ends.
func (w *world) runs(t *testing.T, tap *Tap) {
	ctx, cancel := context.WithCancel(t.Context())
	ran := make(chan error, 1)
	go func() { ran <- tap.Run(ctx, streamstest.Config(w.opts)) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ran; err != nil {
			t.Error(err)
		}
	})
}

// TestATapWhosePlaceStaysAwayIsNotWaitedForForEver: Drain tells that it waits, and for what, and
// ends when nothing was written for as long as Patience; when the place is back nothing is missing.
func TestATapWhosePlaceStaysAwayIsNotWaitedForForEver(t *testing.T) {
	w, dir := newWorld(t), t.TempDir()
	p, err := place.Dir(dir)
	if err != nil {
		t.Fatal(err)
	}
	tap := w.tap(t, p, small())
	sink := &away{Place: p}
	tap.place = sink
	var looks atomic.Int64 // each look at the clock is a minute later than the last
	tap.deps.Clock = func() time.Time { return time.Unix(1_700_000_000+60*looks.Add(1), 0) }
	w.runs(t, tap)

	for tap.Failure() == nil { // until the first file was tried
		changed := tap.deps.Meter.Changed()
		if tap.Failure() == nil {
			<-changed
		}
	}
	var told []string
	err = tap.Drain(t.Context(), w.reader, func(e *StuckError) { told = append(told, e.Error()) })
	var stuck *StuckError
	if !errors.As(err, &stuck) || stuck.Records != records || stuck.Stood < tap.opts.Patience {
		t.Fatalf("it ended with %v", err)
	}
	if len(told) == 0 || !strings.Contains(told[0], "23 records are in no file") {
		t.Errorf("it told %q", told)
	}
	if f := tap.Failure(); f == nil || !strings.Contains(f.Error(), errAway.Error()) {
		t.Errorf("the tap's failure: %v", f)
	}

	sink.back.Store(true)
	tap.opts.Patience = 24 * time.Hour
	if err := tap.Drain(t.Context(), w.reader, nil); err != nil {
		t.Fatal(err)
	}
	w.checkAll(t, dir)
	if tap.Failure() != nil {
		t.Errorf("it writes again, and says %v", tap.Failure())
	}
}

// slowNames is a place in which files get their names only when they are let.
type slowNames struct {
	place.Place
	let chan struct{}
}

func (s *slowNames) Move(ctx context.Context, from, to string) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-s.let:
		return s.Place.Move(ctx, from, to)
	}
}

// TestFilesWithoutTheirNamesAreWaitedFor: what only stands in a note is not in a file yet.
func TestFilesWithoutTheirNamesAreWaitedFor(t *testing.T) {
	w, dir := newWorld(t), t.TempDir()
	p, err := place.Dir(dir)
	if err != nil {
		t.Fatal(err)
	}
	o := small()
	o.RollRecords = 1000
	tap := w.tap(t, p, o)
	sink := &slowNames{p, make(chan struct{})}
	tap.place = sink
	var looks atomic.Int64 // each look at the clock is ten seconds later than the last
	tap.deps.Clock = func() time.Time { return time.Unix(1_700_000_000+10*looks.Add(1), 0) }
	w.runs(t, tap)
	for written := false; !written; { // until each partition with records has a note of them
		tap.Flush(true)
		notes, err := newestNotes(t.Context(), p, tap.group.Reads)
		if err != nil {
			t.Fatal(err)
		}
		written = slices.ContainsFunc(notes, func(n *Note) bool { return len(n.Files) > 0 })
	}
	let := sync.OnceFunc(func() { close(sink.let) })
	defer let()
	if err := tap.Drain(t.Context(), w.reader, func(*StuckError) { let() }); err != nil {
		t.Fatal(err)
	}
	w.checkAll(t, dir)
}
