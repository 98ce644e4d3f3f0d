package state

import (
	"context"
	"fmt"
	"iter"
	"sync"

	"millrace/schema"
)

// scanAhead is how many partitions Scan reads side by side, and scanChunk how many rows of each at
// a
// time.
const (
	scanAhead = 32
	scanChunk = 256
)

// Scan returns the rows of partitions of a table, partition by partition, in the order of the list.
// The first rows of several partitions are read side by side: behind a network thousands of small
// partitions would take their number in round trips. The last clustering column must be a text.
// After an error there are no more rows.
func Scan(ctx context.Context, s Store, t *schema.Table, partitions []Key) iter.Seq2[Row, error] {
	return func(yield func(Row, error) bool) {
		for len(partitions) > 0 {
			some := partitions[:min(scanAhead, len(partitions))]
			partitions = partitions[len(some):]
			firsts, err := firstRows(ctx, s, t, some)
			if err != nil {
				yield(Row{}, err)
				return
			}
			for i, rows := range firsts {
				if !restOf(ctx, s, t, some[i], rows, yield) {
					return
				}
			}
		}
	}
}

// firstRows reads the first rows of each partition.
func firstRows(ctx context.Context, s Store, t *schema.Table, partitions []Key) ([][]Row, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	firsts := make([][]Row, len(partitions))
	var all sync.WaitGroup
	for i, p := range partitions {
		all.Go(func() {
			rows, err := s.Slice(ctx, t, p, nil, scanChunk)
			if err != nil {
				cancel(fmt.Errorf("slice of %s %v: %w", t.Name, p, err))
			}
			firsts[i] = rows
		})
	}
	all.Wait()
	return firsts, context.Cause(ctx)
}

// restOf yields rows, and all further ones of their partition. It returns false when there is
// nothing more to do.
func restOf(ctx context.Context, s Store, t *schema.Table, partition Key, rows []Row, yield func(Row, error) bool) bool {
	for {
		var last Row
		for _, r := range rows {
			if !yield(r, nil) {
				return false
			}
			last = r
		}
		if len(rows) < scanChunk {
			return true
		}
		from := append([]Value(nil), last.Key[len(partition):]...)
		from[len(from)-1] = Str(from[len(from)-1].Str() + "\x00")
		var err error
		if rows, err = s.Slice(ctx, t, partition, from, scanChunk); err != nil {
			yield(Row{}, err)
			return false
		}
	}
}
