package dedupe

import (
	"context"

	"millrace/schema"
	"millrace/streams"
	"millrace/topics"
)

// sending is a record to be appended; exactly one of the three is set.
type sending struct {
	upsert     *schema.Unique
	tombstone  *schema.Withdrawn
	discovered *schema.Discovered
}

// publish collects what is to be appended: first new documents, then tombstones, then Rechecks. The
// cluster that the page at work joined comes last: its record may replace a text that another page
// represents from now on.
func (c *change) publish(ctx context.Context) error {
	for _, e := range c.touched {
		if err := c.represent(ctx, e); err != nil {
			return err
		}
	}
	for _, key := range c.keys {
		if err := c.withdraw(ctx, key); err != nil {
			return err
		}
	}
	for _, a := range c.recheck {
		c.sends = append(c.sends, sending{discovered: c.recheckOf(a)})
	}
	return nil
}

// represent decides which member represents a cluster now, and appends its document if that changed
// or if the record at work is about it.
func (c *change) represent(ctx context.Context, e *clusterEntry) error {
	now, err := c.standing(ctx, e)
	if err != nil {
		return err
	}
	if before := e.row.Published; before != now {
		if before != "" {
			c.touchKey(before)
		}
		e.row.Published, e.dirty = now, true
	} else if now != c.in.key || c.in.doc == nil {
		return nil
	}
	if now == "" {
		return nil
	}
	return c.upsert(ctx, e, now)
}

// compose returns the document of a cluster's representative: the record at work, or the page's own
// fields joined with the text of the cluster.
func (c *change) compose(e *clusterEntry, page *docEntry) (*schema.Doc, error) {
	if page.key == c.in.key && c.in.doc != nil {
		return c.in.doc, nil
	}
	if page.row.Own == nil {
		return nil, streams.DeadLetter("state", "%s stands for a text but has no document", page.key)
	}
	body, err := unpack(e.body)
	if err != nil {
		return nil, streams.DeadLetter("state", "text of %s: %w", page.key, err)
	}
	return join(page.row.Own, body), nil
}

// maxUnique is the most bytes of a document; it leaves room for the key and headers of a record.
const maxUnique = topics.MaxRecordBytes - 64<<10

// upsert appends a document, unless docs.unique has it already. One that is too big makes the
// record at work a dead letter.
func (c *change) upsert(ctx context.Context, e *clusterEntry, key string) error {
	page, err := c.doc(ctx, key)
	if err != nil {
		return err
	}
	d, err := c.compose(e, page)
	if err != nil {
		return err
	}
	content := contentHash(d)
	if page.row.Sent != 0 && page.row.SentContent == content {
		return nil
	}
	u := uniqueOf(d, e.hash, c.at.UnixMilli())
	value := streams.Encode(u)
	if len(value) > maxUnique {
		return streams.DeadLetter("too_big", "the document of %s has %d bytes: at most %d", key, len(value), maxUnique)
	}
	c.stand(page, schema.RecordHash(key, value), content, int64(len(key)+len(value)))
	c.sends = append(c.sends, sending{upsert: u})
	return nil
}

func uniqueOf(d *schema.Doc, hash string, at int64) *schema.Unique {
	return &schema.Unique{Doc: d, ClusterHash: []byte(hash), PublishedAtLog: at}
}

// withdraw appends the tombstone of a page that has a document on docs.unique and represents no
// cluster any more.
func (c *change) withdraw(ctx context.Context, key string) error {
	page, err := c.doc(ctx, key)
	if err != nil || page.row.Sent == 0 {
		return err
	}
	why := c.reasonOf(page)
	if m := memberOf(key, page.row); m.hash != "" {
		e, err := c.cluster(ctx, m.site, m.hash)
		if err != nil || e.row.Published == key {
			return err
		}
		if e.row.TakenDown != 0 {
			why.Reason = schema.Gone_TAKEDOWN.String()
		}
	}
	c.stand(page, 0, 0, 0)
	c.sends = append(c.sends, sending{tombstone: why})
	return nil
}

// stand notes which record docs.unique has for a page from now on; record 0 means none.
func (c *change) stand(page *docEntry, record, content uint64, bytes int64) {
	c.fold.replace(page.row.Sent, record, page.row.SentBytes, bytes)
	page.row.Sent, page.row.SentContent, page.row.SentBytes = record, content, bytes
	page.row.SentEra, page.dirty = c.era, true
}

// reasonOf returns the tombstone of a page: why it is withdrawn, and which page replaces it.
func (c *change) reasonOf(page *docEntry) *schema.Withdrawn {
	row := page.row
	w := &schema.Withdrawn{RowKey: page.key, Rev: row.Rev, Reason: "duplicate", Site: c.in.site}
	switch row.Status {
	case schema.DocRow_GONE, schema.DocRow_TAKEDOWN:
		w.Reason, w.MovedTo = row.Reason.String(), row.MovedTo
	case schema.DocRow_ALIAS:
		w.Reason, w.MovedTo = "canonical", schema.RowKey(row.AliasOf).URL()
	}
	return w
}

func (c *change) recheckOf(a asked) *schema.Discovered {
	return &schema.Discovered{
		Host: string(schema.RowKey(a.key).Host()), DiscoveredAt: c.at.UnixMilli(),
		Body: &schema.Discovered_Recheck{Recheck: &schema.Recheck{
			Target: &schema.Recheck_RowKey{RowKey: a.key}, Reason: a.reason,
		}},
	}
}
