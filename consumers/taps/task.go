package taps

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"time"

	"millrace/consumers/taps/place"
	"millrace/streams"
	"millrace/topics"
)

// task writes the files of one partition.
//
// It is large because it is a streams.Task and Passer, seven methods, and the others are the steps
// of taking a partition over and of writing a file.
type task[M topics.Message] struct {
	tap   *Tap
	topic topics.Topic[M]
	p     *streams.Partition
	notes notebook

	writer string   // random, one for each Task
	claim  int64    // number of the note with which it began
	n      int64    // of the newest note
	at     position // where the files end: the next offset to write

	open    *spool // nil: no record waits
	rolling *roll  // nil: no file is being written
	noRoom  bool   // the last record found no room in the spool
	fenced  error  // another writer took over the partition
}

func newTask[M topics.Message](tap *Tap, topic topics.Topic[M], p *streams.Partition) *task[M] {
	var id [12]byte
	_, _ = rand.Read(id[:]) // never fails
	return &task[M]{
		tap: tap, topic: topic, p: p, writer: hex.EncodeToString(id[:]),
		notes: notebook{tap.place, topic.Name, p.ID(), tap.opts.Keep},
	}
}

// Recover finishes what the previous writer began, and takes over the partition: after its note,
// files of other writers do not count.
func (t *task[M]) Recover(ctx context.Context) (int64, error) {
	for {
		last, err := t.notes.newest(ctx)
		if err != nil {
			return 0, err
		}
		if err := t.finish(ctx, last); err != nil {
			return 0, err
		}
		at, err := t.locate(ctx, last)
		if err != nil {
			return 0, err
		}
		err = t.take(ctx, last, at)
		var fenced *FencedError
		if errors.As(err, &fenced) { // another writer began, or wrote a note, since
			continue
		}
		if err != nil {
			return 0, err
		}
		t.tell(last, at)
		t.tap.began(t.p.ID(), at)
		return at.offset, t.sweep(ctx)
	}
}

// finish gives the files of the newest note their names. A file that somebody removed is logged and
// no error.
func (t *task[M]) finish(ctx context.Context, last *Note) error {
	if last == nil {
		return nil
	}
	err := publish(ctx, t.tap.place, last)
	if errors.Is(err, place.ErrMissing) {
		t.tap.log.Warn("a file of a tap is gone: who took it away has its records", "partition", t.p.ID(), "error", err)
		return nil
	}
	return err
}

// take creates the note with which this writer begins.
func (t *task[M]) take(ctx context.Context, last *Note, at position) error {
	note := Note{
		N: 1, Topic: t.topic.Name, TopicID: at.topicID, Partition: t.p.ID(), Era: at.era,
		First: at.offset, Next: at.offset, At: time.Now().UTC().Truncate(time.Millisecond),
		Group: t.tap.group.Name, By: t.tap.opts.Writer, Writer: t.writer,
	}
	if last != nil {
		note.N = last.N + 1
		if last.Era == at.era {
			note.Last = last.Last
		}
	}
	if err := t.notes.write(ctx, &note); err != nil {
		return err
	}
	t.claim, t.n, t.at = note.N, note.N, at
	return t.notes.trim(ctx, note.N)
}

// tell logs and counts what locate found out about the log.
func (t *task[M]) tell(last *Note, at position) {
	if at.reason != "" {
		t.tap.count("eras", 1)
		t.tap.log.Error("the log changed: a new era begins in the files", "partition", t.p.ID(), "reason", at.reason,
			"era", at.era, "offset", at.offset, "files_end", last.Next)
	}
	if at.lost > 0 {
		t.tap.count("lost", at.lost)
		t.tap.log.Error("records were deleted before this tap wrote them", "topic", t.topic.Name, "partition", t.p.ID(), "records", at.lost)
	}
}

