package search

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"millrace/consumers/index/rank"
)

// ErrPartial: what was asked for was not found, and not all of the index answered.
var ErrPartial = errors.New("a part of the index did not answer")

// Lookup returns the page with a row key; false if the index has none. The error is ErrNoShard or
// ErrPartial if the page may be in a part that did not answer.
func (s *Searcher) Lookup(ctx context.Context, key string) (page rank.Page, ok bool, err error) {
	err = s.during(ctx, func(r *run) error {
		pages, found := make([]rank.Page, len(r.shards)), make([]bool, len(r.shards))
		r.each(func(ctx context.Context, i int, s Shard) (err error) {
			pages[i], found[i], err = s.Lookup(ctx, key)
			return err
		})
		at := slices.Index(found, true)
		switch {
		case at >= 0:
			page, ok = pages[at], true
		case r.answering() == 0:
			return fmt.Errorf("%w: %v", ErrNoShard, r.warnings)
		case len(r.warnings) > 0:
			return fmt.Errorf("%w: %v", ErrPartial, r.warnings)
		}
		return nil
	})
	return page, ok, err
}
