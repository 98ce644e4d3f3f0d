package streams

import (
	"context"
	"errors"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"millrace/topics"
)

// The pause before what failed is tried again: retryFirst, doubled up to retryMost; for a Tick that
// panics, up to panicMost.
const (
	retryFirst = 250 * time.Millisecond
	retryMost  = 2 * time.Second
	panicMost  = 30 * time.Second
)

// work is one partition and its Task, from assignment to revocation. The goroutine of its recovery
// owns it until recovery.done is closed, then the loop.
//
// It is large because it has two users: the Task, as its Link (link.go), and the loop, for the
// steps of a round.
type work[M topics.Message] struct {
	r    *runner[M]
	id   int32
	mark Mark      // which log is read, and how far
	born time.Time // when it was assigned
	part *Partition
	task Task[M]

	recovery recovery
	ready    bool // recovered, and the client fetches from where it begins

	committed Progress // as fetched; Offset is negative without a commit
	resumed   Progress // what an earlier owner had finished when this one began
	track     *tracker
	staged    []Send
	ended     []int64       // offsets that are done when the round is settled
	bad       error         // why something staged cannot be sent
	again     int64         // the client must fetch from here again; -1 = go on
	kept      []*kgo.Record // fetched, for a later round (ahead.go)
	urgentTo  int64         // offset after the last urgent record that was fetched
	turn      int           // number of the last round that took records of it

	unsettled error // why the last Settle failed
	records   backoff
	ticks     backoff

	saved saved // what the brokers have acknowledged

	revoked atomic.Bool
	left    sync.Once
}

// handle gives records to the Task, then calls Tick. What fails is tried again in a later round. It
// stops early when a rebalance waits, or at until.
func (w *work[M]) handle(ctx context.Context, records []*kgo.Record, until time.Time) {
	if w.unsettled != nil || w.records.rests(time.Now()) {
		w.putBack(records)
	} else {
		w.prepare(ctx, records)
		w.take(ctx, records, until)
	}
	if w.unsettled == nil && ctx.Err() == nil && !w.r.waiting.Load() {
		w.tick(ctx)
	}
}

// take gives records to the Task until one fails.
func (w *work[M]) take(ctx context.Context, records []*kgo.Record, until time.Time) {
	for i, rec := range records {
		if ctx.Err() != nil || i > 0 && (w.r.waiting.Load() || time.Now().After(until)) {
			w.putBack(records[i:])
			return
		}
		w.track.take(rec.Offset)
		if rec.Attrs.IsControl() || w.resumed.IsDone(rec.Offset) {
			w.ended = append(w.ended, rec.Offset)
			continue
		}
		if err := w.one(ctx, rec); err != nil {
			if ctx.Err() == nil { // else it ends, and nothing failed
				w.failed(&w.records, retryMost, err)
			}
			w.putBack(records[i:])
			return
		}
		w.records.clear()
	}
}

// failed counts and logs a failure, and sets the pause.
func (w *work[M]) failed(b *backoff, most time.Duration, err error) {
	b.failed(time.Now(), most)
	w.r.cfg.Meter.count(w.r.spec.Name, "retried", "", 1)
	w.r.log.Warn("trying again", "partition", w.id, "wait", b.wait, "error", err)
	if Denied(err) {
		w.r.guard.fail(err)
	}
}

// waits reports whether the partition takes no records now.
func (w *work[M]) waits(now time.Time) bool {
	return !w.ready || w.unsettled != nil || w.records.rests(now) || w.r.spec.Pauses && w.r.wait.holds(w.id)
}

// tick calls Tick. A panic in it is counted and logged, and stops nothing else; each pause before
// the next try is longer.
func (w *work[M]) tick(ctx context.Context) {
	if w.ticks.rests(time.Now()) {
		return
	}
	err := w.attempt(func() error { return w.task.Tick(ctx, time.Now()) })
	p, letter := asDeadLetter(err)
	switch {
	case err == nil:
		w.ticks.clear()
	case ctx.Err() != nil:
	case letter:
		w.r.cfg.Meter.count(w.r.spec.Name, "failed_ticks", p.Kind, 1)
		w.failed(&w.ticks, panicMost, err)
	default:
		w.failed(&w.ticks, retryMost, err)
	}
}

