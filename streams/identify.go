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
