package taps

import (
	"context"
	"time"

	"millrace/streams"
)

// How often Drain checks.
const (
	drainFirst = 100 * time.Millisecond
	drainMost  = 2 * time.Second
)

// Drain returns when all records that are in the log when it is called are in files, whichever
// process wrote them. A member of the tap must run.
func (t *Tap) Drain(ctx context.Context, log *streams.Log) error {
	ends, err := log.Ends(ctx, t.group.Reads)
	if err != nil {
		return err
	}
	defer t.Flush(false)
	for wait := drainFirst; ; wait = min(wait*2, drainMost) {
		done, err := t.drained(ctx, log, ends)
		if err != nil || done {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
	}
}

// drained reports whether all records below ends are in files. As soon as this process has read
// that far, its files are written without waiting for their bounds.
func (t *Tap) drained(ctx context.Context, log *streams.Log, ends map[int32]int64) (bool, error) {
	read := true
	for _, p := range t.Here().Partitions {
		n, _, err := waiting(ctx, log, t.group.Reads, p.Partition, p.Read, ends[p.Partition])
		if err != nil {
			return false, err
		}
		read = read && n == 0
	}
	t.Flush(read)
	notes, err := newestNotes(ctx, t.place, t.group.Reads)
	if err != nil || len(notes) < len(ends) {
		return false, err
	}
	for _, note := range notes {
		n, _, err := waiting(ctx, log, t.group.Reads, note.Partition, note.Next, ends[note.Partition])
		if err != nil || n > 0 {
			return false, err
		}
	}
	return true, nil
}
