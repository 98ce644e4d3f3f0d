package streams

import (
	"context"
	"fmt"
	"slices"

	"github.com/twmb/franz-go/pkg/kgo"

	"millrace/topics"
)

// Stage implements Link.
func (w *work[M]) Stage(s Send) {
	switch {
	case s.Topic != topics.DeadLetters().Name && s.Topic != w.r.topic.Name && !slices.Contains(w.r.spec.Writes, s.Topic):
		w.bad = Poison("undeclared", "group %s does not declare that it writes %s", w.r.spec.Name, s.Topic)
	case len(s.Value) > maxValue:
		w.bad = Poison("too_big", "a record of %d bytes for %s: at most %d", len(s.Value), s.Topic, maxValue)
	default:
		w.staged = append(w.staged, s)
		w.noteSend(s)
	}
}

// maxValue leaves room for the key and headers of a record.
const maxValue = topics.MaxRecordBytes - 64<<10

// SendNow implements Link.
func (w *work[M]) SendNow(s Send, done func(error)) {
	if len(s.Value) > maxValue {
		done(Poison("too_big", "a record of %d bytes for %s: at most %d", len(s.Value), s.Topic, maxValue))
		return
	}
	w.noteSend(s)
	w.r.produce(context.Background(), s, done)
}

// noteSend tells the backlog where records of this partition go.
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
	return !w.revoked.Load() && w.r.beat.within(w.r.cfg.Session*2/3)
}

// Behind implements Link.
func (w *work[M]) Behind() bool { return w.r.wait.holds(w.id) }

// BehindOn implements Link.
func (w *work[M]) BehindOn(topic string) bool { return w.r.wait.holdsOn(w.id, topic) }

// Era implements Link.
func (w *work[M]) Era() int64 { return w.mark.Era }

// Log implements Link.
func (w *work[M]) Log() *Log { return w.r.reader }

// parked is the dead letter of a record: its bytes, and why.
func parked(group string, rec *kgo.Record, p *PoisonError) Send {
	s := Send{Topic: topics.DeadLetters().Name, Partition: 0, Key: string(rec.Key), Value: rec.Value}
	for _, h := range rec.Headers {
		s.Headers = append(s.Headers, Header(h))
	}
	message := fmt.Sprint(p.Err)
	s.Headers = append(s.Headers,
		Header{"topic", []byte(rec.Topic)},
		VersionHeader("partition", int64(rec.Partition)),
		VersionHeader("offset", rec.Offset),
		Header{"group", []byte(group)},
		Header{"kind", []byte(p.Kind)},
		Header{"error", []byte(message[:min(len(message), 2000)])},
	)
	return s
}
