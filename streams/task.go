package streams

import (
	"context"
	"time"

	"millrace/topics"
)

// Task is what a consumer group does with one partition of its topic. The loop
// calls it from one goroutine at a time, in this order: Recover once; then
// rounds of Handle for each record, Settle, and Tick; at the end Revoke.
type Task[M topics.Message] interface {
	// Recover prepares the partition: it reads state and, through the
	// Partition, other topics. It returns the offset to begin at, or Committed.
	// Other partitions recover and work meanwhile. It ends soon after ctx ends. If
	// it fails it is called again, unless the partition was taken away.
	Recover(ctx context.Context) (offset int64, err error)

	// Handle turns a record into effects that are only staged: sends on the
	// partition's emitters, mutations in a state.Batch. If it returns an error
	// what it sent is taken back (and Undo is called); a Poison error parks the
	// record, any other is retried. The record's value must not be kept.
	Handle(ctx context.Context, r *Record[M]) error

	// Undo takes back what the failed Handle staged beside its sends.
	Undo()

	// Settle makes the round's effects last. All sends of the round are
	// acknowledged when it is called. An error is retried in a later round,
	// before another Handle or Tick.
	Settle(ctx context.Context) error

	// Tick does what is due by the clock, once per round and at least every
	// TickEvery (five times it in an idle group that is not Timed); it may send
	// and stage like Handle, and Settle follows.
	Tick(ctx context.Context, now time.Time) error

	// Revoke ends the work on the partition, also when Recover never ended well:
	// it returns when nothing of it is in flight any more, or when ctx ends. After
	// a loss (lost) the partition may have another owner already.
	Revoke(ctx context.Context, lost bool)
}

// Committed as an offset to begin at means: where the group's commits say.
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
	Bytes     []byte // the value as it stands in the log
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
