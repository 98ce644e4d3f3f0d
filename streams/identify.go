package streams

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"millrace/topics"
)

const (
	// markAhead is how many records may be handled before their mark is written again.
	markAhead = 8192
	// markEvery is the time between two marks of a partition that goes on.
	markEvery = 5 * time.Second
)

// stand compares partitions of a group's topic with its marks and commits, and writes the marks
// that changed. After it the eras are known and no work of a new era was done.
func stand(ctx context.Context, l *Log, marks Marks, group, topic string, partitions []int32, done map[int32]Progress) (map[int32]standing, error) {
	had, err := marks.Load(ctx, group, topic, partitions)
	if err != nil {
		return nil, fmt.Errorf("marks of group %s: %w", group, err)
	}
	seen, err := l.witnesses(ctx, topic, had)
	if err != nil {
		return nil, err
	}
	out, save := map[int32]standing{}, map[int32]Mark{}
	for _, p := range partitions {
		w, ok := seen[p]
		if !ok {
			return nil, fmt.Errorf("topic %s has no partition %d any more", topic, p)
		}
		machine := l.opts.MachineStart
		if l.opts.Damaged != nil && l.opts.Damaged(topic, p) {
			machine += " damaged"
		}
		s := judge(pick(had, p), pick(done, p), w, machine)
		if s.mark.Era > maxEra {
			return nil, fmt.Errorf("%s/%d: the log was cut or made anew %d times, the store takes no more: begin with an empty store", topic, p, maxEra)
		}
		if s.raised {
			c := &s.mark.Changed
			c.Group, c.Topic, c.Partition, c.Era, c.At = group, topic, p, s.mark.Era, time.Now()
		}
		if s.raised || s.fresh {
			s.mark.Seq++
			s.mark.MachineStart = l.opts.MachineStart
			save[p] = s.mark
		}
		out[p] = s
	}
	if len(save) > 0 {
		err = marks.Save(ctx, group, topic, save)
	}
	return out, err
}

func pick[V any](m map[int32]V, p int32) *V {
	v, ok := m[p]
	if !ok {
		return nil
	}
	return &v
}

// CheckLogs compares the logs of all groups with their marks while no group runs and nobody
// appends: a log that lost its end must not grow over it unseen. Commits of groups whose log
// changed are moved to where the new era begins.
func CheckLogs(ctx context.Context, opts Options, marks Marks) ([]Change, error) {
	l, err := NewLog(opts)
	if err != nil {
		return nil, err
	}
	defer l.Close()
	var changes []Change
	for _, g := range topics.Groups() {
		n, err := l.Partitions(ctx, g.Reads)
		if err != nil {
			return changes, err
		}
		done, err := l.Committed(ctx, g.Name, g.Reads)
		if err != nil {
			return changes, err
		}
		var all []int32
		for p := range n {
			all = append(all, p)
		}
		at, err := stand(ctx, l, marks, g.Name, g.Reads, all, done)
		if err != nil {
			return changes, err
		}
		for p, s := range at {
			if !s.raised {
				continue
			}
			changes = append(changes, s.mark.Changed)
			if err := l.Commit(ctx, g.Name, g.Reads, p, Progress{Offset: s.begin, Era: s.mark.Era}); err != nil {
				return changes, err
			}
		}
	}
	slices.SortFunc(changes, func(a, b Change) int { return int(a.Partition - b.Partition) })
	return changes, nil
}

// identify finds out which log a partition holds and where the group begins in it. The work
// knows its era then; progress in another log counts for nothing.
func (r *runner[M]) identify(ctx context.Context, w *work[M]) (standing, error) {
	done := map[int32]Progress{}
	if w.committed.Offset >= 0 {
		done[w.id] = w.committed
	}
	if r.cfg.Marks == nil {
		s := withoutMarks([]int32{w.id}, done)[w.id]
		w.mark = s.mark
		return s, nil
	}
	out, err := stand(ctx, r.reader, r.cfg.Marks, r.spec.Name, r.topic.Name, []int32{w.id}, done)
	if err != nil {
		return standing{}, fmt.Errorf("the identity of the log is not known: %w", err)
	}
	s := out[w.id]
	w.mark = s.mark
	r.announce(w.id, s)
	return s, nil
}

// withoutMarks believes the commits: for tests of Tasks, whose log lives as long as they do.
func withoutMarks(partitions []int32, done map[int32]Progress) map[int32]standing {
	out := map[int32]standing{}
	for _, p := range partitions {
		s := standing{begin: Committed, mark: Mark{Era: 1}}
		if d, ok := done[p]; ok {
			s.begin, s.mark.Era = d.Offset, d.era()
		}
		out[p] = s
	}
	return out
}

