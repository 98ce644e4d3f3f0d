package dedupe

import (
	"context"
	"slices"
	"time"

	"millrace/schema"
)

// change is the effect of one record: it brings a page to its new version, and updates all that
// depends on it. It reads and stages rows, and collects the records to be appended. Each record,
// and each retry of a record, gets a new one.
//
// Its methods are in four files: this one (what a record says of its page), alias.go (which pages
// are aliases of their canonicals), members.go (who is in which cluster), publish.go (what is
// appended).
//
// It is large because all rules of clusters and aliases work on the same staged rows.
type change struct {
	*rows
	opts *Options
	in   subject
	at   time.Time // when the record was appended
	fold *fold
	drop func(reason string, n int)

	touched []*clusterEntry
	keys    []string // that may have a document on docs.unique and may not any more
	recheck []asked
	sends   []sending
}

// asked is a page that is to be fetched again, and why.
type asked struct{ key, reason string }

func (c *change) touchCluster(e *clusterEntry) {
	if !slices.Contains(c.touched, e) {
		c.touched = append(c.touched, e)
	}
}

func (c *change) touchKey(key string) {
	if !slices.Contains(c.keys, key) {
		c.keys = append(c.keys, key)
	}
}

// apply handles the record, or returns the reason why it changes nothing.
func (c *change) apply(ctx context.Context) (pointless string, err error) {
	if err := c.sweep(ctx, c.fold.opened(c.ts, c.opts.Window)); err != nil {
		return "", err
	}
	page, err := c.doc(ctx, c.in.key)
	if err != nil {
		return "", err
	}
	if pointless = c.in.pointless(page.row); pointless == "" || c.in.lacking(page.row) && c.isLost(page) {
		pointless, err = "", c.replaceVersion(ctx, page)
	}
	if err != nil {
		return "", err
	}
	for _, d := range c.docs {
		if d.dirty {
			c.fold.pages.move(d.was, d.row.Status)
		}
	}
	return pointless, c.keepAll()
}

// replaceVersion brings the page to its new version.
func (c *change) replaceVersion(ctx context.Context, page *docEntry) error {
	old := page.row
	page.row, page.dirty = c.nextVersion(old), true
	if err := c.settleAlias(ctx, page.key, old, page.row); err != nil {
		return err
	}
	if err := c.admit(ctx, page, old); err != nil {
		return err
	}
	if err := c.settleFollowers(ctx, old, page.row); err != nil {
		return err
	}
	if err := c.move(ctx, page, old); err != nil {
		return err
	}
	if err := c.takeDown(ctx, old); err != nil {
		return err
	}
	return c.publish(ctx)
}

// takeDown ends the text of a page that is taken down: no other page of the site may stand for it,
// now or later. What was taken down is what the page said, not its address.
func (c *change) takeDown(ctx context.Context, old *schema.DocRow) error {
	if c.in.gone.GetReason() != schema.Gone_TAKEDOWN || len(old.TextHash) == 0 {
		return nil
	}
	site := c.in.site
	if old.Own != nil {
		site = old.Own.Site
	}
	e, err := c.cluster(ctx, site, string(old.TextHash))
	if err != nil || e.row.TakenDown != 0 {
		return err
	}
	e.row.TakenDown, e.dirty = c.ts, true
	c.touchCluster(e)
	return nil
}

// nextVersion returns the page's row as its record says, before aliases are decided.
func (c *change) nextVersion(old *schema.DocRow) *schema.DocRow {
	row := &schema.DocRow{
		Rev: c.in.rev, Edition: c.in.edition,
		Sent: old.Sent, SentContent: old.SentContent, SentBytes: old.SentBytes, SentEra: c.era,
	}
	if d := c.in.doc; d != nil {
		row.Status, row.TextHash, row.Own = schema.DocRow_LIVE, d.TextHash, ownPart(d)
		row.Since = c.since(old)
		return row
	}
	row.TextHash, row.Since = old.TextHash, old.Since
	row.Status, row.Reason, row.MovedTo = schema.DocRow_GONE, c.in.gone.Reason, c.in.gone.MovedTo
	if row.Reason == schema.Gone_TAKEDOWN {
		row.Status = schema.DocRow_TAKEDOWN
	}
	return row
}

// since returns the stamp of the record that first gave the page its text. It is this record, if
// the page has another text than before. A page that was gone keeps its stamp. So does one that was
// only extracted again from the same fetch: the hash of its text may differ then.
func (c *change) since(old *schema.DocRow) int64 {
	sameText := string(old.TextHash) == string(c.in.doc.TextHash)
	sameFetch := len(old.TextHash) > 0 && old.Rev == c.in.rev
	if old.Since > 0 && (sameText || sameFetch) {
		return old.Since
	}
	return c.ts
}
