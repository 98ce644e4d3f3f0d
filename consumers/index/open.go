package index

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"millrace/consumers/index/search"
	"millrace/consumers/index/shard"
)

// openShards holds the shards that are open in this process, and what is known of each. All of it
// is under one lock, which is never held while a batch is written.
type openShards struct {
	opts Options
	deps Deps

	mu       sync.Mutex // guards what follows
	live     *generation
	opened   bool
	problems map[int32]error // shards on disk that could not be opened
	failing  map[int32]int64 // shards that failed and could not be opened again, with the offset they had acknowledged
	count    int32           // partitions of docs.unique, as far as known
	moved    chan struct{}
}

// Open opens every shard that is on disk, for searching. A shard that cannot be opened is left out
// and reported in the process log and by Status; the others are searched. Open may be called again.
func (s *openShards) Open() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.open()
}

func (s *openShards) open() error {
	if s.opened {
		return nil
	}
	if err := os.MkdirAll(s.opts.Dir, 0o755); err != nil {
		return fmt.Errorf("index: %w", err)
	}
	number, guessed, err := readCurrent(s.opts.Dir)
	if err != nil {
		return fmt.Errorf("index: %w", err)
	}
	if guessed != "" {
		s.deps.Logger.Error("the file that names the generation of the index to search cannot be used: one was chosen; "+
			"if it finds too little, stop this process, write the number of another folder into the file, and start again; a rebuild writes the file anew",
			"file", filepath.Join(s.opts.Dir, currentFile), "why", guessed, "generation", number)
	}
	if guessed == "" { // else another one may be right
		err = clearUnfinished(s.opts.Dir, number)
	}
	if err != nil {
		s.deps.Logger.Warn("an index that a rebuild did not finish is not removed: it takes room on the disk", "error", err)
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

// grow notes how many partitions there are.
func (s *openShards) grow(count int32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count = max(s.count, count)
}

// Assign opens a partition's shard for writing and returns its position. One whose background work
// failed is opened again; a damaged one is begun anew.
func (s *openShards) Assign(partition int32) (shard.Position, error) {
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
	delete(s.failing, partition)
	h.owned, h.hole, h.anew = true, nil, cmp.Or(h.anew, anew)
	s.count = max(s.count, partition+1)
	return h.Position(), nil
}

// closeFailed closes a shard that failed, so that it is opened again. It returns why that shard had
// been begun anew, if it had.
func (s *openShards) closeFailed(partition int32) (anew string) {
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

// Revoke ends the writing to a shard. It is still searched, as it is.
func (s *openShards) Revoke(partition int32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.failing, partition)
	if h := s.live.shards[partition]; h != nil {
		h.owned, h.end = false, ends{}
	}
}

// move wakes those who wait for Moved. The caller holds s.mu.
func (s *openShards) move() {
	close(s.moved)
	s.moved = make(chan struct{})
}

// Moved returns a channel that is closed when a batch was written or a generation replaced.
func (s *openShards) Moved() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.moved
}

// held returns a shard of the live generation; nil if it is not open.
func (s *openShards) held(partition int32) *held {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.live.shards[partition]
}

// ErrNotAssigned: the partition is not written by this process.
var ErrNotAssigned = errors.New("index: the partition is not assigned to this process")

// writable returns a shard that this process may write.
func (s *openShards) writable(partition int32) (*held, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.live.shards[partition]
	if h == nil || !h.owned {
		return nil, fmt.Errorf("%w: %d", ErrNotAssigned, partition)
	}
	return h, h.hole
}

// Lookup returns the document that the index has for a row key, for `millrace why`.
func (s *openShards) Lookup(ctx context.Context, partition int32, key string) (page search.Hit, ok bool, err error) {
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
	p, ok, err := snap.Lookup(ctx, key)
	return search.Hit{URL: p.URL, Title: p.Title, Site: p.Site, Lang: p.Lang, PublishedAt: p.PublishedAt, FetchedAt: p.FetchedAt, Key: p.Key, NoArchive: p.NoArchive}, ok, err
}