// announce says what identify found.
func (r *runner[M]) announce(p int32, s standing) {
	if s.raised {
		r.cfg.Meter.count(r.spec.Name, "eras", r.topic.Name, 1)
		r.log.Error("the log changed: a new era begins", "partition", p, "change", s.mark.Changed.String())
	}
	if s.lost > 0 {
		r.cfg.Meter.count(r.spec.Name, "lost", r.topic.Name, int(s.lost))
		r.log.Error("records were deleted before this group read them", "topic", r.topic.Name, "partition", p, "records", s.lost)
	}
}

// reserve writes the marks of partitions that are about to be read beyond them.
func (r *runner[M]) reserve(ctx context.Context, works []*work[M], batches map[int32][]*kgo.Record) error {
	save := map[int32]Mark{}
	for _, w := range works {
		records := batches[w.id]
		if len(records) == 0 || r.cfg.Marks == nil {
			continue
		}
		r.countHoles(w, records)
		last := records[len(records)-1]
		if last.Offset < w.mark.Limit && last.LeaderEpoch == w.mark.Epoch && !w.mark.Ended {
			continue
		}
		w.mark.Limit, w.mark.Epoch = last.Offset+1+markAhead, last.LeaderEpoch
		w.stamp(r.reader.opts.MachineStart)
		save[w.id] = w.mark
	}
	return r.saveMarks(ctx, save)
}

// countHoles counts offsets without a record in the embedded log. It has no transactions and is not
// compacted, so damage took them. On a real Kafka such offsets are ordinary.
func (r *runner[M]) countHoles(w *work[M], records []*kgo.Record) {
	if r.cfg.Kafka.Transactions {
		return
	}
	lost, next := int64(0), w.track.read()
	for _, rec := range records {
		lost += max(0, rec.Offset-next)
		next = rec.Offset + 1
	}
	if lost > 0 {
		r.cfg.Meter.count(r.spec.Name, "lost", r.topic.Name, int(lost))
		r.log.Error("records are missing in the log", "topic", r.topic.Name, "partition", w.id, "records", lost, "before_offset", next)
	}
}

// refreshMarks writes, every markEvery, how far the partitions are.
func (r *runner[M]) refreshMarks(ctx context.Context, works []*work[M]) error {
	if r.cfg.Marks == nil || time.Since(r.marked) < markEvery {
		return nil
	}
	r.marked = time.Now()
	save := map[int32]Mark{}
	for _, w := range works {
		if w.track.progress().Offset > w.mark.Next {
			w.stamp(r.reader.opts.MachineStart)
			save[w.id] = w.mark
		}
	}
	return r.saveMarks(ctx, save)
}

// endMarks writes the marks of partitions that end in order.
func (r *runner[M]) endMarks(ctx context.Context, works []*work[M]) {
	if r.cfg.Marks == nil {
		return
	}
	save := map[int32]Mark{}
	for _, w := range works {
		if !w.ready {
			continue
		}
		w.mark.Limit = w.track.read()
		w.stamp(r.reader.opts.MachineStart)
		w.mark.Ended = true
		save[w.id] = w.mark
	}
	if len(save) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, lastCommit)
	defer cancel()
	if err := r.cfg.Marks.Save(ctx, r.spec.Name, r.topic.Name, save); err != nil {
		r.log.Warn("the last marks were not written: after a power loss some work may be repeated", "error", err)
	}
}

func (r *runner[M]) saveMarks(ctx context.Context, save map[int32]Mark) error {
	if len(save) == 0 {
		return nil
	}
	for pause := retryFirst; ; pause = min(2*pause, retryMost) {
		err := r.cfg.Marks.Save(ctx, r.spec.Name, r.topic.Name, save)
		if err == nil {
			return nil
		}
		r.log.Warn("marks not written, trying again", "error", err)
		select {
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		case <-time.After(pause):
		}
	}
}

// stamp brings the mark up to where the partition is.
func (w *work[M]) stamp(machine string) {
	w.mark.Next, w.mark.Ended, w.mark.MachineStart = w.track.progress().Offset, false, machine
	w.mark.Seq++
}

// LogChangedError says that the log a member reads is not the one it began with. It ends the
// member; the next one compares the log with its marks and begins a new era.
type LogChangedError struct{ Err error }

// Error implements error.
func (e *LogChangedError) Error() string {
	return "the log changed while it was read: " + e.Err.Error()
}

// Unwrap returns what the client said.
func (e *LogChangedError) Unwrap() error { return e.Err }

// logChanged returns a LogChangedError if an error of a fetch is a sign of one, else nil.
func logChanged(err error) error {
	var loss *kgo.ErrDataLoss
	if errors.As(err, &loss) || errors.Is(err, kerr.OffsetOutOfRange) || errors.Is(err, kerr.UnknownTopicID) ||
		errors.Is(err, kerr.UnknownTopicOrPartition) || errors.Is(err, kerr.InconsistentTopicID) {
		return &LogChangedError{err}
	}
	return nil
}