// Handle adds a record to the spool.
func (t *task[M]) Handle(_ context.Context, r *streams.Record[M]) error {
	if r.Offset < t.at.offset {
		t.p.Done(r.Offset)
		return nil
	}
	rec := &Record{
		Topic: r.Topic, Partition: r.Partition, Era: t.at.era, Offset: r.Offset, Time: r.Time, Key: r.Key,
		Headers: r.Headers, Value: r.Bytes, Tombstone: r.Tombstone,
	}
	if !r.Tombstone {
		rec.Message = r.Value
	}
	err := t.keep(rec)
	t.tellRoom(err)
	return err
}

// Pass implements streams.Passer: no file has a record that became a dead letter, and the range of
// offsets goes on after it.
func (t *task[M]) Pass(r streams.Raw) {
	if r.Offset < t.at.offset {
		return
	}
	if err := t.begin(); err != nil {
		t.tap.log.Warn("a dead letter may be one again after the next start", "partition", t.p.ID(), "offset", r.Offset, "error", err)
		return
	}
	t.open.pass(&Record{Offset: r.Offset, Time: r.Time, Key: r.Key}, t.tap.deps.Clock())
}

// Undo implements streams.Task: a Handle that failed added nothing.
func (t *task[M]) Undo() {}

// Settle returns an error, which holds the partition back, while more than twice RollBytes wait:
// the files are written too slowly.
func (t *task[M]) Settle(context.Context) error {
	if t.fenced != nil {
		return t.fenced
	}
	if t.open != nil && t.rolling != nil && t.open.size > 2*t.tap.opts.RollBytes {
		return errors.New("the files are written more slowly than records come: the next ones wait")
	}
	return nil
}

// Tick begins to write files when a bound is reached, and takes in the result when they are
// written.
func (t *task[M]) Tick(_ context.Context, _ time.Time) error {
	t.collect()
	if t.rolling == nil && t.fenced == nil && t.open != nil && t.due() {
		t.rolling, t.open = t.start(t.open), nil
	}
	t.tap.stands(t.p.ID(), t.at.offset, t.read(), t.open)
	return nil
}

// read is the offset after the newest record that was read.
func (t *task[M]) read() int64 {
	switch {
	case t.open != nil:
		return t.open.last.Offset + 1
	case t.rolling != nil:
		return t.rolling.note.Next
	}
	return t.at.offset
}

// due reports whether a bound of the spool is reached, or a flush was asked for.
func (t *task[M]) due() bool {
	o, s := t.tap.opts, t.open
	age := t.tap.deps.Clock().Sub(s.began)
	return s.size >= o.RollBytes || len(s.offsets) >= o.RollRecords || age >= o.RollEvery || t.tap.flush.Load()
}

// collect takes in the result of a roll that has ended, and marks its offsets done.
func (t *task[M]) collect() {
	if t.rolling == nil {
		return
	}
	select {
	case <-t.rolling.done:
	default:
		return
	}
	r := t.rolling
	t.rolling = nil
	defer r.spool.close()
	if r.err != nil {
		t.fenced = r.err
		return
	}
	t.n, t.at.offset = r.note.N, r.note.Next
	for _, offset := range r.spool.offsets {
		t.p.Done(offset)
	}
	t.tap.wrote(t.p.ID(), &r.note)
}

// Revoke writes the records that wait, until ctx ends; the next owner reads the rest again. If the
// partition was lost, nothing is written.
func (t *task[M]) Revoke(ctx context.Context, lost bool) {
	if lost {
		t.stop()
		return
	}
	t.settleRoll(ctx)
	if t.open != nil && t.rolling == nil && t.fenced == nil && ctx.Err() == nil {
		t.rolling, t.open = t.start(t.open), nil
		t.settleRoll(ctx)
	}
	t.stop()
}

// settleRoll waits until the files are written or ctx ends.
func (t *task[M]) settleRoll(ctx context.Context) {
	if t.rolling == nil {
		return
	}
	select {
	case <-t.rolling.done:
		t.collect()
	case <-ctx.Done():
	}
}

// stop cancels the writing and drops the records that wait.
func (t *task[M]) stop() {
	if t.rolling != nil {
		t.rolling.cancel()
		<-t.rolling.done
		t.rolling.spool.close()
		t.rolling = nil
	}
	if t.open != nil {
		t.open.close()
		t.open = nil
	}
	t.tap.left(t.p.ID())
}
