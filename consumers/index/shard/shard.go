package shard

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/blevesearch/bleve/v2/index/scorch"
	index "github.com/blevesearch/bleve_index_api"
)

// Shard is one open index. Its methods are safe for concurrent use; Apply runs one at a time.
type Shard struct {
	dir     string
	opts    Options
	scorch  *scorch.Scorch
	queue   *index.AnalysisQueue
	writing sync.Mutex // held by Apply and Close

	mu       sync.RWMutex // guards what follows
	position Position
	closed   bool
	failure  error
}

// Open opens the shard in a directory, or creates it there.
func Open(dir string, o Options) (*Shard, error) {
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("shard options: %w", err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	s := &Shard{dir: dir, opts: o, queue: index.NewAnalysisQueue(1)}
	if err := s.open(); err != nil {
		s.queue.Close()
		return nil, fmt.Errorf("open shard %s: %w", filepath.Base(dir), err)
	}
	return s, nil
}

func (s *Shard) open() error {
	var err error
	if s.scorch, err = openScorch(s.dir, s.queue, s.failed); err != nil {
		return err
	}
	if s.position, err = s.stored(); err != nil {
		s.scorch.Close()
		return err
	}
	if s.position.Shape != s.opts.Shape() {
		s.scorch.Close()
		return ErrOtherOptions
	}
	return nil
}

// stored reads the position; a new index gets its first one.
func (s *Shard) stored() (Position, error) {
	r, err := s.scorch.Reader()
	if err != nil {
		return Position{}, err
	}
	defer r.Close()
	b, err := r.GetInternal([]byte(positionKey))
	if err != nil {
		return Position{}, err
	}
	if b != nil {
		return decodePosition(b)
	}
	first := Position{Shape: s.opts.Shape()}
	b, err = first.encode()
	if err != nil {
		return Position{}, err
	}
	return first, s.scorch.SetInternal([]byte(positionKey), b)
}

// Close waits for the batch in hand and closes the files. Snapshots taken before stay readable until released.
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

// Position returns where the shard stands.
func (s *Shard) Position() Position {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.position.clone()
}

// Offset is the next offset to read from the log.
func (s *Shard) Offset() int64 { return s.Position().Offset }

// Digest is the fold digest of the documents.
func (s *Shard) Digest() Digest { return s.Position().Digest }

// DocCount is the number of documents.
func (s *Shard) DocCount() int64 { return s.Position().Docs }

// Err returns the first error of scorch's background work.
func (s *Shard) Err() error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.failure
}

func (s *Shard) failed(err error) {
	s.mu.Lock()
	if s.failure == nil {
		s.failure = err
	}
	s.mu.Unlock()
	if s.opts.OnError != nil {
		s.opts.OnError(err)
	}
}

// Change is an upsert, or the deletion of a key if Document is nil.
type Change struct {
	Key      string
	Document *Document
}

// Batch is a run of the log.
type Batch struct {
	Changes []Change // in the order of the log; the last one of a key counts
	Next    int64    // the offset after the last record
	Time    time.Time
}

// Apply makes a batch durable: after it returned, the shard reopens at batch.Next.
func (s *Shard) Apply(ctx context.Context, b Batch) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	if err := s.writable(b); err != nil {
		return err
	}
	documents, keys, err := s.prepare(ctx, b.Changes)
	if err != nil {
		return err
	}
	next, err := s.advance(documents, keys, b)
	if err != nil {
		return err
	}
	encoded, err := next.encode()
	if err != nil {
		return err
	}
	batch := index.NewBatch()
	for i, key := range keys {
		if documents[i] == nil {
			batch.Delete(key)
			continue
		}
		batch.Update(documents[i])
	}
	batch.SetInternal([]byte(positionKey), encoded)
	if err := s.scorch.Batch(batch); err != nil {
		// Whether the batch is in is unknown now; only reopening tells.
		s.failed(fmt.Errorf("apply batch up to offset %d: %w", b.Next, err))
		return s.Err()
	}
	s.mu.Lock()
	s.position = next
	s.mu.Unlock()
	return nil
}

func (s *Shard) writable(b Batch) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	switch {
	case s.closed:
		return ErrClosed
	case s.failure != nil:
		return fmt.Errorf("shard failed before: %w", s.failure)
	case b.Next < s.position.Offset:
		return fmt.Errorf("%w: ends at %d, the shard is at %d", ErrStale, b.Next, s.position.Offset)
	}
	return nil
}

// advance computes the position after the batch.
func (s *Shard) advance(documents []*prepared, keys []string, b Batch) (Position, error) {
	next := s.Position()
	next.Offset = b.Next
	if !b.Time.IsZero() {
		next.Time = b.Time.UTC()
	}
	replaced, err := s.marks(keys)
	if err != nil {
		return Position{}, err
	}
	for _, m := range replaced {
		next.count(m, -1)
	}
	for _, d := range documents {
		if d != nil {
			next.count(d.mark, 1)
		}
	}
	return next, nil
}

// marks returns the marks of those keys that are in the index.
func (s *Shard) marks(keys []string) ([]mark, error) {
	if len(keys) == 0 {
		return nil, nil
	}
	snap, err := s.reader()
	if err != nil {
		return nil, err
	}
	defer snap.Close()
	var found []mark
	for _, segment := range snap.Segments() {
		docs, err := segment.DocNumbers(keys)
		if err != nil {
			return nil, err
		}
		for it := docs.Iterator(); it.HasNext(); {
			m, err := readMark(segment, uint64(it.Next()))
			if err != nil {
				return nil, err
			}
			found = append(found, m)
		}
	}
	return found, nil
}

func readMark(segment *scorch.SegmentSnapshot, doc uint64) (mark, error) {
	var stored []byte
	err := segment.VisitDocument(doc, func(name string, _ byte, value []byte, _ []uint64) bool {
		if name == fieldMark {
			stored = append(stored, value...)
		}
		return name != fieldMark
	})
	if err != nil {
		return mark{}, err
	}
	return decodeMark(stored)
}

func (s *Shard) reader() (*scorch.IndexSnapshot, error) {
	r, err := s.scorch.Reader()
	if err != nil {
		return nil, err
	}
	return r.(*scorch.IndexSnapshot), nil
}
