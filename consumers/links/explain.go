package links

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"

	"millrace/schema"
	"millrace/streams/state"
)

// Of returns the in-links of a page; nil if none are known.
func Of(ctx context.Context, store state.Store, rowKey string) (*schema.InLinks, error) {
	row, err := target(ctx, store, rowKey)
	if err != nil || sites(row) == 0 {
		return nil, err
	}
	return InLinks(row, row.At), nil
}

// InCount is how many sites and pages link to a page.
type InCount struct{ Sites, Pages int64 }

// countsAtOnce is how many rows Counts reads at the same time: each is a partition of its own.
const countsAtOnce = 16

// Counts returns how many sites and pages link to each of the pages, in their order.
func Counts(ctx context.Context, store state.Store, rowKeys []string) ([]InCount, error) {
	out := make([]InCount, len(rowKeys))
	errs := make([]error, len(rowKeys))
	var next atomic.Int64
	var readers sync.WaitGroup
	for range min(countsAtOnce, len(rowKeys)) {
		readers.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(rowKeys)); i = next.Add(1) - 1 {
				in, err := Of(ctx, store, rowKeys[i])
				out[i], errs[i] = InCount{int64(in.GetSites()), in.GetPages()}, err
				if err != nil {
					return
				}
			}
		})
	}
	readers.Wait()
	return out, errors.Join(errs...)
}

// Out returns the links of a page, as of its last record; nil if there was none.
func Out(ctx context.Context, store state.Store, rowKey string) (*schema.PageLinksRow, error) {
	row := &schema.PageLinksRow{}
	err := read(ctx, store, schema.LinkPage, pageKey(schema.PageID(rowKey)), row)
	if err != nil || row.At == 0 {
		return nil, err
	}
	return row, nil
}

// Graph is the link graph as the rows of the pages have it. Package ranks reads it.
type Graph struct{ Store state.Store }

// Rows of one read of Each: at most mostRows of each of shardsAtOnce shards.
const (
	shardsAtOnce = 16
	mostRows     = 500
)

// Each calls fn with the row of every page, shard by shard.
func (g Graph) Each(ctx context.Context, fn func(*schema.PageLinksRow)) error {
	shards := make([]state.Key, schema.Shards)
	for i := range shards {
		shards[i] = state.Key{state.Num(int64(i))}
	}
	for some := range slices.Chunk(shards, shardsAtOnce) {
		found, err := state.Slices(ctx, g.Store, schema.LinkPage, some, mostRows)
		if err != nil {
			return err
		}
		for i, rows := range found {
			if err := g.each(ctx, some[i], rows, fn); err != nil {
				return err
			}
		}
	}
	return nil
}

// each calls fn with the first rows of a shard, and with those after them.
func (g Graph) each(ctx context.Context, shard state.Key, rows []state.Row, fn func(*schema.PageLinksRow)) error {
	for {
		for _, r := range rows {
			row := &schema.PageLinksRow{}
			if err := row.UnmarshalVT(r.Cells[0].Bytes()); err != nil {
				return err
			}
			fn(row)
		}
		if len(rows) < mostRows {
			return nil
		}
		from := []state.Value{state.Num(rows[len(rows)-1].Key[1].Num() + 1)}
		var err error
		if rows, err = g.Store.Slice(ctx, schema.LinkPage, shard, from, mostRows); err != nil {
			return err
		}
	}
}

// Page returns the row of the page with an id, which has its row key; nil if there is none.
func (g Graph) Page(ctx context.Context, id uint64) (*schema.PageLinksRow, error) {
	cells, err := g.Store.Get(ctx, schema.LinkPage, pageKey(id))
	if errors.Is(err, state.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	row := &schema.PageLinksRow{}
	return row, row.UnmarshalVT(cells[0].Bytes())
}

// Shown returns the link texts that the index should have for a page, and the stamp of the row:
// those that were chosen last, or, if the page was not fetched yet or is gone, those that would be
// chosen now.
func Shown(ctx context.Context, store state.Store, rowKey string) ([]*schema.ShownAnchor, int64, error) {
	row, err := target(ctx, store, rowKey)
	switch {
	case err != nil || row.At == 0:
		return nil, 0, err
	case row.Fetched:
		return row.Shown, row.At, nil
	}
	return Choose(row), row.At, nil
}

func target(ctx context.Context, store state.Store, rowKey string) (*schema.TargetRow, error) {
	row := &schema.TargetRow{}
	return row, read(ctx, store, schema.LinkTarget, targetKey(schema.PageID(rowKey)), row)
}
