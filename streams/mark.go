package streams

import (
	"context"
	"fmt"
	"time"
)

// Mark identifies the log that a group has read in one partition, and how far it has read it. Only
// the owner of the partition writes it: before the first record of an era is handled, before
// records at or above Limit are handled, every markEvery (5 s) if the partition went on, and when
// its Task ends, in order or lost. The next owner compares it with the log (judge).
type Mark struct {
	TopicID      [16]byte // zero: the brokers have no topic ids
	Era          int64
	Next         int64  // all records below it are done
	Limit        int64  // no record at or above it was handled
	Ended        bool   // the owner's Task has ended: Limit is the offset after the last record it took
	Epoch        int32  // leader epoch of the last record handled; -1: none yet
	MachineStart string // Options.MachineStart when the mark was written
	Seq          int64  // number of the write; of two marks of an era the higher one is kept
	Changed      Change // why Era began; zero for the first one
}

// Change describes how a log changed, so that a new era began.
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

// mayHaveLost is the reason of a new era that begins although no record is known to be missing. The
// mark does not say how far its owner read after it was written, so a loss of the newest records in
// a power failure cannot be ruled out.
const mayHaveLost = "the only copy of the log was opened anew after a stop, and may have lost its end"

// Known reports whether the log is known to have changed; otherwise it only may have lost records.
func (c Change) Known() bool { return c.Why != mayHaveLost }

// Marks keeps the marks of all groups. A partition without a mark is missing in what Load returns.
type Marks interface {
	Load(ctx context.Context, group, topic string, partitions []int32) (map[int32]Mark, error)
	Save(ctx context.Context, group, topic string, marks map[int32]Mark) error
}

// maxEra is the highest era. The era is the highest part of a write's timestamp (state.Stamp), and
// ScyllaDB refuses timestamps more than three days ahead of its clock.
const maxEra = 100

// witness is the brokers' answer about one partition, for judge.
type witness struct {
	topicID    [16]byte
	start, end int64
	copies     int   // replicas
	epoch      int32 // the highest leader epoch in the log that is not above the mark's; -1: there is none
	epochEnd   int64 // where it ends
	asked      bool  // the mark has an epoch, so epoch and epochEnd are known
}

// standing is where a group begins in a partition.
type standing struct {
	mark   Mark
	begin  int64 // Committed: the group was never here
	lost   int64 // records that were deleted before the group read them
	raised bool  // a new era begins
	fresh  bool  // there was no mark
}

// judge compares the log that a group has read (its mark had, nil if there is none, and its commit
// done, nil if there is none) with the log that the brokers have now (w), and returns where the
// group begins.
//
// If the log changed (broken), the era rises by one, and the group begins where the two logs begin
// to differ, but not after its commit and not outside the log. A commit of another era is ignored.
// If only the oldest records were deleted before the group read them, it begins at the start of the
// log and lost counts them. Else it begins at its commit, or without a commit where the era began.
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

// broken compares the log with the mark of what was read up to next. It returns why the log is not
// the one that was read, and the offset from which on it differs; "" if it is the same log. The
// cases, in order: the topic has another id; the log ends before what was read; it has no leader
// epoch as low as the mark's; it lacks the mark's leader epoch; that epoch ends before what was
// read; the only copy was opened again and ends below Limit, so records may be missing.
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

// restarted reports whether the broker with the only copy of the log may have been opened again
// since the mark was written: on another boot of the machine, or with a newer leader epoch. It is
// false if the mark says how far its owner read.
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
