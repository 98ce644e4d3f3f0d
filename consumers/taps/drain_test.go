package taps

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"millrace/consumers/taps/place"
	"millrace/schema"
	"millrace/streams"
	"millrace/streams/streamstest"
	"millrace/topics"
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

// A disk that has no room for the records that wait is the reason that a tap gives, and no reason
// any more when it has.
func TestATapSaysThatWhatWaitsHasNoRoom(t *testing.T) {
	w, dir := newWorld(t), t.TempDir()
	p, err := place.Dir(dir)
	if err != nil {
		t.Fatal(err)
	}
	tap := w.tap(t, p, small())
	room := tap.spoolDir
	tap.spoolDir = filepath.Join(dir, "nothing")
	link := &streamstest.Recorder{Reader: w.reader}
	task := newTask(tap, topics.Unique(), link.Partition(1, 4))
	defer task.stop()
	if _, err := task.Recover(t.Context()); err != nil {
		t.Fatal(err)
	}
	read := func() error {
		return streams.Read(t.Context(), w.reader, topics.Unique(), 1, 0, records, func(r *streams.Record[*schema.Unique]) error {
			return task.Handle(t.Context(), r)
		})
	}
	if err := read(); err == nil {
		t.Fatal("records were kept nowhere")
	}
	if err := tap.Failure(); err == nil || !strings.Contains(err.Error(), "records of a tap wait in a file") {
		t.Errorf("its failure: %v", err)
	}
	look := &waiter{tap: tap, moved: time.Now().Add(-time.Hour)}
	if err := look.look(records, 0, nil); err == nil || !strings.Contains(err.Error(), "records of a tap wait in a file") {
		t.Errorf("who waits is told: %v", err)
	}
	tap.spoolDir = room
	if err := errors.Join(read(), tap.Failure()); err != nil {
		t.Error(err)
	}
	tap.Flush(true)
	if err := task.step(t.Context()); err != nil {
		t.Fatal(err)
	}
	checkOnce(t, dir, "after there was room")
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
