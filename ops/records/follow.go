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

// Follow calls each for the chosen records as they come, with the position after them, until ctx
// ends or each fails. It begins at a position, or, without one, where the options say, which is the
// end if they say nothing. Every ten seconds without a record it calls quiet with the position.
func Follow(ctx context.Context, log *streams.Log, topic string, o Options, begin Position,
	each func(Record, Position) error, quiet func(Position) error) error {
	if _, err := topics.Named(topic); err != nil {
		return err
	}
	at, err := o.begin(ctx, log, topic, begin)
	if err != nil {
		return err
	}
	return log.Follow(ctx, topic, at, quietEvery, func(r streams.Raw) error {
		at[r.Partition] = r.Offset + 1
		if !o.takes(r) {
			return nil
		}
		return each(record(r, o.Full), at)
	}, func() error { return quiet(at) })
}

// begin is where a follower begins in every partition.
func (o Options) begin(ctx context.Context, log *streams.Log, topic string, given Position) (at Position, err error) {
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
	if len(at) == 0 {
		return nil, fmt.Errorf("topic %s has no partition %d", topic, o.Partition)
	}
	return at, nil
}
