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
	// markAhead is how many records may be handled before the mark must be written again.
	markAhead = 8192
	// markEvery is the time between two writes of the mark of a partition that goes on.
	markEvery = 5 * time.Second
	// ownerSeqs is how far a new owner's Seq is above that of the mark it found: more than the
	// earlier owner will ever write.
	ownerSeqs = 1 << 20
)

// stand compares partitions of a group's topic with the group's marks and commits, and writes the
// marks, before any record is handled. From then on those of an earlier owner count for nothing
// (ownerSeqs), even one that does not know yet that it was replaced. A damaged partition
// gets another MachineStart for the comparison, as if the machine had been started again.
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
			s.mark.MachineStart = l.opts.MachineStart
		}
		s.mark.Seq += ownerSeqs
		save[p], out[p] = s.mark, s
	}
	return out, marks.Save(ctx, group, topic, save)
}

func pick[V any](m map[int32]V, p int32) *V {
	v, ok := m[p]
	if !ok {
		return nil
	}
	return &v
}

// CheckLogs compares the logs of all groups with their marks, and moves the commits of groups whose
// log changed to where the new era begins. It runs before any group runs or anything is appended:
// new records at the offsets of lost ones would hide the loss.
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

// withoutMarks begins at the commits, without comparing logs: for tests of Tasks, whose log lasts
// as long as the test.
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

// LogChangedError says that the log changed while a member read it: it was cut or its topic was
// recreated. It ends Run; the next start compares the log with the marks and begins a new era.
type LogChangedError struct{ Err error }

// Error implements error.
func (e *LogChangedError) Error() string {
	return "the log changed while it was read: " + e.Err.Error()
}

// Unwrap returns the Kafka client's error.
func (e *LogChangedError) Unwrap() error { return e.Err }

// logChanged returns a LogChangedError if a fetch failed because the log changed, else nil.
func logChanged(err error) error {
	var loss *kgo.ErrDataLoss
	if errors.As(err, &loss) || errors.Is(err, kerr.OffsetOutOfRange) || errors.Is(err, kerr.UnknownTopicID) ||
		errors.Is(err, kerr.UnknownTopicOrPartition) || errors.Is(err, kerr.InconsistentTopicID) {
		return &LogChangedError{err}
	}
	return nil
}