// one brings a record to one of its four ends; after an error it is retried.
func (w *work[M]) one(ctx context.Context, rec *kgo.Record) error {
	m, forwarded, err := w.read(rec)
	switch {
	case err != nil: // the Task did nothing yet: there is nothing to undo
	case forwarded:
		err = w.pass(m)
	default:
		err = w.attempt(func() error { return w.task.Handle(ctx, m) })
	}
	p, letter := asDeadLetter(err)
	switch {
	case letter:
		w.staged = append(w.staged, letterOf(w.r.spec.Name, rec, p))
		w.r.cfg.Meter.count(w.r.spec.Name, "dead_letter", p.Kind, 1)
		w.r.log.Warn("record goes to the dead letters", "partition", w.id, "offset", rec.Offset, "kind", p.Kind, "error", p.Err)
	case err != nil:
		return err
	case forwarded:
		w.r.cfg.Meter.count(w.r.spec.Name, "misrouted", "", 1)
	default:
		w.r.cfg.Meter.handled(w.r.spec.Name, time.Since(rec.Timestamp))
	}
	if letter || forwarded {
		w.passed(rawOf(rec))
	}
	if letter || forwarded || w.r.spec.Delivery != topics.Async {
		w.ended = append(w.ended, rec.Offset)
	}
	return nil
}

// read decodes a record and reports whether it is in the wrong partition.
func (w *work[M]) read(rec *kgo.Record) (m *Record[M], misrouted bool, err error) {
	err = safely(func() error {
		var err error
		if m, err = decode(w.r.topic, rec); err == nil {
			misrouted = w.misrouted(m)
		}
		return err
	})
	return m, misrouted, err
}

// pass stages a record again, for the right partition.
func (w *work[M]) pass(m *Record[M]) error {
	w.bad = nil
	w.Stage(w.forward(m))
	return w.bad
}

// attempt calls a method of the Task and, if it fails, takes back what it staged. A panic becomes a
// DeadLetterError.
func (w *work[M]) attempt(fn func() error) error {
	before := len(w.staged)
	w.bad = nil
	err := safely(fn)
	if err = errors.Join(err, w.bad); err != nil {
		w.staged = w.staged[:before]
		if undo := safely(func() error { w.task.Undo(); return nil }); undo != nil {
			w.r.log.Error("what failed was not taken back", "partition", w.id, "error", undo)
		}
	}
	return err
}

// safely turns a panic of fn into a DeadLetterError.
func safely(fn func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = DeadLetter("panic", "%v\n%s", p, debug.Stack())
		}
	}()
	return fn()
}

// misrouted reports whether a record is in the wrong partition: other clients may hash differently
// or know an old partition count.
func (w *work[M]) misrouted(m *Record[M]) bool {
	if m.Tombstone {
		return false
	}
	route := w.r.topic.Place(m.Value).Route
	return route != "" && topics.Partition(route, w.r.counts[m.Topic]) != m.Partition
}

func (w *work[M]) forward(m *Record[M]) Send {
	place := w.r.topic.Place(m.Value)
	return Send{
		Topic: m.Topic, Partition: AnyPartition, Route: place.Route, Key: place.Key,
		Value: m.Bytes, Headers: m.Headers,
	}
}

// settle calls Settle; then the round's records are done. A Settle that fails is repeated in a
// later round, before anything else.
func (w *work[M]) settle(ctx context.Context) {
	if w.unsettled != nil && w.records.rests(time.Now()) {
		return
	}
	w.unsettled = safely(func() error { return w.task.Settle(ctx) })
	if w.unsettled != nil {
		if ctx.Err() == nil {
			w.failed(&w.records, longest(w.unsettled), w.unsettled)
		}
		return
	}
	for _, offset := range w.ended {
		w.track.done(offset)
	}
	w.ended = w.ended[:0]
}
