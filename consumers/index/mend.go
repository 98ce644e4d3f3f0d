package index

import (
	"errors"
	"fmt"
	"time"
)

// ErrWentBack: records that were acknowledged are no longer on the disk.
var ErrWentBack = errors.New("index: the shard on disk is older than what it acknowledged")

// failedShard is the error of a shard that failed, or could not be opened again. To open a shard
// reads all of it, and a full disk stays full for a while: so its batch is tried again after pauses
// that grow to longestRest.
type failedShard struct{ error }

// longestRest is how long a batch waits at most for the next try with a shard that fails.
const longestRest = time.Minute

// LongestPause is asked for by package streams.
func (failedShard) LongestPause() time.Duration { return longestRest }

func (f failedShard) Unwrap() error { return f.error }

// failed reports whether the shard of a partition that is written here has failed, and which
// offset it had acknowledged.
func (s *openShards) failed(partition int32) (acknowledged int64, failed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if h := s.live.shards[partition]; h != nil && h.owned && h.Err() != nil {
		return h.Offset(), true
	}
	acknowledged, failed = s.failing[partition]
	return acknowledged, failed
}

// rests marks an error of a shard that failed.
func (s *openShards) rests(partition int32, err error) error {
	if err == nil {
		return nil
	}
	if _, failed := s.failed(partition); failed {
		return failedShard{err}
	}
	return err
}

// mend opens a failed shard again. It returns true if the batch that failed is on disk after all,
// and ErrWentBack if the shard lost acknowledged records. A shard that cannot be opened is tried
// again with the next batch.
func (s *Shards) mend(partition int32, acknowledged int64, b Batch) (bool, error) {
	at, err := s.Assign(partition)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		s.failing[partition] = acknowledged
		return false, err
	}
	s.deps.Logger.Warn("index shard opened anew after a failure", "partition", partition, "offset", at.Offset)
	if at.Offset >= acknowledged {
		return b.Next <= at.Offset, nil
	}
	// Going on would leave a hole. When the group starts again it reads from the shard's offset.
	h := s.live.shards[partition]
	h.hole = fmt.Errorf("%w: partition %d at %d instead of %d; start the group again", ErrWentBack, partition, at.Offset, acknowledged)
	return false, h.hole
}
