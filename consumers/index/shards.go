package index

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"millrace/consumers/index/search"
	"millrace/consumers/index/shard"
)

// Shards is the index of this process: its live generation and the shards in it. It is safe for
// concurrent use.
//
// It is large because it is the one owner of the shards in this process; search, the groups,
// rebuilds and the peers all use it under one lock. What a shard does is in held and shard.Shard.
type Shards struct {
	opts Options
	deps Deps

	rebuilding sync.Mutex   // held by Rebuild
	reread     atomic.Int64 // records read by the running rebuild, or by the last one
	swap       sync.RWMutex // read-held while a batch is applied, write-held while shards are replaced

	mu       sync.Mutex // guards what follows; never held during a batch
	live     *generation
	opened   bool
	problems map[int32]error // shards on disk that could not be opened
	count    int32           // partitions of docs.unique, as far as known
	moved    chan struct{}
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
	return &Shards{
		opts: o, deps: d, live: newGeneration(o.Dir, 1), moved: make(chan struct{}),
		problems: map[int32]error{}, count: d.Partitions,
	}, nil
}

// Open opens every shard that is on disk, for searching. A shard that cannot be opened is left out
// and reported in the process log and by Status; the others are searched. Open may be called again.
func (s *Shards) Open() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open()
}

func (s *Shards) open() error {
	if s.opened {
		return nil
	}
	if err := os.MkdirAll(s.opts.Dir, 0o755); err != nil {
		return fmt.Errorf("index: %w", err)
	}
	number, err := readCurrent(s.opts.Dir)
	if err != nil {
		return fmt.Errorf("index: %w", err)
	}
	s.live = newGeneration(s.opts.Dir, number)
	places, err := s.live.places()
	if err != nil {
		return fmt.Errorf("index: %w", err)
	}
	for p := range places {
		s.count = max(s.count, p+1)
		h, err := s.live.open(p, s.opts.Shard, true)
		if err != nil {
			s.problems[p] = err
			s.deps.Logger.Error("index shard not opened, the others answer", "partition", p, "error", err)
			continue
		}
		if h.Offset() == 0 && h.before == nil { // there is nothing to search
			if h.wasDamaged() {
				s.problems[p] = fmt.Errorf("%w: it waits to be filled anew", errDamaged)
			}
			delete(s.live.shards, p)
			if err := h.close(); err != nil {
				return err
			}
		}
	}
	s.opened = true
	return nil
}

// errDamaged: the files of the shard were damaged, and were set aside.
var errDamaged = errors.New(damaged)

// Close closes all shards.
func (s *Shards) Close() error {
	s.swap.Lock()
	defer s.swap.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.opened = false
	return s.live.close()
}

// grow notes how many partitions there are.
func (s *Shards) grow(count int32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count = max(s.count, count)
}

// Assign opens a partition's shard for writing and returns its position. One whose background work
// failed is opened again; a damaged one is begun anew.
func (s *Shards) Assign(partition int32) (shard.Position, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.open(); err != nil {
		return shard.Position{}, err
	}
	anew := s.closeFailed(partition)
	h, err := s.live.open(partition, s.opts.Shard, true)
	if err != nil {
		s.problems[partition] = err
		return shard.Position{}, fmt.Errorf("index: %w", err)
	}
	if errors.Is(s.problems[partition], errDamaged) {
		h.anew = cmp.Or(h.anew, damaged)
	}
	delete(s.problems, partition)
	h.owned, h.hole, h.anew = true, nil, cmp.Or(h.anew, anew)
	s.count = max(s.count, partition+1)
	return h.Position(), nil
}

// closeFailed closes a shard that failed, so that it is opened again. It returns why that shard had
// been begun anew, if it had.
func (s *Shards) closeFailed(partition int32) (anew string) {
	h := s.live.shards[partition]
	if h == nil || h.Err() == nil {
		return ""
	}
	delete(s.live.shards, partition)
	if err := h.close(); err != nil {
		s.deps.Logger.Warn("failed index shard not closed in order", "partition", partition, "error", err)
	}
	return h.anew
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

// Revoke ends the writing to a shard. It is still searched, as it is.
func (s *Shards) Revoke(partition int32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if h := s.live.shards[partition]; h != nil {
		h.owned, h.end = false, ends{}
	}
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

// ErrNotAssigned: the partition is not written by this process.
var ErrNotAssigned = errors.New("index: the partition is not assigned to this process")

// Apply writes a batch to a partition's shard of the live generation. A shard that failed is opened
// again first.
func (s *Shards) Apply(ctx context.Context, partition int32, b Batch) error {
	if err := s.anchor(ctx, b.Changes); err != nil {
		return err
	}
	s.swap.RLock()
	defer s.swap.RUnlock()
	h, err := s.writable(partition)
	if err != nil {
		return err
	}
	if h.Err() != nil {
		done, err := s.mend(partition, h.Offset(), b)
		if done || err != nil {
			return err
		}
		h = s.held(partition)
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

// ErrWentBack: records that were acknowledged are no longer on the disk.
var ErrWentBack = errors.New("index: the shard on disk is older than what it acknowledged")

// mend opens a failed shard again. It returns true if the batch that failed is on disk after all,
// and ErrWentBack if the shard lost acknowledged records.
func (s *Shards) mend(partition int32, acknowledged int64, b Batch) (bool, error) {
	at, err := s.Assign(partition)
	if err != nil {
		return false, err
	}
	s.deps.Logger.Warn("index shard opened anew after a failure", "partition", partition, "offset", at.Offset)
	if at.Offset >= acknowledged {
		return b.Next <= at.Offset, nil
	}
	// Going on would leave a hole. When the group starts again it reads from the shard's offset.
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.live.shards[partition]
	h.hole = fmt.Errorf("%w: partition %d at %d instead of %d; start the group again", ErrWentBack, partition, at.Offset, acknowledged)
	return false, h.hole
}

// move wakes those who wait for Moved. The caller holds s.mu.
func (s *Shards) move() {
	close(s.moved)
	s.moved = make(chan struct{})
}

// Moved returns a channel that is closed when a batch was written or a generation replaced.
func (s *Shards) Moved() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.moved
}

// held returns a shard of the live generation; nil if it is not open.
func (s *Shards) held(partition int32) *held {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.live.shards[partition]
}

// writable returns a shard that this process may write.
func (s *Shards) writable(partition int32) (*held, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.live.shards[partition]
	if h == nil || !h.owned {
		return nil, fmt.Errorf("%w: %d", ErrNotAssigned, partition)
	}
	return h, h.hole
}

// Lookup returns the document that the index has for a row key, for `millrace why`.
func (s *Shards) Lookup(partition int32, key string) (page search.Hit, ok bool, err error) {
	h := s.held(partition)
	if h == nil {
		return page, false, fmt.Errorf("%w: %d", ErrNotAssigned, partition)
	}
	s.mu.Lock()
	answering := h.answering()
	s.mu.Unlock()
	snap, err := answering.Snapshot()
	if err != nil {
		return page, false, err
	}
	defer snap.Release()
	p, ok, err := snap.Lookup(key)
	return search.Hit{URL: p.URL, Title: p.Title, Site: p.Site, Lang: p.Lang, PublishedAt: p.PublishedAt, FetchedAt: p.FetchedAt, Key: p.Key}, ok, err
}
