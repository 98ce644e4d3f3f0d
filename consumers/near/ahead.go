package near

import (
	"context"

	"millrace/schema"
	"millrace/streams"
	"millrace/streams/state"
)

// preparing is a task that reads the rows of a round together before it handles the records.
type preparing struct{ *task }

// Prepare reads the rows that the records of a round name.
func (t *preparing) Prepare(ctx context.Context, records []*streams.Record[*schema.Near]) error {
	t.rows.store.Forget()
	var list []state.Wanted
	page := func(rowKey string) {
		list = append(list, state.Wanted{Table: schema.NearPage, Key: key(schema.PageID(rowKey))})
	}
	for _, r := range records {
		switch b := r.Value.GetBody().(type) {
		case *schema.Near_Page:
			page(b.Page.GetRowKey())
		case *schema.Near_Match:
			page(b.Match.GetRowKey())
		case *schema.Near_Bands:
			for _, ids := range [][]uint64{b.Bands.GetLeave(), b.Bands.GetJoin()} {
				for _, id := range ids[:min(len(ids), maxBands)] {
					list = append(list, state.Wanted{Table: schema.NearBand, Key: key(id)})
				}
			}
		}
	}
	return t.rows.store.Fetch(ctx, list)
}
