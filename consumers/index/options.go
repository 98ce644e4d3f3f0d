package index

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"millrace/consumers/index/shard"
)

// Options of the group.
type Options struct {
	Dir    string
	Shard  shard.Options
	Logger *slog.Logger

	BatchDocs  int           // documents of one batch
	BatchBytes int           // record bytes of one batch
	SmallBatch int           // a batch below it ...
	Pause      time.Duration // ... comes no sooner than this after the one before: tiny batches cost ten times their size in writes

	// MaxAge: a shard that is behind, and whose last record is older, may have missed deletions, because a
	// compacted topic forgets tombstones (after 7 days here). 0 = the topic is not compacted.
	MaxAge time.Duration

	Proof      Proof         // nil = nobody to compare with
	ProofEvery time.Duration // between two looks
}

// Proof returns what the fold of a partition of docs.unique is before an offset, as its writer last noted it; ok
// is false if it has not. dedupe.Proof is one.
type Proof func(ctx context.Context, partition int32) (offset int64, digest uint64, documents int64, ok bool, err error)

// DefaultOptions returns the start values, without a directory.
func DefaultOptions() Options {
	return Options{
		Shard: shard.DefaultOptions(), Logger: slog.Default(),
		BatchDocs: 500, BatchBytes: 4 << 20, SmallBatch: 50, Pause: 250 * time.Millisecond,
		MaxAge: 84 * time.Hour, ProofEvery: 10 * time.Second,
	}
}

// Validate reports what is missing or cannot work.
func (o Options) Validate() error {
	switch {
	case o.Dir == "":
		return errors.New("index: no directory")
	case o.Logger == nil:
		return errors.New("index: no logger")
	case o.BatchDocs < 1 || o.BatchBytes < 1:
		return fmt.Errorf("index: a batch must hold something, not %d documents and %d bytes", o.BatchDocs, o.BatchBytes)
	case o.Pause < 0 || o.Pause > 5*time.Second:
		return fmt.Errorf("index: the pause between small batches must be between 0 and 5 s, is %s", o.Pause)
	case o.MaxAge < 0 || o.ProofEvery <= 0:
		return fmt.Errorf("index: MaxAge must not be negative and ProofEvery positive: %s, %s", o.MaxAge, o.ProofEvery)
	}
	return o.Shard.Validate()
}
