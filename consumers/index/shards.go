package index

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"sync"
	"sync/atomic"

	"millrace/consumers/index/search"
	"millrace/consumers/index/shard"
)

// Shards is the index of this process: its generations and their shards. It is safe for concurrent use.
type Shards struct {
	opts Options

	rebuilding sync.Mutex   // held by Rebuild
	reread     atomic.Int64 // records read by the rebuild that runs, or by the last one
	swap       sync.RWMutex // read-held while a batch is applied, write-held while generations change

	mu    sync.Mutex // guards what follows; never held during a batch
	live  *generation
	count int32 // partitions of docs.unique, as far as known
	moved chan struct{}
}

// Open opens the index in a directory and every shard there is, for searching. If its shards were built with
// other shaping options, an empty generation takes their place, to be filled from the log; theirs stays on disk.
func Open(o Options) (*Shards, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(o.Dir, 0o755); err != nil {
		return nil, err
	}
	number, err := readCurrent(o.Dir)
	if err != nil {
		return nil, err
	}
	s := &Shards{opts: o, live: newGeneration(o.Dir, number), moved: make(chan struct{})}
	err = s.live.openAll(o.Shard)
	if errors.Is(err, shard.ErrOtherOptions) {
		o.Logger.Warn("index options changed, building a new generation", "old", number, "new", number+1)
		s.live = newGeneration(o.Dir, number+1)
		err = errors.Join(os.RemoveAll(s.live.dir), writeCurrent(o.Dir, number+1))
	}
	if err != nil {
		return nil, fmt.Errorf("index: %w", err)
	}
	for p := range s.live.shards {
		s.count = max(s.count, p+1)
	}
	return s, nil
}

// Close closes all shards.
func (s *Shards) Close() error {
	s.swap.Lock()
	defer s.swap.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.live.close()
}

// grow notes how many partitions there are.
func (s *Shards) grow(count int32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count = max(s.count, count)
}

// Assign opens a partition's shard for writing and returns where it stands. A shard whose background work failed
// is opened anew.
func (s *Shards) Assign(partition int32) (shard.Position, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.closeFailed(partition); err != nil {
		return shard.Position{}, err
	}
	h, err := s.live.open(partition, s.opts.Shard)
	if err != nil {
		return shard.Position{}, fmt.Errorf("index: %w", err)
	}
	h.frozen, h.hole = false, nil
	s.count = max(s.count, partition+1)
	return h.Position(), nil
}

func (s *Shards) closeFailed(partition int32) error {
	h := s.live.shards[partition]
	if h == nil || h.Err() == nil {
		return nil
	}
	delete(s.live.shards, partition)
	return h.Close()
}

// restart empties a partition's shard.
func (s *Shards) restart(partition int32) error {
	s.swap.Lock()
	defer s.swap.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	if h := s.live.shards[partition]; h != nil {
		delete(s.live.shards, partition)
		if err := h.Close(); err != nil {
			return err
		}
	}
	if err := os.RemoveAll(s.live.path(partition)); err != nil {
		return err
	}
	_, err := s.live.open(partition, s.opts.Shard)
	return err
}

// freeze ends the writing to a shard; it is searched as it is.
func (s *Shards) freeze(partition int32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if h := s.live.shards[partition]; h != nil {
		h.frozen = true
	}
}

// Drop closes a shard that another process has and that need not be searched here any more.
func (s *Shards) Drop(partition int32) error {
	s.swap.Lock()
	defer s.swap.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.live.shards[partition]
	if h == nil {
		return nil
	}
	if !h.frozen {
		return fmt.Errorf("index: partition %d is being written", partition)
	}
	delete(s.live.shards, partition)
	return h.Close()
}

// ErrNotAssigned: the partition is not written by this process.
var ErrNotAssigned = errors.New("index: the partition is not assigned to this process")

// Apply writes a batch to a partition's shard of the live generation, whichever that is by now.
func (s *Shards) Apply(ctx context.Context, partition int32, b Batch) error {
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
	steps, err := h.Apply(ctx, b)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	h.audit.add(steps)
	s.move()
	return nil
}

// ErrWentBack: what was acknowledged is gone from the disk.
var ErrWentBack = errors.New("index: the shard on disk is older than what it acknowledged")

// mend opens a failed shard anew. It reports true if the batch that failed is in after all.
func (s *Shards) mend(partition int32, acknowledged int64, b Batch) (bool, error) {
	at, err := s.Assign(partition)
	if err != nil {
		return false, err
	}
	s.opts.Logger.Warn("index shard opened anew after a failure", "partition", partition, "offset", at.Offset)
	if at.Offset >= acknowledged {
		return b.Next <= at.Offset, nil
	}
	// Going on would leave a hole; the next start of the group reads from where the shard is.
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.live.shards[partition]
	h.hole = fmt.Errorf("%w: partition %d at %d instead of %d; start the group again", ErrWentBack, partition, at.Offset, acknowledged)
	return false, h.hole
}

// move wakes those who wait for Moved. s.mu is held.
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

// held returns a shard of the live generation, nil if it is not open.
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
	if h == nil || h.frozen {
		return nil, fmt.Errorf("%w: %d", ErrNotAssigned, partition)
	}
	return h, h.hole
}

// Lookup returns what the index has under a row key, for `millrace why`.
func (s *Shards) Lookup(partition int32, key string) (page search.Hit, ok bool, err error) {
	h := s.held(partition)
	if h == nil {
		return page, false, fmt.Errorf("%w: %d", ErrNotAssigned, partition)
	}
	snap, err := h.Snapshot()
	if err != nil {
		return page, false, err
	}
	defer snap.Release()
	p, ok, err := snap.Lookup(key)
	return search.Hit{URL: p.URL, Title: p.Title, Site: p.Site, Lang: p.Lang, PublishedAt: p.PublishedAt, FetchedAt: p.FetchedAt, Key: p.Key}, ok, err
}

// partitions lists the open shards of the live generation.
func (s *Shards) partitions() []int32 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.live.shards))
}
