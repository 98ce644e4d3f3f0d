package streams

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"millrace/topics"
)

// marker finds out which log a partition holds, and reads and writes the marks of the member's
// partitions (Marks). If Config.Marks is nil it takes the commits as they are and writes nothing.
type marker[M topics.Message] struct {
	*member
	written time.Time // when the marks were last written
}

// identify finds out which log a partition holds and where the group begins in it, and sets the
// work's mark with its era. Progress in another log is ignored.
func (k *marker[M]) identify(ctx context.Context, w *work[M]) (standing, error) {
	done := map[int32]Progress{}
	if w.committed.Offset >= 0 {
		done[w.id] = w.committed
	}
	if k.cfg.Marks == nil {
		s := withoutMarks([]int32{w.id}, done)[w.id]
		w.mark = s.mark
		return s, nil
	}
	out, err := stand(ctx, k.reader, k.cfg.Marks, k.spec.Name, k.reads, []int32{w.id}, done)
	if err != nil {
		return standing{}, fmt.Errorf("the identity of the log is not known: %w", err)
	}
	s := out[w.id]
	w.mark = s.mark
	k.announce(w.id, s)
	return s, nil
}

// announce counts and logs what identify found: a new era, and records that were deleted unread.
func (k *marker[M]) announce(p int32, s standing) {
	if s.raised {
		k.cfg.Meter.count(k.spec.Name, "eras", k.reads, 1)
		k.log.Error("the log changed: a new era begins", "partition", p, "change", s.mark.Changed.String())
	}
	if s.lost > 0 {
		k.cfg.Meter.count(k.spec.Name, "lost", k.reads, int(s.lost))
		k.log.Error("records were deleted before this group read them", "topic", k.reads, "partition", p, "records", s.lost)
	}
}

// reserve writes the marks of partitions whose records of this round reach Limit or have another
// leader epoch, before they are handled. The new Limit is markAhead records further.
func (k *marker[M]) reserve(ctx context.Context, works []*work[M], batches map[int32][]*kgo.Record) error {
	marks := map[int32]Mark{}
	for _, w := range works {
		records := batches[w.id]
		if len(records) == 0 || k.cfg.Marks == nil {
			continue
		}
		k.countHoles(w, records)
		last := records[len(records)-1]
		if last.Offset < w.mark.Limit && last.LeaderEpoch == w.mark.Epoch && !w.mark.Ended {
			continue
		}
		w.mark.Limit, w.mark.Epoch = last.Offset+1+markAhead, last.LeaderEpoch
		w.stamp(k.reader.opts.MachineStart)
		marks[w.id] = w.mark
	}
	return k.save(ctx, marks)
}

// countHoles counts missing offsets in the embedded log as lost records. That log has no
// transactions and is not compacted, so only damage can remove a record. On a real Kafka missing
// offsets are normal.
func (k *marker[M]) countHoles(w *work[M], records []*kgo.Record) {
	if k.cfg.Kafka.Transactions {
		return
	}
	lost, next := int64(0), w.track.read()
	for _, rec := range records {
		lost += max(0, rec.Offset-next)
		next = rec.Offset + 1
	}
	if lost > 0 {
		k.cfg.Meter.count(k.spec.Name, "lost", k.reads, int(lost))
		k.log.Error("records are missing in the log", "topic", k.reads, "partition", w.id, "records", lost, "before_offset", next)
	}
}

// refresh writes, every markEvery, the marks of the partitions that went on.
func (k *marker[M]) refresh(ctx context.Context, works []*work[M]) error {
	if k.cfg.Marks == nil || time.Since(k.written) < markEvery {
		return nil
	}
	k.written = time.Now()
	marks := map[int32]Mark{}
	for _, w := range works {
		if w.track.progress().Offset > w.mark.Next {
			w.stamp(k.reader.opts.MachineStart)
			marks[w.id] = w.mark
		}
	}
	return k.save(ctx, marks)
}

// end writes the marks of partitions whose Tasks have ended, with Ended set. A failure is only
// logged: after another boot of the machine, or a restart of the broker with the only copy, the
// next owner may then begin a new era without need.
func (k *marker[M]) end(ctx context.Context, works []*work[M]) {
	if k.cfg.Marks == nil {
		return
	}
	marks := map[int32]Mark{}
	for _, w := range works {
		if !w.ready {
			continue
		}
		w.mark.Limit = w.track.read()
		w.stamp(k.reader.opts.MachineStart)
		w.mark.Ended = true
		marks[w.id] = w.mark
	}
	if len(marks) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, lastCommit)
	defer cancel()
	if err := k.cfg.Marks.Save(ctx, k.spec.Name, k.reads, marks); err != nil {
		k.log.Warn("the last marks were not written: after a power loss some work may be repeated", "error", err)
	}
}

func (k *marker[M]) save(ctx context.Context, marks map[int32]Mark) error {
	if len(marks) == 0 {
		return nil
	}
	for pause := retryFirst; ; pause = min(2*pause, retryMost) {
		err := k.cfg.Marks.Save(ctx, k.spec.Name, k.reads, marks)
		if err == nil {
			return nil
		}
		k.log.Warn("marks not written, trying again", "error", err)
		select {
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		case <-time.After(pause):
		}
	}
}

// stamp sets the mark's Next to the partition's progress, and counts the write.
func (w *work[M]) stamp(machine string) {
	w.mark.Next, w.mark.Ended, w.mark.MachineStart = w.track.progress().Offset, false, machine
	w.mark.Seq++
}
