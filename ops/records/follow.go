package records

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"millrace/streams"
	"millrace/topics"
)

// Position says where a follower is: by partition, the next offset to read.
type Position map[int32]int64

// maxPosition bounds a position that comes from outside, in bytes.
const maxPosition = 128 << 10

// String writes a position as ParsePosition reads it: 0:12,1:40.
func (p Position) String() string {
	var b strings.Builder
	for i, partition := range slices.Sorted(maps.Keys(p)) {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%d:%d", partition, p[partition])
	}
	return b.String()
}

// ParsePosition reads what String wrote.
func ParsePosition(text string) (Position, error) {
	if len(text) > maxPosition {
		return nil, fmt.Errorf("a position of %d bytes, above %d", len(text), maxPosition)
	}
	out := Position{}
	for part := range strings.SplitSeq(text, ",") {
		left, right, ok := strings.Cut(part, ":")
		partition, err := strconv.ParseUint(left, 10, 16)
		offset, err2 := strconv.ParseUint(right, 10, 63)
		if !ok || cmp.Or(err, err2) != nil {
			return nil, fmt.Errorf("%q is no position: PARTITION:OFFSET,…", text[:min(len(text), 60)])
		}
		out[int32(partition)] = int64(offset)
	}
	return out, nil
}

// quietEvery is how often a follower hears that nothing came.
const quietEvery = 10 * time.Second

// Follower takes what Follow reads. An error of any of its functions ends Follow.
type Follower struct {
	// Record takes a chosen record and the position after it.
	Record func(Record, Position) error
	// Quiet takes the position when Follow begins, and every ten seconds without a record.
	Quiet func(Position) error
	// Lost hears, before the first record, that the offsets [from, to) of a partition, which the
	// position asks for, are no longer in the log.
	Lost func(partition int32, from, to int64) error
}

// Follow gives the chosen records to a follower as they come, until ctx ends. It begins at a
// position, or, without one, where the options say, which is the end if they say nothing. A
// position that the log cannot have given is an AskError.
func Follow(ctx context.Context, log *streams.Log, topic string, o Options, begin Position, to Follower) error {
	if _, err := topics.Named(topic); err != nil {
		return err
	}
	at, err := o.begin(ctx, log, topic, begin)
	if err != nil {
		return err
	}
	if err := lost(ctx, log, topic, at, to.Lost); err != nil {
		return err
	}
	if err := to.Quiet(at); err != nil {
		return err
	}
	return log.Follow(ctx, topic, at, quietEvery, func(r streams.Raw) error {
		at[r.Partition] = r.Offset + 1
		if !o.takes(r) {
			return nil
		}
		return to.Record(record(r, o.Full), at)
	}, func() error { return to.Quiet(at) })
}

// lost tells which offsets of a position the log has deleted, and moves the position behind them.
func lost(ctx context.Context, log *streams.Log, topic string, at Position, tell func(int32, int64, int64) error) error {
	starts, err := log.Starts(ctx, topic)
	if err != nil {
		return err
	}
	for _, p := range slices.Sorted(maps.Keys(at)) {
		from, to := at[p], starts[p]
		if from >= to {
			continue
		}
		if at[p] = to; from == 0 {
			continue // "from the beginning" is what there is
		}
		if err := tell(p, from, to); err != nil {
			return err
		}
	}
	return nil
}

// begin is where a follower begins in every partition.
func (o Options) begin(ctx context.Context, log *streams.Log, topic string, given Position) (at Position, err error) {
	if err := o.check(ctx, log, topic); err != nil {
		return nil, err
	}
	switch {
	case !o.Since.IsZero():
		at, err = log.Since(ctx, topic, o.Since)
	case o.FromBeginning || o.Offset > 0:
		at, err = log.Starts(ctx, topic)
	default:
		at, err = log.Ends(ctx, topic)
	}
	if err != nil {
		return nil, err
	}
	if len(given) > 0 {
		ends, err := log.Ends(ctx, topic)
		if err == nil {
			err = within(topic, given, ends)
		}
		if err != nil {
			return nil, err
		}
	}
	for p := range at {
		if offset, ok := given[p]; ok {
			at[p] = offset
		}
		if o.Partition >= 0 && o.Partition != p {
			delete(at, p)
		} else if o.Offset > 0 && given == nil {
			at[p] = o.Offset
		}
	}
	return at, nil
}
