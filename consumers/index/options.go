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
	Dir   string
	Shard shard.Options

	BatchDocs  int           // documents of one batch
	BatchBytes int           // record bytes of one batch
	SmallBatch int           // a batch with fewer documents ...
	Pause      time.Duration // ... comes no sooner than this after the one before: tiny batches write ten times their size. One with an item of a feed or a push waits newsPause at most

	// Arrived is called when a document of a feed, a news sitemap or a push was indexed, with the
	// time when that list was read. A version that is indexed again calls it again. nil = nobody
	// asks.
	Arrived func(listed time.Time)

	// MaxAge: a shard that is behind, and whose last record is older, may have missed deletions,
	// because a compacted topic removes tombstones (after 7 days here). It is filled anew. 0 = the
	// topic is not compacted.
	MaxAge time.Duration

	LookEvery  time.Duration // between two looks at the end of the log, and at the topic links
	ProofEvery time.Duration // between two looks at the proof
}

// Deps are the dependencies of the index.
type Deps struct {
	Logger     *slog.Logger
	Proof      ProofOf   // nil = digests are not compared
	Anchors    AnchorsOf // nil = pages have no texts of links
	Partitions int32     // of docs.unique; 0 = not known yet

	// Empty reports whether nothing was ever published in a partition. Then it needs no shard, and
	// a search lacks nothing without one. nil = not known.
	Empty func(ctx context.Context, partition int32) bool
}

// Anchored is the texts of the links that lead to a page.
type Anchored struct {
	Anchors []shard.Anchor
	Stamp   int64 // of the row: it includes the records of the topic links up to this stamp
}

// AnchorsOf returns the texts of links to pages, by row key. It is called for the pages of a batch;
// pages to which no link leads may be left out.
type AnchorsOf func(ctx context.Context, rowKeys []string) (map[string]Anchored, error)

func (d Deps) validate() error {
	if d.Logger == nil {
		return errors.New("index: no logger")
	}
	return nil
}

// Proof holds the digest and number of documents that dedupe noted of a partition of docs.unique,
// before an offset.
type Proof struct {
	Era       int64 // of docs.unique, as its readers count it; 0 = not noted
	Offset    int64
	Digest    uint64
	Documents int64
}

// ProofOf returns the newest proof of a partition; false if there is none.
type ProofOf func(ctx context.Context, partition int32) (Proof, bool, error)

// DefaultOptions returns the defaults, without a directory.
func DefaultOptions() Options {
	return Options{
		Shard:     shard.DefaultOptions(),
		BatchDocs: 500, BatchBytes: 4 << 20, SmallBatch: 50, Pause: 250 * time.Millisecond,
		MaxAge: 84 * time.Hour, LookEvery: time.Second, ProofEvery: 10 * time.Second,
	}
}

// arrived calls Arrived for the documents of feeds in a batch.
func (o *Options) arrived(changes []shard.Change) {
	if o.Arrived == nil {
		return
	}
	for _, c := range changes {
		if c.Document != nil && c.Document.ListedAt > 0 {
			o.Arrived(time.UnixMilli(c.Document.ListedAt))
		}
	}
}

// Validate returns an error for options that are missing or cannot work.
func (o Options) Validate() error {
	switch {
	case o.Dir == "":
		return errors.New("index: no directory")
	case o.BatchDocs < 1 || o.BatchBytes < 1:
		return fmt.Errorf("index: a batch must hold something, not %d documents and %d bytes", o.BatchDocs, o.BatchBytes)
	case o.Pause < 0 || o.Pause > 5*time.Second:
		return fmt.Errorf("index: the pause between small batches must be between 0 and 5 s, is %s", o.Pause)
	case o.MaxAge < 0 || o.ProofEvery <= 0 || o.LookEvery <= 0:
		return fmt.Errorf("index: MaxAge must not be negative, ProofEvery and LookEvery positive: %s, %s, %s", o.MaxAge, o.ProofEvery, o.LookEvery)
	}
	return o.Shard.Validate()
}
