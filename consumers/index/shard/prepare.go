package shard

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
)

// prepare analyses the last change of each key, in parallel. A nil document is a deletion.
func (s *Shard) prepare(ctx context.Context, changes []Change) ([]*prepared, []string, error) {
	last := make(map[string]*Document, len(changes))
	for _, c := range changes {
		last[c.Key] = c.Document
	}
	keys := make([]string, 0, len(last))
	for key := range last {
		keys = append(keys, key)
	}
	documents := make([]*prepared, len(keys))
	errs := make([]error, len(keys))
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(s.opts.Workers, len(keys)) {
		workers.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(keys)) && ctx.Err() == nil; i = next.Add(1) - 1 {
				if d := last[keys[i]]; d != nil {
					d.Key = keys[i]
					documents[i], errs[i] = prepare(d, s.opts)
				}
			}
		})
	}
	workers.Wait()
	return documents, keys, errors.Join(append(errs, ctx.Err())...)
}
