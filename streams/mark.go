package streams

import (
	"context"
	"fmt"
	"time"
)

// Mark says which log a group has read in one partition, and how far. Only the owner of the
// partition writes it: before the first record of an era is handled, before records at or above
// Limit are handled, every few seconds, and when it leaves.
type Mark struct {
	TopicID      [16]byte // zero: the brokers give none
	Era          int64
	Next         int64  // all records below it are done
	Limit        int64  // no record at or above it was handled
	Ended        bool   // the owner left in order: Limit is exact
	Epoch        int32  // leader epoch of the last record handled; -1: none yet
	MachineStart string // which start of the machine, for a log in this process
	Seq          int64  // number of the write: of two, the later one counts
	Changed      Change // why Era began; zero for the first one
}

// Change is what happened to a log. It began a new era.
type Change struct {
	Group     string
	Topic     string
	Partition int32
	Era       int64 // that it began
	Why       string
	At        time.Time
	From, To  int64 // next record of the old log, first record of the new era
}

// String says it in one line.
func (c Change) String() string {
	return fmt.Sprintf("%s/%d: %s; %s had read up to %d and goes on at %d (era %d)",
		c.Topic, c.Partition, c.Why, c.Group, c.From, c.To, c.Era)
}

// mayHaveLost is why a new era begins where nothing is known to be missing: what was handled since
// the mark was written is known to nobody, so an end that was lost after a power loss would not be
// seen.
const mayHaveLost = "the only copy of the log was opened anew after a stop, and may have lost its end"

// Known reports whether records are known to be missing; else they only may be.
func (c Change) Known() bool { return c.Why != mayHaveLost }

// Marks keeps the marks of all groups. A partition without a mark is missing in what Load returns.
type Marks interface {
	Load(ctx context.Context, group, topic string, partitions []int32) (map[int32]Mark, error)
	Save(ctx context.Context, group, topic string, marks map[int32]Mark) error
}

// maxEra is the last one: ScyllaDB refuses timestamps more than three days ahead of its clock,
// and a timestamp begins with the era.
const maxEra = 100

// witness is what the brokers say of one partition.
type witness struct {
	topicID    [16]byte
	start, end int64
	copies     int   // replicas
	epoch      int32 // the highest epoch not above the one of the mark; -1: none is left
	epochEnd   int64 // where it ends
	asked      bool  // epoch and epochEnd were asked for
}

// standing is where a group begins in a partition.
type standing struct {
	mark   Mark
	begin  int64 // Committed: the group was never here
	lost   int64 // records that were deleted before the group read them
	raised bool  // a new era begins
	fresh  bool  // there was no mark
}

// judge compares what a group's state was made from with the log there is. had is nil without a
// mark, done is nil without a commit.
func judge(had *Mark, done *Progress, w witness, machine string) standing {
	s := standing{begin: Committed, mark: Mark{Era: 1, Epoch: -1}, fresh: had == nil}
	if had != nil {
		s.mark, s.begin = *had, had.Changed.To
	} else if done != nil {
		s.mark.Era = done.era()
	}
	if done != nil && done.era() != s.mark.Era {
		done = nil // it names another log
	}
	if done != nil {
		s.begin = done.Offset // a mark may be above it: its work may have been taken back
	}
	next := max(s.mark.Next, s.begin)
	why, at := s.mark.broken(next, w, machine)
	switch {
	case why != "":
		if done != nil {
			at = min(at, done.Offset)
		}
		s.begin, s.raised = min(max(at, w.start), w.end), true
		s.mark = Mark{Era: s.mark.Era + 1, Epoch: -1, Seq: s.mark.Seq, Next: s.begin, Limit: s.begin,
			Changed: Change{Why: why, From: next, To: s.begin}}
	case s.begin != Committed && s.begin < w.start:
		if done == nil {
			s.begin = min(next, w.start)
		}
		s.lost, s.begin = unread(done, s.begin, w.start), w.start
	}
	s.mark.TopicID = w.topicID
	if s.fresh && !s.raised {
		s.mark.Next, s.mark.Limit = max(s.begin, 0), max(s.begin, 0)
	}
	return s
}

// broken says why the log is not the one that was read up to next, and from where on it differs;
// "" if it is.
func (m Mark) broken(next int64, w witness, machine string) (why string, at int64) {
	var none [16]byte
	read := next // below it the state was made from the log
	if m.Ended {
		read = max(read, m.Limit)
	}
	end := w.end // of what is left of the log that was read
	if w.asked && w.epoch == m.Epoch {
		end = min(end, w.epochEnd)
	}
	switch {
	case m.TopicID != none && w.topicID != none && m.TopicID != w.topicID:
		return "the topic was made anew", w.start
	case w.end < read:
		return "the log lost its end", w.end
	case w.asked && w.epoch < 0:
		return "the log is not the one that was read", w.start
	case w.asked && w.epoch != m.Epoch:
		return "the log lost its end and was written again", min(next, w.epochEnd)
	case end < read:
		return "the log lost its end and was written again", end
	case end < m.Limit && w.copies == 1 && m.restarted(w, machine):
		return mayHaveLost, min(next, end)
	}
	return "", 0
}

// restarted reports whether the only copy of the log was opened again since the mark was written,
// and not after an end in order of the reader.
func (m Mark) restarted(w witness, machine string) bool {
	if m.Ended {
		return false
	}
	return m.MachineStart != machine || w.asked && w.epochEnd < w.end
}

// unread returns how many offsets in [from, to) are not done.
func unread(done *Progress, from, to int64) int64 {
	n := to - from
	if done == nil {
		return n
	}
	for o := from; o < min(to, from+int64(len(done.done))*64); o++ {
		if done.IsDone(o) {
			n--
		}
	}
	return n
}
