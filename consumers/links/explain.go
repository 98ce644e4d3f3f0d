package links

import (
	"context"

	"millrace/schema"
	"millrace/streams/state"
)

// Of returns who links to a page; nil if nobody is known to.
func Of(ctx context.Context, store state.Store, rowKey string) (*schema.InLinks, error) {
	row, err := target(ctx, store, rowKey)
	if err != nil || sites(row) == 0 {
		return nil, err
	}
	return InLinks(row, row.At), nil
}

// Out returns what a page links to, as last told; nil if it is not known.
func Out(ctx context.Context, store state.Store, rowKey string) (*schema.PageLinksRow, error) {
	row := &schema.PageLinksRow{}
	err := read(ctx, store, schema.LinkPage, pageKey(schema.PageID(rowKey)), row)
	if err != nil || row.At == 0 {
		return nil, err
	}
	return row, nil
}

// Shown returns the texts that the index has of a page, and the stamp of the row that says so:
// those that were chosen last, or, while the page is not known to be fetched, those that would be.
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
