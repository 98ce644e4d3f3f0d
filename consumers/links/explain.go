package links

import (
	"context"

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

// Out returns the links of a page, as of its last record; nil if there was none.
func Out(ctx context.Context, store state.Store, rowKey string) (*schema.PageLinksRow, error) {
	row := &schema.PageLinksRow{}
	err := read(ctx, store, schema.LinkPage, pageKey(schema.PageID(rowKey)), row)
	if err != nil || row.At == 0 {
		return nil, err
	}
	return row, nil
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
