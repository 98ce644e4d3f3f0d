package shard

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
)

// prepare analyses the documents of a batch in parallel. A nil document is a deletion. Batches come one at a
// time, so each worker has its normalisers to itself.
func (s *Shard) prepare(ctx context.Context, changes []Change) ([]*prepared, error) {
	documents := make([]*prepared, len(changes))
	errs := make([]error, len(changes))
	var next atomic.Int64
	var workers sync.WaitGroup
	for w := range min(s.opts.Workers, len(changes)) {
		workers.Go(func() {
			words := s.words[w]
			for i := next.Add(1) - 1; i < int64(len(changes)) && ctx.Err() == nil; i = next.Add(1) - 1 {
				if c := changes[i]; c.Document != nil {
					documents[i], errs[i] = words.prepare(c.Key, c.Document, s.opts)
				}
			}
		})
	}
	workers.Wait()
	return documents, errors.Join(append(errs, ctx.Err())...)
}
