package streams

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"millrace/topics"
)

// The largest decompressed size of one batch, and of all batches between two polls of a member.
// Without a bound a zstd batch of 62 KB could decompress to 1.4 GB.
const (
	unpackBatch = topics.MaxFileBytes + 1<<20 // a dead letter of the largest record
	unpackAll   = 192 << 20
)

// errUnpackLater stops decompressing a response. The client hands out the batches before it and
// fetches the rest again.
var errUnpackLater = errors.New("more batches than fit into memory: they are fetched again")

// unpacker is a kgo.Decompressor that stops when unpackAll is used up.
type unpacker struct {
	kgo.Decompressor
	used atomic.Int64
}

func newUnpacker() (*unpacker, error) {
	// kgo makes a decompressor with a bound only as part of a client.
	cl, err := kgo.NewClient(kgo.MaxDecompressBatchBytes(unpackBatch))
	if err != nil {
		return nil, fmt.Errorf("decompressor: %w", err)
	}
	defer cl.Close()
	d, ok := cl.OptValue(kgo.WithDecompressor).(kgo.Decompressor)
	if !ok {
		return nil, errors.New("decompressor: the Kafka client has none")
	}
	return &unpacker{Decompressor: d}, nil
}

// Decompress implements kgo.Decompressor.
func (u *unpacker) Decompress(src []byte, codec kgo.CompressionCodecType) ([]byte, error) {
	if u.used.Load() >= unpackAll {
		return nil, errUnpackLater
	}
	out, err := u.Decompressor.Decompress(src, codec)
	u.used.Add(int64(len(out)))
	return out, err
}

// drained notes that all batches decompressed so far were handed out.
func (u *unpacker) drained() { u.used.Store(0) }

// skipBatch skips a batch that decompresses to more than unpackBatch; no writer of this program
// makes such a batch. A dead letter without a value holds its topic, partition and offset. If the
// partition is not ready, or has records to repeat first, it does nothing: the batch is fetched
// again.
func (r *runner[M]) skipBatch(e *kgo.ErrDecompressTooLarge) error {
	works := r.tasks.peek([]int32{e.Partition})
	if len(works) == 0 || !works[0].ready {
		return nil
	}
	w := works[0]
	if w.unsettled != nil || w.again >= 0 || len(w.kept) > 0 {
		return nil
	}
	p := &DeadLetterError{Kind: "bomb", Err: fmt.Errorf("a batch up to offset %d that decompresses to more than %d bytes", e.NextOffset-1, unpackBatch)}
	w.staged = append(w.staged, letterOf(r.spec.Name, &kgo.Record{Topic: e.Topic, Partition: e.Partition, Offset: e.Offset}, p))
	w.track.take(e.NextOffset - 1) // and all before it
	w.ended = append(w.ended, e.NextOffset-1)
	w.passed(Raw{Topic: e.Topic, Partition: e.Partition, Offset: e.NextOffset - 1, Time: time.Now()})
	w.again = e.NextOffset
	r.cfg.Meter.count(r.spec.Name, "dead_letter", p.Kind, 1)
	r.log.Warn("batch goes to the dead letters without its bytes", "partition", w.id, "offset", e.Offset, "kind", p.Kind, "error", p.Err)
	return nil
}

// afterBomb makes a reader of the log skip a batch that decompresses to too much, and returns the
// offset after it; -1 if there was none. The dead letter for it comes from the group that reads the
// topic. It returns any other error of the fetch.
func afterBomb(fetches kgo.Fetches, cl *kgo.Client) (next int64, err error) {
	next = -1
	fetches.EachError(func(_ string, _ int32, e error) {
		var large *kgo.ErrDecompressTooLarge
		if !errors.As(e, &large) {
			err = errors.Join(err, e)
			return
		}
		next = large.NextOffset
		cl.SetOffsets(map[string]map[int32]kgo.EpochOffset{large.Topic: {large.Partition: {Epoch: -1, Offset: next}}})
	})
	return next, err
}
