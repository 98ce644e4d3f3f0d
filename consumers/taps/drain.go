package taps

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"time"

	"millrace/streams"
)

// How often Drain checks.
const (
	drainFirst = 100 * time.Millisecond
	drainMost  = 2 * time.Second
)

// How long nothing was written when Drain tells so first, and the time between two of its words.
const (
	tellAfter = 5 * time.Second
	tellEvery = 30 * time.Second
)

// StuckError says that a tap writes nothing, although records wait.
type StuckError struct {
	Place   string
	Records int64         // in the log and in no file; -1: not known
	Stood   time.Duration // nothing was read or written for so long
	Cause   error         // of the last failure; nil: none was seen
}

// Error implements error.
func (e *StuckError) Error() string {
	records := fmt.Sprintf("%d records are in no file", e.Records)
	if e.Records < 0 {
		records = "records are in no file"
	}
	out := fmt.Sprintf("%s: %s, and nothing was written for %s", e.Place, records, e.Stood.Round(time.Second))
	if e.Cause != nil {
		out += ": " + e.Cause.Error()
	}
	return out
}

// Unwrap returns the cause.
func (e *StuckError) Unwrap() error { return e.Cause }

// Drain returns when all records that are in the log when it is called are in files, whichever
// process wrote them. A member of the tap must run. When nothing was written for Options.Patience,
// or the tap has ended, it returns a *StuckError. Before, tell is called when nothing was written
// for five seconds, and again every 30 s; nil: nobody is told.
func (t *Tap) Drain(ctx context.Context, log *streams.Log, tell func(*StuckError)) error {
	ends, err := log.Ends(ctx, t.group.Reads)
	if err != nil {
		return err
	}
	defer t.Flush(false)
	w := &waiter{tap: t, moved: t.deps.Clock(), told: -tellEvery, tell: tell}
	for wait := drainFirst; ; wait = min(wait*2, drainMost) {
		left, at, err := t.drained(ctx, log, ends)
		if err == nil && left == 0 || ctx.Err() != nil {
			return ctx.Err()
		}
		if err := w.look(left, at, err); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
	}
}

// waiter decides how long Drain waits.
type waiter struct {
	tap   *Tap
	at    int64 // sum of what was read and written when it last moved
	moved time.Time
	told  time.Duration // Stood when it was last told
	tell  func(*StuckError)
}

// look returns an error when it is time to give up.
func (w *waiter) look(left, at int64, failed error) error {
	now := w.tap.deps.Clock()
	if failed == nil && at > w.at { // a partition that leaves makes it smaller
		w.at, w.moved, w.told = at, now, -tellEvery
	}
	e := &StuckError{Place: w.tap.place.String(), Records: left, Stood: now.Sub(w.moved), Cause: errors.Join(failed, w.tap.Failure())}
	if e.Stood >= w.tap.opts.Patience || w.tap.hasEnded() != nil {
		return e
	}
	if e.Stood >= tellAfter && e.Stood-w.told >= tellEvery && w.tell != nil {
		w.told = e.Stood
		w.tell(e)
	}
	return nil
}

// drained returns how many records below ends are in no file, or -1 if that is not known, and a
// number that grows with each record that is read and each note. As soon as this process has read
// that far, its files are written without waiting for their bounds.
func (t *Tap) drained(ctx context.Context, log *streams.Log, ends map[int32]int64) (left, at int64, err error) {
	read := true
	for _, p := range t.Here().Partitions {
		n, _, err := waiting(ctx, log, t.group.Reads, p.Partition, p.Read, ends[p.Partition])
		if err != nil {
			return -1, at, err
		}
		read, at = read && n == 0, at+p.Read
	}
	t.Flush(read)
	notes, err := newestNotes(ctx, t.place, t.group.Reads)
	if err != nil {
		return -1, at, err
	}
	written := map[int32]int64{}
	for _, note := range notes {
		written[note.Partition] = note.Next
		at += note.Next
	}
	for p, end := range ends {
		n, _, err := waiting(ctx, log, t.group.Reads, p, written[p], end)
		if err != nil {
			return -1, at, err
		}
		left += n
	}
	if left > 0 {
		return left, at, nil
	}
	if len(notes) < len(ends) { // a partition that nobody took over yet
		return -1, at, nil
	}
	if unnamed, err := t.unnamed(ctx, notes); unnamed || err != nil {
		return -1, at, err
	}
	return 0, at, nil
}

// unnamed reports whether a file of the newest notes has not got its own name yet: its writer gives
// it that after the note, or whoever takes the partition over.
func (t *Tap) unnamed(ctx context.Context, notes []*Note) (bool, error) {
	for _, note := range notes {
		if len(note.Files) == 0 {
			continue
		}
		staged, err := t.place.List(ctx, path.Dir(note.Files[0].Staged)+"/")
		if err != nil {
			return false, err
		}
		if slices.ContainsFunc(note.Files, func(f Written) bool { return slices.Contains(staged, f.Staged) }) {
			return true, nil
		}
	}
	return false, nil
}
