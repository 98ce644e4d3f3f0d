package shard

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/blevesearch/bleve/v2/index/scorch"
	index "github.com/blevesearch/bleve_index_api"

	"millrace/consumers/index/segment"
)

// Shard is one open index. Its methods are safe for concurrent use; Apply runs one at a time.
type Shard struct {
	dir     string
	opts    Options
	scorch  *scorch.Scorch
	queue   *index.AnalysisQueue
	writing sync.Mutex  // held by Apply and Close
	words   []analysers // of each worker
	columns kept
	older   bool // it has segments in the format of an older version

	mu       sync.RWMutex // guards what follows
	position Position
	closed   bool
	failure  error
}

// Open opens the shard in a directory, or creates one there. It reads every segment file once, to
// compare its checksum. Panics of the library because of damaged files become ErrDamaged.
func Open(dir string, o Options) (*Shard, error) {
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("shard options: %w", err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	s := &Shard{dir: dir, opts: o, queue: index.NewAnalysisQueue(1)}
	for range o.Workers {
		s.words = append(s.words, analysers{})
	}
	if err := judge(contain(s.open)); err != nil {
		s.queue.Close()
		return nil, fmt.Errorf("open shard %s: %w", filepath.Base(dir), err)
	}
	return s, nil
}

func (s *Shard) open() error {
	if exists(filepath.Join(s.dir, "root.bolt")) {
		if err := s.check(); err != nil {
			return err
		}
	}
	var err error
	if s.scorch, err = openScorch(s.dir, s.queue, s.failed, false); err != nil {
		return err
	}
	if err = s.load(); err != nil {
		_ = contain(s.scorch.Close) // the first error counts
	}
	return err
}

// load reads the position. A new index gets its first one.
func (s *Shard) load() error {
	r, err := s.reader()
	if err != nil {
		return err
	}
	defer r.Close()
	s.older = slices.ContainsFunc(r.Segments(), func(g *scorch.SegmentSnapshot) bool { return segment.Of(g.Segment()) == nil })
	b, err := r.GetInternal([]byte(positionKey))
	switch {
	case err != nil:
		return err
	case b == nil:
		s.position = Position{Shape: s.opts.Shape()}
		return s.first()
	}
	if s.position, err = decodePosition(b); err == nil && s.position.Shape != s.opts.Shape() && !s.opts.AnyShape {
		err = ErrOtherOptions
	}
	return err
}

func (s *Shard) first() error {
	b, err := s.position.encode()
	if err != nil {
		return err
	}
	return s.scorch.SetInternal([]byte(positionKey), b)
}

// Close waits for the batch at work and closes the files. Snapshots taken before can be read until
// they are released.
func (s *Shard) Close() error {
	s.writing.Lock()
	defer s.writing.Unlock()
	s.mu.Lock()
	was := s.closed
	s.closed = true
	s.mu.Unlock()
	if was {
		return nil
	}
	s.queue.Close()
	return s.scorch.Close()
}

// Position returns the position of the shard in the log, with its digest and totals.
func (s *Shard) Position() Position {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.position.clone()
}

// Offset returns the offset of the next record to read from the log.
func (s *Shard) Offset() int64 { return s.Position().Offset }

// Digest returns the XOR of the hashes of the documents.
func (s *Shard) Digest() Digest { return s.Position().Digest }

// DocCount is the number of documents.
func (s *Shard) DocCount() int64 { return s.Position().Docs }

// Searchable reports whether searches can be answered. If not, the shard was written by an older
// version (Options.AnyShape), and only its documents can be read.
func (s *Shard) Searchable() bool { return !s.older }

// Err returns the first error of scorch's background work.
func (s *Shard) Err() error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.failure
}

func (s *Shard) failed(err error) {
	s.mu.Lock()
	first := s.failure == nil
	if first {
		s.failure = err
	}
	s.mu.Unlock()
	if first && s.opts.OnError != nil {
		s.opts.OnError(err)
	}
}

func (s *Shard) reader() (*scorch.IndexSnapshot, error) {
	r, err := s.scorch.Reader()
	if err != nil {
		return nil, err
	}
	return r.(*scorch.IndexSnapshot), nil
}

// Merge merges all segments into one, which makes searches of a shard that does not change cheaper.
// It reads and writes the whole shard; searches and batches go on meanwhile.
func (s *Shard) Merge(ctx context.Context) error {
	if err := s.Err(); err != nil {
		return err
	}
	return contain(func() error { return s.scorch.ForceMerge(ctx, nil) })
}
