// Package deadletters lists the records that no group could handle, and puts them back.
//
// # Goals
//
// An operator sees what could not be handled and why, mends the cause, and has the records handled
// again.
//
// # How it works
//
// List and Count read the topic dead.letters. PutBack appends a record to the topic and partition
// it came from. Which letters were put back is kept in Kafka, as the progress of a group.
//
// # Promises
//
// A letter that was put back is not listed again.
//
// # On failure
//
// A letter is put back before it is marked. After a crash between the two it is still listed, and
// can be put back once more.
//
// # Limits
//
// Of more than about 24,000 unmarked letters only a part is marked.
package deadletters

import (
	"context"
	"slices"
	"strconv"
	"time"

	"millrace/streams"
	"millrace/topics"
)

// Group keeps which letters were put back. Clusters in use know it by this name, so it stays.
const Group = topics.PutBackGroup

// Letter is a record that a group could not handle.
type Letter struct {
	Offset    int64     `json:"offset"` // in dead.letters; people name the letter by it
	Since     time.Time `json:"since"`  // when it became a dead letter
	Topic     string    `json:"topic"`  // where it came from, as are the next two
	Partition int32     `json:"partition"`
	At        int64     `json:"topic_offset"`
	Group     string    `json:"group"` // could not handle it
	Kind      string    `json:"kind"`  // of the error
	Error     string    `json:"error"`
	Key       string    `json:"key"`
	Bytes     int       `json:"bytes"` // of its value

	raw streams.Raw
}

// added lists the headers of a letter that the original record did not have.
func added() []string { return []string{"topic", "partition", "offset", "group", "kind", "error"} }

// List returns the letters that were not put back, newest first, at most limit.
func List(ctx context.Context, log *streams.Log, limit int) ([]Letter, error) {
	var all []Letter
	err := each(ctx, log, func(l Letter) { all = append(all, l) })
	slices.Reverse(all)
	return all[:min(len(all), limit)], err
}

// Count returns the number of letters that were not put back.
func Count(ctx context.Context, log *streams.Log) (int64, error) {
	done, start, end, err := bounds(ctx, log)
	if err != nil {
		return 0, err
	}
	from := max(done.Offset, start)
	n := end - from
	for o := from; o < end; o++ {
		if done.IsDone(o) {
			n--
		}
	}
	return max(0, n), nil
}

func bounds(ctx context.Context, log *streams.Log) (done streams.Progress, start, end int64, err error) {
	name := topics.DeadLetters().Name
	all, err := log.Committed(ctx, Group, name)
	if err != nil {
		return done, 0, 0, err
	}
	if start, err = log.Start(ctx, name, 0); err != nil {
		return done, 0, 0, err
	}
	end, err = log.End(ctx, name, 0)
	return all[0], start, end, err
}

func each(ctx context.Context, log *streams.Log, fn func(Letter)) error {
	done, start, end, err := bounds(ctx, log)
	if err != nil {
		return err
	}
	return log.Scan(ctx, topics.DeadLetters().Name, 0, max(done.Offset, start), end, func(r streams.Raw) error {
		if !done.IsDone(r.Offset) {
			fn(letter(r))
		}
		return nil
	})
}

// letter reads what the headers say.
func letter(r streams.Raw) Letter {
	l := Letter{Offset: r.Offset, Since: r.Time, Key: r.Key, Bytes: len(r.Value), raw: r}
	for _, h := range r.Headers {
		v := string(h.Value)
		n, _ := strconv.ParseInt(v, 10, 64)
		switch h.Key {
		case "topic":
			l.Topic = v
		case "partition":
			l.Partition = int32(n)
		case "offset":
			l.At = n
		case "group":
			l.Group = v
		case "kind":
			l.Kind = v
		case "error":
			l.Error = v
		}
	}
	return l
}

// PutBack appends letters to the topics they came from and marks them; nil offsets mean all. It
// returns how many there were.
func PutBack(ctx context.Context, opts streams.Options, log *streams.Log, offsets []int64) (int, error) {
	var chosen []Letter
	err := each(ctx, log, func(l Letter) {
		if offsets == nil || slices.Contains(offsets, l.Offset) {
			chosen = append(chosen, l)
		}
	})
	if err != nil || len(chosen) == 0 {
		return 0, err
	}
	var sends []streams.Send
	for _, l := range chosen {
		sends = append(sends, l.back())
	}
	if err := streams.Append(ctx, opts, sends...); err != nil {
		return 0, err
	}
	done, _, _, err := bounds(ctx, log)
	if err != nil {
		return 0, err
	}
	for _, l := range chosen {
		done = done.Mark(l.Offset)
	}
	return len(chosen), log.Commit(ctx, Group, topics.DeadLetters().Name, 0, done)
}

// back is the original record.
func (l Letter) back() streams.Send {
	s := streams.Send{Topic: l.Topic, Partition: l.Partition, Key: l.Key, Value: l.raw.Value}
	for _, h := range l.raw.Headers {
		if !slices.Contains(added(), h.Key) {
			s.Headers = append(s.Headers, h)
		}
	}
	return s
}
