package links

import (
	"context"
	"time"

	"millrace/schema"
	"millrace/streams"
	"millrace/streams/state"
)

// task handles the records of one partition. Handle reads all rows that it needs before it changes
// one, so there is nothing to undo after an error.
type task struct {
	opts *Options
	deps *Deps
	part *streams.Partition
	rows *rows
	out  emitters
}

// Recover empties the cache of rows and begins at the commit.
func (t *task) Recover(context.Context) (int64, error) {
	t.rows.forget()
	return streams.Committed, nil
}

// Handle applies the links of a page, or those of a site to a page of another one.
func (t *task) Handle(ctx context.Context, r *streams.Record[*schema.Found]) error {
	ts := int64(state.At(t.part.Era(), r.Offset))
	switch b := r.Value.GetBody().(type) {
	case *schema.Found_Page:
		if b.Page == nil || !schema.StorableRowKey(b.Page.RowKey) || !schema.Storable(b.Page.Site) {
			return streams.DeadLetter("key", "links of a page %.200q of site %.200q", b.Page.GetRowKey(), b.Page.GetSite())
		}
		return t.page(ctx, ts, b.Page)
	case *schema.Found_Site:
		if b.Site == nil || !schema.StorableRowKey(b.Site.RowKey) || !schema.Storable(b.Site.Site) || !schema.Storable(b.Site.TargetSite) {
			return streams.DeadLetter("key", "links of site %.200q to %.200q", b.Site.GetSite(), b.Site.GetRowKey())
		}
		return t.site(ctx, ts, b.Site)
	}
	return streams.DeadLetter("enum", "neither links of a page nor of a site")
}

// Undo does nothing: a Handle that fails has changed nothing.
func (t *task) Undo() {}

// Settle writes the rows of the round.
func (t *task) Settle(ctx context.Context) error { return t.rows.write(ctx) }

// Tick does nothing.
func (t *task) Tick(context.Context, time.Time) error { return nil }

// Revoke does nothing.
func (t *task) Revoke(context.Context, bool) {}
