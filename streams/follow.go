package streams

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kgo"

	"millrace/topics"
)

// Since returns, by partition, the offset of the first record that was appended at the given time
// or later; the end of the partition if there is none.
func (l *Log) Since(ctx context.Context, topic string, at time.Time) (map[int32]int64, error) {
	offsets, err := l.adm.ListOffsetsAfterMilli(ctx, at.UnixMilli(), topic)
	return byPartition(offsets, err, "offsets by time", topic)
}

// byPartition returns offsets of a topic by partition, or the first error of the answer.
func byPartition(offsets kadm.ListedOffsets, err error, what, topic string) (map[int32]int64, error) {
	if err == nil {
		err = offsets.Error()
	}
	if err != nil {
		return nil, fmt.Errorf("%s of %s: %w", what, topic, deniedAs(err, topics.Describe, topics.TopicResource, topic))
	}
	out := map[int32]int64{}
	offsets.Each(func(o kadm.ListedOffset) { out[o.Partition] = o.Offset })
	return out, nil
}

// Starts returns the first offset of every partition of a topic.
func (l *Log) Starts(ctx context.Context, topic string) (map[int32]int64, error) {
	offsets, err := l.adm.ListStartOffsets(ctx, topic)
	return byPartition(offsets, err, "start offsets", topic)
}

// Follow calls fn for the records of a topic as they come, in each partition of from beginning at
// its offset, until ctx ends or fn fails. Records of one partition come in order. If the log no
// longer has an offset, it begins at the first record that it has. quiet, if not nil, is called
// when no record came within the time every.
func (l *Log) Follow(ctx context.Context, topic string, from map[int32]int64, every time.Duration, fn func(Raw) error, quiet func() error) error {
	parts := map[int32]kgo.Offset{}
	for p, at := range from {
		parts[p] = kgo.NewOffset().At(at)
	}
	opts := []kgo.Opt{
		kgo.ConsumePartitions(map[string]map[int32]kgo.Offset{topic: parts}),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
		kgo.FetchMaxWait(500 * time.Millisecond),
		kgo.FetchMaxBytes(1 << 20), kgo.FetchMaxPartitionBytes(256 << 10), // there may be many followers, and slow ones
	}
	cl, err := l.opts.reader(opts...)
	if err != nil {
		return err
	}
	defer cl.Close()
	for ctx.Err() == nil {
		wait, cancel := context.WithTimeout(ctx, every)
		fetches := cl.PollRecords(wait, 500)
		cancel()
		if _, err := afterBomb(fetches, cl); err != nil && ctx.Err() == nil && !errors.Is(err, context.DeadlineExceeded) {
			return fmt.Errorf("follow %s: %w", topic, deniedAs(err, topics.Read, topics.TopicResource, topic))
		}
		if fetches.NumRecords() == 0 && quiet != nil {
			if err := quiet(); err != nil {
				return err
			}
		}
		for it := fetches.RecordIter(); !it.Done(); {
			if err := fn(rawOf(it.Next())); err != nil {
				return err
			}
		}
	}
	return ctx.Err()
}

func rawOf(r *kgo.Record) Raw {
	raw := Raw{r.Topic, r.Partition, r.Offset, r.Timestamp, string(r.Key), r.Value, nil}
	for _, h := range r.Headers {
		raw.Headers = append(raw.Headers, Header(h))
	}
	return raw
}
