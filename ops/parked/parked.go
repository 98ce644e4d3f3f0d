// Package parked turns the topic dead.letters into a list of what could not be
// handled and why, and puts letters back where they came from.
//
// Promises: a letter that was put back is not listed again. Which ones were is
// kept as the progress of a group of that name, like any group's.
//
// On failure: a letter is put back before it is marked: after a crash between the
// two it is listed, and can be put back, once more.
//
// Caveats: letters beyond about 24,000 unmarked ones are marked only in part.
package parked

import (
	"context"
	"slices"
	"strconv"
	"time"

	"millrace/streams"
	"millrace/topics"
)

// group keeps which letters were put back.
const group = "parked"

// Letter is a record that was parked.
type Letter struct {
	Offset    int64 // in dead.letters: its name
	ParkedAt  time.Time
	Topic     string
	Partition int32
	At        int64 // offset in Topic
	Group     string
	Kind      string
	Error     string

	raw streams.Raw
}

// Key is the record's key.
func (l Letter) Key() string { return l.raw.Key }

// Bytes is the size of its value.
func (l Letter) Bytes() int { return len(l.raw.Value) }

// headers of a letter that the original record did not have.
func ours() []string { return []string{"topic", "partition", "offset", "group", "kind", "error"} }

// List returns the letters that lie there, newest first, at most limit.
func List(ctx context.Context, log *streams.Log, limit int) ([]Letter, error) {
	var all []Letter
	err := each(ctx, log, func(l Letter) { all = append(all, l) })
	slices.Reverse(all)
	return all[:min(len(all), limit)], err
}

// Count returns the number of letters that lie there.
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
	all, err := log.Committed(ctx, group, name)
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
	l := Letter{Offset: r.Offset, ParkedAt: r.Time, raw: r}
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

// PutBack appends letters to the topics they came from and marks them; nil offsets
// mean all. It returns how many there were.
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
	return len(chosen), log.Commit(ctx, group, topics.DeadLetters().Name, 0, done)
}

// back is the original record.
func (l Letter) back() streams.Send {
	s := streams.Send{Topic: l.Topic, Partition: l.Partition, Key: l.raw.Key, Value: l.raw.Value}
	for _, h := range l.raw.Headers {
		if !slices.Contains(ours(), h.Key) {
			s.Headers = append(s.Headers, h)
		}
	}
	return s
}
