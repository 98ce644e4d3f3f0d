package streams

import (
	"context"
	"slices"

	"millrace/topics"
)

// Stage implements Link.
func (w *work[M]) Stage(s Send) {
	if bad := w.refused(s); bad != nil {
		w.bad = bad
		return
	}
	w.staged = append(w.staged, s)
	w.noteSend(s)
}

// refused returns an error for a record that the group may not send: the map does not say that it
// writes the topic, or the record is too large for it.
func (w *work[M]) refused(s Send) error {
	switch {
	case s.Topic != topics.DeadLetters().Name && s.Topic != w.r.reads && !slices.Contains(w.r.spec.Writes, s.Topic):
		return DeadLetter("undeclared", "group %s does not declare that it writes %s", w.r.spec.Name, s.Topic)
	case s.size() > maxRecord(s.Topic):
		return tooBig(s)
	}
	return nil
}

// SendNow implements Link.
func (w *work[M]) SendNow(s Send, done func(error)) {
	if bad := w.refused(s); bad != nil {
		done(bad)
		return
	}
	w.noteSend(s)
	w.r.produce(context.Background(), s, done)
}

// noteSend notes, for the backlog, which partition a record of this partition goes to, and its
// size.
func (w *work[M]) noteSend(s Send) {
	to := s.Partition
	if to == AnyPartition {
		to = topics.Partition(s.Route, w.r.counts[s.Topic])
	}
	w.r.wait.sent(w.id, s.Topic, to, len(s.Value))
}

// Drop implements Link.
func (w *work[M]) Drop(reason string, n int) {
	w.r.cfg.Meter.count(w.r.spec.Name, "dropped", reason, n)
}

// Done implements Link.
func (w *work[M]) Done(offset int64) {
	if !w.revoked.Load() {
		w.track.done(offset)
	}
}

// Fresh implements Link.
func (w *work[M]) Fresh() bool {
	return !w.revoked.Load() && !w.r.waiting.Load() && w.r.guard.beat.fresh()
}

// Behind implements Link.
func (w *work[M]) Behind() bool { return w.r.wait.holds(w.id) }

// Eased implements Link.
func (w *work[M]) Eased() bool { return w.r.wait.eases(w.id) }

// Full implements Link.
func (w *work[M]) Full() bool { return w.r.wait.full() }

// BehindOn implements Link.
func (w *work[M]) BehindOn(topic string) bool { return w.r.wait.holdsOn(w.id, topic) }

// Era implements Link.
func (w *work[M]) Era() int64 { return w.mark.Era }

// Log implements Link.
func (w *work[M]) Log() *Log { return w.r.reader }
