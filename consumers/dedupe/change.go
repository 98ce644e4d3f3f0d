package dedupe

import (
	"context"
	"slices"

	"millrace/schema"
)

// outbox gathers what one record touches.
type outbox struct {
	clusters []*clusterEntry
	keys     []string // that may have stood on docs.unique and may not any more
	rechecks []string // aliases to be asked for again
}

func (o *outbox) visit(c *clusterEntry) {
	if !slices.Contains(o.clusters, c) {
		o.clusters = append(o.clusters, c)
	}
}

func (o *outbox) touch(key string) {
	if !slices.Contains(o.keys, key) {
		o.keys = append(o.keys, key)
	}
}

// change brings a page to its new version, and all that depends on it.
func (t *task) change(ctx context.Context, page *docEntry) error {
	old := page.row
	page.row, page.dirty = t.next(old), true
	if err := t.settle(ctx, page.key, old, page.row); err != nil {
		return err
	}
	out := &outbox{}
	if err := t.followers(ctx, old, page.row, out); err != nil {
		return err
	}
	if err := t.move(ctx, page, old, out); err != nil {
		return err
	}
	return t.publish(ctx, out)
}

// next is the page's row as its record says, before its canonical is asked.
func (t *task) next(old *schema.DocRow) *schema.DocRow {
	row := &schema.DocRow{Rev: t.in.rev, Edition: t.in.edition, Sent: old.Sent, SentContent: old.SentContent}
	if d := t.in.doc; d != nil {
		row.Status, row.TextHash, row.Own = schema.DocRow_LIVE, d.TextHash, ownPart(d)
		return row
	}
	row.Status, row.Reason, row.MovedTo = schema.DocRow_GONE, t.in.gone.Reason, t.in.gone.MovedTo
	if row.Reason == schema.Gone_TAKEDOWN {
		row.Status = schema.DocRow_TAKEDOWN
	}
	return row
}
