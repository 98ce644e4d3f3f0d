package index

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"

	"millrace/consumers/index/shard"
	"millrace/schema"
	"millrace/streams"
	"millrace/topics"
)

// Read calls fn for the records of a partition of docs.unique in [from, to), in order.
type Read func(ctx context.Context, partition int32, from, to int64, fn func(*Record) error) error

// FromLog reads docs.unique.
func FromLog(l *streams.Log) Read {
	return func(ctx context.Context, partition int32, from, to int64, fn func(*Record) error) error {
		return streams.Read[*schema.Unique](ctx, l, topics.Unique(), partition, from, to, fn)
	}
}

// ErrDifferent: a rebuilt partition differs from the live one, and no proof says that it is right.
var ErrDifferent = errors.New("index: the rebuilt generation differs from the live one")

// ErrRebuilding: a rebuild is running already, or a partition is being filled anew.
var ErrRebuilding = errors.New("index: a rebuild is running")

// nearEnough is how many offsets the new shard may be behind the live one when writing stops for
// the swap: about a second of work.
const nearEnough = 1000

// Rebuild fills a new generation from the log beside the live one, which goes on being written and
// searched, and then takes its place in one step. Searches that run keep their snapshots. Shards
// that were left here when their partitions moved away go with the generation before, which stays
// on disk. If anything fails the live generation stays.
func (s *Shards) Rebuild(ctx context.Context, read Read) error {
	if !s.rebuilding.TryLock() {
		return ErrRebuilding
	}
	defer s.rebuilding.Unlock()
	s.reread.Store(0)
	next, err := s.next()
	if err != nil {
		return err
	}
	if err := os.RemoveAll(next.dir); err != nil { // of a rebuild that did not finish
		return err
	}
	r := rebuild{shards: s, next: next, read: read}
	for {
		if err := r.approach(ctx); err != nil {
			return errors.Join(err, next.close(), os.RemoveAll(next.dir))
		}
		done, err := r.replace(ctx)
		if err != nil {
			return errors.Join(err, next.close(), os.RemoveAll(next.dir))
		}
		if done {
			return prune(s.opts.Dir, next.number)
		}
	}
}

// next returns an empty generation. It fails while a shard of the live one is being filled anew:
// there would be nothing complete to compare with.
func (s *openShards) next() (*generation, error) {
	made := s.made()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range made {
		if h := s.live.shards[p]; h != nil && h.before != nil {
			return nil, fmt.Errorf("%w: partition %d is being filled anew (%s)", ErrRebuilding, p, h.anew)
		}
	}
	return newGeneration(s.opts.Dir, s.live.number+1), nil
}

// Reread returns how many records the running rebuild has read, or the last one.
func (s *Shards) Reread() int64 { return s.reread.Load() }

type rebuild struct {
	shards *Shards
	next   *generation
	read   Read
}

// approach reads until every new shard is less than nearEnough behind the live one.
func (r *rebuild) approach(ctx context.Context) error {
	for _, p := range r.shards.made() {
		h, err := r.next.open(p, r.shards.opts.Shard, true)
		if err != nil {
			return err
		}
		for {
			live := r.shards.held(p)
			if live == nil {
				break // dropped meanwhile
			}
			target := live.Offset()
			if target-h.Offset() < nearEnough {
				break
			}
			if err := r.catchUp(ctx, p, h, target); err != nil {
				return err
			}
		}
	}
	return nil
}

