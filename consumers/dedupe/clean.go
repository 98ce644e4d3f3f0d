package dedupe

import (
	"context"
	"errors"
	"slices"
	"time"

	"millrace/schema"
	"millrace/streams"
	"millrace/topics"
)

// Trimmer is the part of the built-in broker that cleaning needs.
type Trimmer interface {
	// Floor returns the offset of a partition of docs.unique that all its readers have passed:
	// consumer groups, the index on disk, a rebuild in progress.
	Floor(ctx context.Context, partition int32) (int64, error)
	// DeleteBefore deletes all records before an offset, if no reader needs them at that moment.
	DeleteBefore(ctx context.Context, partition int32, offset int64) error
}

// cleaner keeps docs.unique small on a broker that does not compact it. dedupe is the only writer
// of the topic, so it knows which records are live: the newest of their key. When more records are
// dead than live, it reads the oldest part, appends its live records again (with the header
// "copy"), and deletes the part when the copies are acknowledged and all readers have passed it. A
// crash in between leaves copies, which do no harm.
//
// A copy is equal to its original, so the fold of the topic and its digest do not change. A reader
// from the beginning finds every live document. A tombstone is deleted with its part; by then the
// records that it deleted are gone too, as they are older.
type cleaner struct {
	trimmer Trimmer
	part    *streams.Partition
	out     streams.Emitter[*schema.Unique]

	last   time.Time
	copied int64 // every live record before this offset has a copy behind it; 0 = nothing to delete
	acked  bool  // the copies are acknowledged
	few    int64 // one more than the stamp of the fold when too few records were dead to clean; 0 = not so
}

const (
	cleanEvery = time.Second
	minDead    = 1000    // dead records; with fewer nothing is cleaned
	copyBytes  = 4 << 20 // read in one Tick, so that it does not take long
	copyHeader = "copy"
)

// settled notes that the copies of the round are acknowledged.
func (c *cleaner) settled() { c.acked = true }

// clean does one step, at most once a second: it copies a part, or deletes the part that was
// copied. When too few records are dead it waits until the fold has another record.
func (t *task) clean(ctx context.Context, now time.Time) error {
	c, log := &t.cleaner, t.part.Log()
	if c.trimmer == nil || log == nil || now.Sub(c.last) < cleanEvery {
		return nil
	}
	if c.copied == 0 && c.few == t.fold.at+1 {
		return nil
	}
	c.last = now
	floor, err := c.trimmer.Floor(ctx, t.part.ID())
	if err != nil {
		return err
	}
	if c.copied > 0 {
		return c.trim(ctx, floor)
	}
	from, to, few, err := c.oldest(ctx, log, t.fold.documents, floor)
	if c.few = 0; few && t.fold.at == t.journal.settled.at { // else what this round sends is not appended yet
		c.few = t.fold.at + 1
	}
	if err != nil || from == to {
		return err
	}
	return t.copyLive(ctx, log, from, to)
}

// trim deletes the part that was copied, if its copies are acknowledged and all readers have passed
// it.
func (c *cleaner) trim(ctx context.Context, floor int64) error {
	if !c.acked || floor < c.copied {
		return nil
	}
	if err := c.trimmer.DeleteBefore(ctx, c.part.ID(), c.copied); err != nil {
		return err
	}
	c.copied, c.last = 0, time.Time{}
	return nil
}

// oldest returns the part to be cleaned: the oldest tenth, but not beyond what all readers have
// passed. few: fewer than minDead records are dead, or not more are dead than live; then from = to.
func (c *cleaner) oldest(ctx context.Context, log *streams.Log, live, floor int64) (from, to int64, few bool, err error) {
	from, err = log.Start(ctx, topics.Unique().Name, c.part.ID())
	if err != nil {
		return 0, 0, false, err
	}
	end, err := log.End(ctx, topics.Unique().Name, c.part.ID())
	if err != nil {
		return 0, 0, false, err
	}
	dead := end - from - live
	if dead < minDead || dead <= live {
		return from, from, true, nil
	}
	to = min(from+(end-from+9)/10, floor, end-1) // never all: a partition without any record looks new
	return from, max(from, to), false, nil
}

var errEnough = errors.New("read enough for now")

// copyLive appends the live records of a part again, at most copyBytes at a time.
func (t *task) copyLive(ctx context.Context, log *streams.Log, from, to int64) error {
	bytes, next := 0, from
	err := log.Scan(ctx, topics.Unique().Name, t.part.ID(), from, to, func(r streams.Raw) error {
		if bytes >= copyBytes {
			return errEnough
		}
		bytes, next = bytes+len(r.Key)+len(r.Value), r.Offset+1
		return t.copyIfLive(ctx, r)
	})
	switch {
	case err == nil:
		next = to
	case !errors.Is(err, errEnough):
		return err
	}
	t.cleaner.copied, t.cleaner.acked = next, false
	return nil
}

// copyIfLive appends a record again if it is the newest of its key, the work of this round
// included.
func (t *task) copyIfLive(ctx context.Context, r streams.Raw) error {
	if r.Value == nil || !schema.Storable(r.Key) {
		return nil
	}
	row := &schema.DocRow{}
	if _, err := t.rows.read(ctx, schema.DocTable, docKey(r.Key), row); err != nil {
		return err
	}
	if row.SentEra != t.fold.uniqueEra || row.Sent != schema.RecordHash(r.Key, r.Value) {
		return nil
	}
	isCopy := func(h streams.Header) bool { return h.Key == copyHeader }
	headers := slices.Clone(r.Headers)
	if !slices.ContainsFunc(headers, isCopy) {
		headers = append(headers, streams.VersionHeader(copyHeader, r.Offset))
	}
	t.unique.staged++
	t.cleaner.out.Copy(t.part.ID(), r.Key, r.Value, headers...)
	return nil
}
