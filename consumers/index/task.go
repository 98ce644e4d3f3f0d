package index

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"millrace/consumers/index/shard"
	"millrace/schema"
	"millrace/streams"
	"millrace/topics"
)

// Group is the name of the consumer group.
const Group = "index"

// Task returns the Task of a partition of docs.unique: the start function of streams.Run. It emits
// nothing.
func (s *Shards) Task(p *streams.Partition) streams.Task[*schema.Unique] {
	return &task{p: p, shards: s, opts: &s.opts, log: s.deps.Logger}
}

// task handles one partition of docs.unique.
//
// It is large because it keeps, for each topic that it follows, what was read and not yet written.
type task struct {
	p      *streams.Partition
	shards *Shards
	opts   *Options
	log    *slog.Logger

	offset  int64 // records below it are in the shard
	pending pending
	before  pending   // to which a failed Handle returns
	applied time.Time // when the last batch was
	looked  time.Time // at the end of the log
	lastAt  int64     // offset at the last look
	passed  int64     // the shard has all records before this offset
	asked   time.Time // for a proof

	followed followed // position in the topic links
}

// Recover opens the shard and returns its offset. A shard that the log cannot continue is begun
// anew.
func (t *task) Recover(ctx context.Context) (int64, error) {
	t.shards.grow(t.p.Count())
	at, err := t.shards.Assign(t.p.ID())
	if err != nil {
		return 0, err
	}
	start, end, err := t.bounds(ctx)
	if err != nil {
		return 0, err
	}
	reason, err := t.unfit(ctx, at, start, end)
	if err != nil {
		return 0, err
	}
	if reason != "" {
		t.log.Warn("index partition begins anew", "partition", t.p.ID(), "reason", reason,
			"offset", at.Offset, "log_start", start, "log_end", end)
		if err := t.shards.beginAnew(t.p.ID(), reason); err != nil {
			return 0, err
		}
		at.Offset, t.passed = 0, 0
	}
	t.offset = at.Offset
	return max(at.Offset, start), t.shards.Expect(ctx, t.p.ID(), Bounds{Era: t.p.Era(), Start: start, End: end})
}

// bounds asks where the log begins and ends.
func (t *task) bounds(ctx context.Context) (start, end int64, err error) {
	b, err := t.uniqueBounds(ctx)
	return b.starts[t.p.ID()], b.ends[t.p.ID()], err
}

func (t *task) uniqueBounds(ctx context.Context) (b topicBounds, err error) {
	if b.starts, err = t.p.Log().Starts(ctx, topics.Unique().Name); err != nil {
		return b, err
	}
	b.ends, err = t.p.Log().Ends(ctx, topics.Unique().Name)
	return b, err
}

// unfit returns why the log cannot continue a shard; "" if it can.
func (t *task) unfit(ctx context.Context, at shard.Position, start, end int64) (string, error) {
	switch {
	case at.Offset == 0:
		return "", nil
	case at.Era != 0 && at.Era != t.p.Era():
		return "the log is another one", nil
	case at.Offset > end:
		return "the log ends before the shard", nil
	case at.Offset < start:
		return "the log begins after the shard", nil
	case at.Offset == end || t.opts.MaxAge == 0 || time.Since(at.Time) < t.opts.MaxAge:
		return "", nil
	}
	// A log without records for days is no problem: then the proof still matches.
	if prove := t.shards.deps.Proof; prove != nil {
		p, ok, err := prove(ctx, t.p.ID())
		same := ok && (p.Era == 0 || p.Era == t.p.Era())
		if err != nil || same && p.Offset >= at.Offset && shard.Digest(p.Digest) == at.Digest && p.Documents == at.Docs {
			return "", err
		}
	}
	return "deletions may have been compacted away", nil
}

// Handle adds a record to what is pending.
func (t *task) Handle(_ context.Context, r *Record) error {
	t.before = t.pending
	if r.Offset < t.offset {
		return nil
	}
	c, err := change(r)
	if err != nil {
		return err
	}
	t.pending.add(c, r)
	return nil
}

// Undo removes the last record.
func (t *task) Undo() { t.pending = t.before }

// Settle writes what is pending.
func (t *task) Settle(ctx context.Context) error {
	n := len(t.pending.changes)
	if n == 0 {
		return t.settlePassed(ctx)
	}
	if n < t.opts.SmallBatch {
		pause := t.opts.Pause
		if t.pending.hasNews() {
			pause = min(pause, newsPause)
		}
		if err := wait(ctx, time.Until(t.applied.Add(pause))); err != nil {
			return err
		}
	}
	err := t.pending.apply(ctx, t.opts, t.p.Era(), func(ctx context.Context, b Batch) error { return t.shards.Apply(ctx, t.p.ID(), b) })
	if err != nil {
		return fmt.Errorf("partition %d: %w", t.p.ID(), err)
	}
	t.applied = time.Now()
	t.offset = t.pending.next
	return nil
}

// Tick looks at the end of the log, the links and the proof when they are due. A failed look is
// repeated.
func (t *task) Tick(ctx context.Context, now time.Time) error {
	t.before = t.pending
	if now.Sub(t.looked) >= t.opts.LookEvery {
		t.looked = now
		if err := t.look(ctx, now); err != nil {
			t.log.Warn("end of docs.unique not known", "partition", t.p.ID(), "error", err)
		}
	}
	if err := t.follow(ctx, now); err != nil {
		t.log.Warn("links to pages not taken over, trying again", "partition", t.p.ID(), "error", err)
	}
	if t.shards.deps.Proof != nil && now.Sub(t.asked) >= t.opts.ProofEvery {
		t.asked = now
		if err := t.shards.prove(ctx, t.p.ID()); err != nil {
			t.log.Warn("no proof of the index could be read", "partition", t.p.ID(), "error", err)
		}
	}
	return nil
}

func (t *task) look(ctx context.Context, now time.Time) error {
	b, err := t.shards.unique.get(now, t.opts.together(), func() (topicBounds, error) { return t.uniqueBounds(ctx) })
	if err != nil {
		return err
	}
	start, end := b.starts[t.p.ID()], b.ends[t.p.ID()]
	idle := t.offset == t.lastAt && len(t.pending.changes) == 0
	t.lastAt = t.offset
	if idle && max(t.offset, t.passed) < end {
		empty, err := t.noRecord(ctx, max(t.offset, t.passed), end)
		if err != nil {
			return err
		}
		if empty {
			t.passed = end
		}
	}
	return t.shards.Expect(ctx, t.p.ID(), Bounds{Era: t.p.Era(), Start: start, End: end, Passed: t.passed})
}

var errRecord = errors.New("there is a record")

// noRecord reports whether a range of the log has no records, only transaction markers.
func (t *task) noRecord(ctx context.Context, from, to int64) (bool, error) {
	err := t.p.Log().Scan(ctx, topics.Unique().Name, t.p.ID(), from, to, func(streams.Raw) error { return errRecord })
	if errors.Is(err, errRecord) {
		return false, nil
	}
	return err == nil, err
}

// Revoke ends writing; the shard is still searched, until another owner has caught up.
func (t *task) Revoke(context.Context, bool) { t.shards.Revoke(t.p.ID()) }