// catchUp reads the log into a shard up to an offset.
func (r *rebuild) catchUp(ctx context.Context, partition int32, h *held, target int64) error {
	from := h.Offset()
	if from >= target {
		return nil
	}
	own, era := r.shards.opts, r.shards.eraOf(partition)
	own.Arrived = nil // what is read here could be found before
	o := &own
	var p pending
	write := func(ctx context.Context, b Batch) error {
		if err := r.shards.anchor(ctx, b.Changes); err != nil {
			return err
		}
		steps, err := h.Apply(ctx, b)
		h.audit.add(steps)
		return err
	}
	bytes := 0
	err := r.read(ctx, partition, from, target, func(rec *Record) error {
		r.shards.reread.Add(1)
		c, err := change(rec)
		if err != nil {
			p.pass(rec) // the group made it a dead letter
			return nil
		}
		p.add(c, rec)
		if bytes += len(rec.Bytes); len(p.changes) < o.BatchDocs && bytes < o.BatchBytes {
			return nil
		}
		bytes = 0
		return p.apply(ctx, o, era, write)
	})
	if err == nil {
		err = p.apply(ctx, o, era, write)
	}
	if err == nil {
		err = write(ctx, Batch{Next: target, Era: era, Time: p.time})
	}
	if err != nil {
		return fmt.Errorf("rebuild of partition %d: %w", partition, err)
	}
	return nil
}

// eraOf returns the era of the log from which a live shard was filled.
func (s *openShards) eraOf(partition int32) int64 {
	if h := s.held(partition); h != nil {
		return h.Position().Era
	}
	return 0
}

// replace stops all writing, reads the rest, compares and swaps. It returns false if a partition
// was assigned meanwhile whose shard is not rebuilt yet.
func (r *rebuild) replace(ctx context.Context) (bool, error) {
	s := r.shards
	s.swap.Lock()
	defer s.swap.Unlock()
	made := s.made()
	for _, p := range made {
		h := r.next.shards[p]
		if h == nil {
			return false, nil
		}
		live := s.held(p)
		if err := r.catchUp(ctx, p, h, live.Offset()); err != nil {
			return false, err
		}
		if err := r.compare(ctx, p, live, h); err != nil {
			return false, err
		}
	}
	if err := r.keep(made); err != nil {
		return false, err
	}
	return true, r.install()
}

// keep takes away what was begun for partitions that moved away meanwhile: nobody compared it.
func (r *rebuild) keep(made []int32) error {
	var errs []error
	for p, h := range r.next.shards {
		if !slices.Contains(made, p) {
			delete(r.next.shards, p)
			errs = append(errs, h.close(), os.RemoveAll(r.next.path(p, 0)))
		}
	}
	return errors.Join(errs...)
}

// compare accepts a shard that equals the live one, or else one that dedupe's proof confirms.
func (r *rebuild) compare(ctx context.Context, partition int32, live, h *held) error {
	was, is := live.Position(), h.Position()
	if was.Digest == is.Digest && was.Docs == is.Docs {
		return nil
	}
	if d := r.shards.deps; d.Proof != nil {
		proof, ok, err := d.Proof(ctx, partition)
		if err != nil {
			return err
		}
		v, _ := h.audit.compare(proof.Offset, shard.Digest(proof.Digest), proof.Documents)
		if ok && v == equal && live.sameLog(proof) {
			d.Logger.Warn("rebuild repairs a partition of the index", "partition", partition, "offset", is.Offset,
				"docs", is.Docs, "docs_before", was.Docs)
			h.proven = proof.Offset
			return nil
		}
	}
	return fmt.Errorf("%w: partition %d at offset %d: digest %s with %d documents, live %s with %d",
		ErrDifferent, partition, is.Offset, is.Digest, is.Docs, was.Digest, was.Docs)
}

// install makes the new generation the live one. After CURRENT is written it does not fail any
// more.
func (r *rebuild) install() error {
	s := r.shards
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := writeCurrent(s.opts.Dir, r.next.number); err != nil {
		return err
	}
	old := s.live
	for p, h := range r.next.shards {
		if before := old.shards[p]; before != nil {
			h.owned, h.end = before.owned, before.end
			h.proven = max(h.proven, before.proven)
		}
	}
	s.live = r.next
	s.move()
	s.deps.Logger.Info("index generation replaced", "old", old.number, "new", s.live.number)
	if err := old.close(); err != nil { // it is replaced already, and nothing depends on it
		s.deps.Logger.Error("old index generation not closed in order", "generation", old.number, "error", err)
	}
	return nil
}
