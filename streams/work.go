package streams

import (
	"context"
	"errors"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"millrace/topics"
)

// The back-off between two tries of a record.
const (
	retryFirst = 250 * time.Millisecond
	retryMost  = 2 * time.Second
)

// work is one partition in the hands of its owner. Only the loop touches it,
// except for what Link says is called from elsewhere.
type work[M topics.Message] struct {
	r       *runner[M]
	id      int32
	part    *Partition
	mark    Mark // which log is read, and how far
	task    Task[M]
	track   *tracker
	resumed Progress // what an earlier owner had finished when this one began
	staged  []Send
	ended   []int64 // offsets that are done when the round is settled
	bad     error   // why something staged cannot be sent
	revoked atomic.Bool
	saved   int64 // offset of the last commit
}

// handle hands records to the Task, then lets it do what is due by the clock.
func (w *work[M]) handle(ctx context.Context, records []*kgo.Record) error {
	w.prepare(ctx, records)
	for _, rec := range records {
		w.track.take(rec.Offset)
		if rec.Attrs.IsControl() || w.resumed.IsDone(rec.Offset) {
			w.ended = append(w.ended, rec.Offset)
			continue
		}
		if err := w.try(ctx, func() error { return w.one(ctx, rec) }); err != nil {
			return err
		}
	}
	return w.try(ctx, func() error {
		return w.attempt(func() error { return w.task.Tick(ctx, time.Now()) })
	})
}

// try repeats fn with a growing pause until it works or ctx ends.
func (w *work[M]) try(ctx context.Context, fn func() error) error {
	for pause := retryFirst; ; pause = min(2*pause, retryMost) {
		err := fn()
		if err == nil || ctx.Err() != nil {
			return err
		}
		w.r.cfg.Meter.count(w.r.spec.Name, "retried", "", 1)
		w.r.log.Warn("trying again", "partition", w.id, "error", err)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

// one brings a record to one of its four ends; an error means: try again.
func (w *work[M]) one(ctx context.Context, rec *kgo.Record) error {
	m, err := decode(w.r.topic, rec)
	if err == nil && w.misrouted(m) {
		w.Stage(w.forward(m))
		w.r.cfg.Meter.count(w.r.spec.Name, "misrouted", "", 1)
		w.ended = append(w.ended, rec.Offset)
		return nil
	}
	if err == nil {
		err = w.attempt(func() error { return w.task.Handle(ctx, m) })
	}
	if p, ok := asPoison(err); ok {
		w.Stage(parked(w.r.spec.Name, rec, p))
		w.r.cfg.Meter.count(w.r.spec.Name, "parked", p.Kind, 1)
		w.r.log.Warn("record parked", "partition", w.id, "offset", rec.Offset, "kind", p.Kind, "error", p.Err)
		w.ended = append(w.ended, rec.Offset)
		return nil
	}
	if err != nil {
		return err
	}
	w.r.cfg.Meter.handled(w.r.spec.Name, time.Since(rec.Timestamp))
	if w.r.spec.Delivery != topics.Async {
		w.ended = append(w.ended, rec.Offset)
	}
	return nil
}

// attempt calls a method of the Task; what it staged is taken back if it fails.
// A panic is poison: it would come again.
func (w *work[M]) attempt(fn func() error) (err error) {
	before := len(w.staged)
	w.bad = nil
	defer func() {
		if p := recover(); p != nil {
			err = Poison("panic", "%v\n%s", p, debug.Stack())
		}
		if err = errors.Join(err, w.bad); err != nil {
			w.staged = w.staged[:before]
			w.task.Undo()
		}
	}()
	return fn()
}

// misrouted reports whether a record stands in a partition that is not its own:
// other clients partition in other ways, or with an old partition count.
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

// settle lets the Task write its state; then the round's records are done.
func (w *work[M]) settle(ctx context.Context) error {
	if err := w.try(ctx, func() error { return w.task.Settle(ctx) }); err != nil {
		return err
	}
	for _, offset := range w.ended {
		w.track.done(offset)
	}
	w.ended = w.ended[:0]
	return nil
}
