package streams

import (
	"context"
	"time"

	"millrace/topics"
)

// Task is the work of a consumer group on one partition of its topic. One goroutine at a time calls
// it, in this order: Recover once; then rounds of Handle for each record, Tick, and Settle; at the
// end Revoke.
type Task[M topics.Message] interface {
	// Recover prepares the partition: it reads state and, through the Partition, other topics. It
	// returns the offset to begin at, or Committed. Other partitions recover and work meanwhile. It
	// must end soon after ctx ends. If it fails it is called again, unless the partition was
	// revoked.
	Recover(ctx context.Context) (offset int64, err error)

	// Handle turns a record into effects that are only staged: sends on the partition's emitters,
	// mutations in a state.Batch. If it returns an error what it sent is taken back (and Undo is
	// called); a DeadLetterError makes a dead letter, others are retried. The record's value must
	// not be kept.
	Handle(ctx context.Context, r *Record[M]) error

	// Undo takes back what a failed Handle, Tick or Prepare staged besides sends.
	Undo()

	// Settle writes the round's state. All sends of the round are acknowledged before. After an
	// error it is called again in a later round, before another Handle or Tick.
	Settle(ctx context.Context) error

	// Tick does what is due by the clock, once per round, at least every TickEvery (five times that
	// in an idle group that is not Timed; twenty times in a group that rests: nothing of what it
	// took is under way). It may send and stage like Handle.
	Tick(ctx context.Context, now time.Time) error

	// Revoke ends the work on the partition, also when Recover never succeeded: it returns when
	// nothing is in flight any more, or when ctx ends. If lost, the partition may have another
	// owner already.
	Revoke(ctx context.Context, lost bool)
}

// Committed, returned by Recover, means: begin at the group's commit.
const Committed int64 = -1

// Record is one message of a topic.
type Record[M topics.Message] struct {
	Topic     string
	Partition int32
	Offset    int64
	Time      time.Time // when it was appended
	Key       string
	Value     M      // decoded; nil if Tombstone
	Tombstone bool   // a record without a value
	Bytes     []byte // the value as in the log
	Headers   []Header
}

// Header is one header of a record.
type Header struct {
	Key   string
	Value []byte
}

// Header returns the value of the first header with a key, or "".
func (r *Record[M]) Header(key string) string {
	for _, h := range r.Headers {
		if h.Key == key {
			return string(h.Value)
		}
	}
	return ""
}
