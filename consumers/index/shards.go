package index

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// Shards is the index of this process: its live generation and the shards in it. It is safe for
// concurrent use. What is open is kept by openShards; Shards writes batches and replaces shards.
type Shards struct {
	*openShards

	rebuilding sync.Mutex   // held by Rebuild
	reread     atomic.Int64 // records read by the running rebuild, or by the last one
	swap       sync.RWMutex // read-held while a batch is applied, write-held while shards are replaced

	unique, links shared[topicBounds] // of docs.unique, and of the topic links
}

// New returns an index that has no shard yet. It does not touch the disk: Open does.
func New(o Options, d Deps) (*Shards, error) {
	if err := errors.Join(o.Validate(), d.validate()); err != nil {
		return nil, err
	}
	log := d.Logger
	o.Shard.OnError = func(err error) { log.Error("index shard failed", "error", err) }
	o.Shard.OnBare = func(key string, err error) {
		log.Error("document indexed without its text, which stops the analysis", "key", key, "error", err)
	}
	return &Shards{openShards: &openShards{
		opts: o, deps: d, live: newGeneration(o.Dir, 1), moved: make(chan struct{}),
		problems: map[int32]error{}, failing: map[int32]int64{}, count: d.Partitions,
	}}, nil
}

// Close closes all shards.
func (s *Shards) Close() error {
	s.swap.Lock()
	defer s.swap.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opened = false
	return s.live.close()
}

// Expect notes the bounds of the log of a partition, from which follows whether the shard is
// complete. A shard that is complete replaces the old one.
func (s *Shards) Expect(ctx context.Context, partition int32, b Bounds) error {
	s.mu.Lock()
	h := s.live.shards[partition]
	if h != nil {
		whole := h.Offset() >= h.need()
		if h.end.see(b, time.Now()); !whole && h.Offset() >= h.need() {
			s.move()
		}
	}
	waits := h != nil && h.before != nil
	s.mu.Unlock()
	if !waits {
		return nil
	}
	s.swap.Lock()
	defer s.swap.Unlock()
	return s.replace(ctx, partition)
}

// replace removes the old shard of a partition if the new one is complete. The caller holds s.swap
// for writing.
func (s *Shards) replace(ctx context.Context, partition int32) error {
	h := s.held(partition)
	if h == nil || h.before == nil {
		return nil
	}
	if err := h.carry(ctx, &s.opts, s.deps.Logger); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !h.complete(s.opts.MaxAge) {
		return nil
	}
	s.deps.Logger.Info("index partition filled anew answers now", "partition", partition, "offset", h.Offset())
	if err := h.replace(); err != nil { // it is replaced already, and nothing depends on it
		s.deps.Logger.Warn("shard before not removed", "partition", partition, "error", err)
	}
	s.move()
	return nil
}

// beginAnew gives a partition an empty shard. The old one answers until the new one is complete.
func (s *Shards) beginAnew(partition int32, reason string) error {
	s.swap.Lock()
	defer s.swap.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.live.shards[partition]
	if h == nil {
		return fmt.Errorf("%w: %d", ErrNotAssigned, partition)
	}
	return h.beginAnew(s.live, reason, s.opts.Shard)
}

// Drop closes a shard that need not be searched here any more, because another process has it. Its
// files stay, for the partition may come back.
func (s *Shards) Drop(partition int32) error {
	s.swap.Lock()
	defer s.swap.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.live.shards[partition]
	if h == nil {
		return nil
	}
	if h.owned {
		return fmt.Errorf("index: partition %d is being written", partition)
	}
	delete(s.live.shards, partition)
	return h.close()
}

// Apply writes a batch to a partition's shard of the live generation. A shard that failed is opened
// again first; the error of one that fails asks for long pauses (failedShard).
func (s *Shards) Apply(ctx context.Context, partition int32, b Batch) error {
	if err := s.anchor(ctx, b.Changes); err != nil {
		return err
	}
	s.swap.RLock()
	defer s.swap.RUnlock()
	if acknowledged, failed := s.failed(partition); failed {
		if done, err := s.mend(partition, acknowledged, b); done || err != nil {
			return s.rests(partition, err)
		}
	}
	return s.rests(partition, s.write(ctx, partition, b))
}

// write writes a batch to a shard that has not failed.
func (s *Shards) write(ctx context.Context, partition int32, b Batch) error {
	h, err := s.writable(partition)
	if err != nil {
		return err
	}
	if err := h.carry(ctx, &s.opts, s.deps.Logger); err != nil { // if a crash prevented it last time
		return err
	}
	for _, part := range h.cut(b) {
		steps, err := h.Apply(ctx, part)
		if err != nil {
			return err
		}
		s.mu.Lock()
		h.audit.add(steps)
		s.mu.Unlock()
		if err := h.carry(ctx, &s.opts, s.deps.Logger); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.move()
	return nil
}
