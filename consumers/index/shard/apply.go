package shard

import (
	"context"
	"fmt"
	"time"

	"github.com/blevesearch/bleve/v2/index/scorch"
	index "github.com/blevesearch/bleve_index_api"
)

// Change is an upsert, or the deletion of a key if Document is nil.
type Change struct {
	Offset   int64 // of its record
	Key      string
	Document *Document
}

// Batch is a sequence of records of the log.
type Batch struct {
	Changes []Change // in the order of the log; the last one of a key counts
	Next    int64    // the offset after the last record
	Era     int64    // of the log; 0 = as before
	Time    time.Time
	Links   *LinksAt // nil = as before
}

// Step is the number of documents and the digest after one record.
type Step struct {
	Next   int64 // the offset after the record
	Docs   int64
	Digest Digest
}

// Apply makes a batch durable: after it returned, the shard reopens at batch.Next. It returns the
// steps after each change, so that they can be compared with a proof at an offset in between. If
// the batch cannot be written, the shard has failed and must be opened again.
func (s *Shard) Apply(ctx context.Context, b Batch) ([]Step, error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	if err := s.writable(b); err != nil {
		return nil, err
	}
	documents, err := s.prepare(ctx, b.Changes)
	if err != nil {
		return nil, err
	}
	next, steps, err := s.advance(documents, b)
	if err != nil {
		return nil, err
	}
	encoded, err := next.encode()
	if err != nil {
		return nil, err
	}
	batch := index.NewBatch()
	for i, c := range b.Changes {
		if documents[i] == nil {
			batch.Delete(c.Key)
			continue
		}
		batch.Update(documents[i])
	}
	batch.SetInternal([]byte(positionKey), encoded)
	if err := s.scorch.Batch(batch); err != nil {
		// It is unknown whether the batch was written until the shard is opened again.
		s.failed(fmt.Errorf("apply batch up to offset %d: %w", b.Next, err))
		return nil, s.Err()
	}
	s.mu.Lock()
	s.position = next
	s.mu.Unlock()
	return steps, nil
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

// advance computes the position after the batch, change by change.
func (s *Shard) advance(documents []*prepared, b Batch) (Position, []Step, error) {
	next := s.Position()
	next.Offset = b.Next
	if b.Era != 0 {
		next.Era = b.Era
	}
	if b.Links != nil {
		next.Links = *b.Links
	}
	if !b.Time.IsZero() {
		next.Time = b.Time.UTC()
	}
	standing, err := s.marks(b.Changes)
	if err != nil {
		return Position{}, nil, err
	}
	steps := make([]Step, 0, len(b.Changes))
	for i, c := range b.Changes {
		if before, ok := standing[c.Key]; ok {
			next.count(before, -1)
			delete(standing, c.Key)
		}
		if d := documents[i]; d != nil {
			next.count(d.mark, 1)
			standing[c.Key] = d.mark
		}
		steps = append(steps, Step{Next: c.Offset + 1, Docs: next.Docs, Digest: next.Digest})
	}
	return next, steps, nil
}

// marks returns the marks of the keys that are in the index.
func (s *Shard) marks(changes []Change) (map[string]mark, error) {
	found := map[string]mark{}
	if len(changes) == 0 {
		return found, nil
	}
	keys := make([]string, len(changes))
	for i, c := range changes {
		keys[i] = c.Key
	}
	snap, err := s.reader()
	if err != nil {
		return nil, err
	}
	defer snap.Close()
	for _, segment := range snap.Segments() {
		docs, err := segment.DocNumbers(keys)
		if err != nil {
			return nil, err
		}
		for it := docs.Iterator(); it.HasNext(); {
			key, m, err := readMark(segment, uint64(it.Next()))
			if err != nil {
				return nil, err
			}
			found[key] = m
		}
	}
	return found, nil
}

func readMark(segment *scorch.SegmentSnapshot, doc uint64) (key string, m mark, err error) {
	var stored []byte
	err = segment.VisitDocument(doc, func(name string, _ byte, value []byte, _ []uint64) bool {
		switch name {
		case storedKey:
			key = string(value)
		case storedMark:
			stored = append(stored, value...)
		}
		return name != storedMark
	})
	if err == nil {
		m, err = decodeMark(stored)
	}
	return key, m, err
}
