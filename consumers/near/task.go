package near

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
	part *streams.Partition
	rows *rows
	out  emitters
}

// Recover drops rows that were not written, and begins at the commit.
func (t *task) Recover(context.Context) (int64, error) {
	t.rows.forget()
	return streams.Committed, nil
}

// Handle applies what is told of a document, of bands, or of near-duplicates.
func (t *task) Handle(ctx context.Context, r *streams.Record[*schema.Near]) error {
	ts := int64(state.At(t.part.Era(), r.Offset))
	switch b := r.Value.GetBody().(type) {
	case *schema.Near_Page:
		if b.Page == nil || !schema.StorableRowKey(b.Page.RowKey) || !schema.Storable(b.Page.Site) {
			return streams.DeadLetter("key", "sketch of %.200q of site %.200q", b.Page.GetRowKey(), b.Page.GetSite())
		}
		return t.page(ctx, ts, r.Time.UnixMilli(), b.Page)
	case *schema.Near_Bands:
		if b.Bands == nil || !schema.StorableRowKey(b.Bands.RowKey) || !schema.Storable(b.Bands.Site) || max(len(b.Bands.Join), len(b.Bands.Leave)) > maxBands {
			return streams.DeadLetter("key", "bands of %.200q of site %.200q", b.Bands.GetRowKey(), b.Bands.GetSite())
		}
		return t.bands(ctx, ts, b.Bands)
	case *schema.Near_Match:
		if b.Match == nil || !schema.StorableRowKey(b.Match.RowKey) || !schema.Storable(b.Match.Site) {
			return streams.DeadLetter("key", "near-duplicates of %.200q of site %.200q", b.Match.GetRowKey(), b.Match.GetSite())
		}
		return t.match(ctx, ts, b.Match)
	}
	return streams.DeadLetter("enum", "neither a sketch nor bands nor near-duplicates")
}

// maxBands is how many bands a record may join or leave: more than any sketch has.
const maxBands = 64

// Undo does nothing: a Handle that fails has changed nothing.
func (t *task) Undo() {}

// Settle writes the rows of the round.
func (t *task) Settle(ctx context.Context) error { return t.rows.write(ctx) }

// Tick does nothing.
func (t *task) Tick(context.Context, time.Time) error { return nil }

// Revoke does nothing.
func (t *task) Revoke(context.Context, bool) {}
