package index

import (
	"context"
	"fmt"
	"time"

	"millrace/consumers/index/shard"
	"millrace/schema"
	"millrace/streams"
	"millrace/topics"
)

// New returns what starts a Task for a partition of docs.unique.
func New(s *Shards) func(*streams.Partition) streams.Task[*schema.Unique] {
	return func(p *streams.Partition) streams.Task[*schema.Unique] {
		return &task{p: p, shards: s, opts: &s.opts}
	}
}

type task struct {
	p      *streams.Partition
	shards *Shards
	opts   *Options

	offset  int64 // records below it are in the shard
	pile    pile
	before  pile      // what a failed Handle returns to
	applied time.Time // when the last batch was
	looked  time.Time // for a proof
}

// Recover opens the shard and says where it stands; a shard that the log can not continue starts over.
func (t *task) Recover(ctx context.Context) (int64, error) {
	t.shards.grow(t.p.Count())
	at, err := t.shards.Assign(t.p.ID())
	if err != nil {
		return 0, err
	}
	start, err := t.p.Log().Start(ctx, topics.Unique().Name, t.p.ID())
	if err != nil {
		return 0, err
	}
	end, err := t.p.Log().End(ctx, topics.Unique().Name, t.p.ID())
	if err != nil {
		return 0, err
	}
	reason, err := t.unfit(ctx, at, start, end)
	if err != nil {
		return 0, err
	}
	if reason != "" {
		t.opts.Logger.Warn("index partition starts over", "partition", t.p.ID(), "reason", reason,
			"offset", at.Offset, "log_start", start, "log_end", end)
		if err := t.shards.restart(t.p.ID()); err != nil {
			return 0, err
		}
		at.Offset = 0
	}
	t.offset = at.Offset
	return max(at.Offset, start), nil
}

// unfit says why a shard cannot be continued from the log, "" if it can.
func (t *task) unfit(ctx context.Context, at shard.Position, start, end int64) (string, error) {
	switch {
	case at.Offset == 0:
		return "", nil
	case at.Offset > end:
		return "the log ends before the shard", nil
	case at.Offset < start:
		return "the log begins after the shard", nil
	case at.Offset == end || t.opts.MaxAge == 0 || time.Since(at.Time) < t.opts.MaxAge:
		return "", nil
	}
	// Nothing may have happened for days: then the proof still holds.
	if t.opts.Proof != nil {
		offset, digest, docs, ok, err := t.opts.Proof(ctx, t.p.ID())
		if err != nil || ok && offset >= at.Offset && shard.Digest(digest) == at.Digest && docs == at.Docs {
			return "", err
		}
	}
	return "deletions may have been compacted away", nil
}

// Handle takes a record onto the pile.
func (t *task) Handle(_ context.Context, r *Record) error {
	t.before = t.pile
	if r.Offset < t.offset {
		return nil
	}
	c, err := change(r)
	if err != nil {
		return err
	}
	t.pile.add(c, r)
	return nil
}

// Undo takes the last record off the pile.
func (t *task) Undo() { t.pile = t.before }

// Settle writes the pile.
func (t *task) Settle(ctx context.Context) error {
	n := len(t.pile.changes)
	if n == 0 {
		return nil
	}
	if n < t.opts.SmallBatch {
		if err := wait(ctx, time.Until(t.applied.Add(t.opts.Pause))); err != nil {
			return err
		}
	}
	err := t.pile.apply(ctx, t.opts, func(ctx context.Context, b Batch) error { return t.shards.Apply(ctx, t.p.ID(), b) })
	if err != nil {
		return fmt.Errorf("partition %d: %w", t.p.ID(), err)
	}
	t.applied = time.Now()
	t.offset = t.pile.next
	return nil
}

func wait(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// Tick compares the fold with its proof from time to time.
func (t *task) Tick(ctx context.Context, now time.Time) error {
	t.before = t.pile
	if t.opts.Proof == nil || now.Sub(t.looked) < t.opts.ProofEvery {
		return nil
	}
	t.looked = now
	if err := t.shards.prove(ctx, t.p.ID()); err != nil {
		t.opts.Logger.Warn("no proof of the index could be read", "partition", t.p.ID(), "error", err)
	}
	return nil
}

// Revoke leaves the shard as it is, to be searched until another owner has caught up.
func (t *task) Revoke(context.Context, bool) { t.shards.freeze(t.p.ID()) }
