package taps

import (
	"context"
	"errors"
	"slices"

	"millrace/streams"
)

// position is where a writer continues.
type position struct {
	topicID string
	era     int64
	offset  int64
	reason  string // why a new era begins; "" if none does
	lost    int64  // records that were deleted before they were written
}

// locate compares the log with the newest note. If it is not the log that was read, a new era
// begins: at the start if the topic was created anew, else after the newest note that agrees with
// the log.
func (t *task[M]) locate(ctx context.Context, last *Note) (at position, err error) {
	log := t.p.Log()
	if at.topicID, err = log.TopicID(ctx, t.topic.Name); err != nil {
		return at, err
	}
	start, err := log.Start(ctx, t.topic.Name, t.p.ID())
	if err != nil {
		return at, err
	}
	if last == nil {
		at.era, at.offset = 1, start
		return at, nil
	}
	at.era, at.offset = last.Era, last.Next
	if last.TopicID != at.topicID {
		at.era, at.offset, at.reason = last.Era+1, start, "the topic was made anew"
		return at, nil
	}
	same, err := t.holds(ctx, start, last)
	if err != nil {
		return at, err
	}
	if !same {
		at.era, at.reason = last.Era+1, "the log lost its end"
		if at.offset, err = t.fork(ctx, start, last); err != nil {
			return at, err
		}
	}
	if at.offset < start {
		at.lost, at.offset = start-at.offset, start
	}
	return at, nil
}

// holds reports whether the log still has the last record of a note: the log reaches that far, and
// the record at its offset has the same key and time. If the record was deleted or compacted away,
// the answer is yes.
func (t *task[M]) holds(ctx context.Context, start int64, note *Note) (bool, error) {
	end, err := t.p.Log().End(ctx, t.topic.Name, t.p.ID())
	if err != nil || note.Next > end {
		return false, err
	}
	if note.Last == nil || note.Last.Offset < start {
		return true, nil
	}
	same := true // also if the record was compacted away
	at := note.Last.Offset
	err = t.p.Log().Scan(ctx, t.topic.Name, t.p.ID(), at, at+1, func(r streams.Raw) error {
		same = r.Offset != at || r.Key == note.Last.Key && r.Time.UnixMilli() == note.Last.Time
		return errSeen
	})
	if errors.Is(err, errSeen) {
		err = nil
	}
	return same, err
}

var errSeen = errors.New("seen")

// fork returns the offset after the newest note of the last era that the log agrees with, or the
// log's start.
func (t *task[M]) fork(ctx context.Context, start int64, last *Note) (int64, error) {
	ns, err := t.notes.numbers(ctx)
	if err != nil {
		return 0, err
	}
	for _, n := range slices.Backward(ns) {
		note, err := t.notes.read(ctx, n)
		if err != nil {
			return 0, err
		}
		if note.TopicID != last.TopicID || note.Era != last.Era {
			break
		}
		same, err := t.holds(ctx, start, note)
		if err != nil {
			return 0, err
		}
		if same {
			return note.Next, nil
		}
	}
	return start, nil
}
