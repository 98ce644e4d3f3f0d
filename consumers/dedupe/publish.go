package dedupe

import (
	"context"
	"fmt"
	"strconv"

	"millrace/schema"
	"millrace/streams"
)

// publish appends what changed: first what stands now, then the tombstones of what
// does not. The cluster that the page at work joined is the last one: its record
// may replace the text that another page stands for from now on.
func (t *task) publish(ctx context.Context, out *outbox) error {
	for _, c := range out.clusters {
		if err := t.represent(ctx, c, out); err != nil {
			return err
		}
	}
	for _, key := range out.keys {
		if err := t.withdraw(ctx, key); err != nil {
			return err
		}
	}
	for _, key := range out.rechecks {
		t.send(&schema.Sending{What: &schema.Sending_Discovered{Discovered: t.recheck(key)}})
	}
	return nil
}

// represent decides which member stands for a cluster now.
func (t *task) represent(ctx context.Context, c *clusterEntry, out *outbox) error {
	first, err := t.first(ctx, c)
	if err != nil {
		return err
	}
	if t.blocked(c) {
		first = ""
	}
	if before := c.row.Published; before != first {
		if before != "" {
			out.touch(before)
		}
		c.row.Published, c.dirty = first, true
	} else if first != t.in.key || t.in.doc == nil {
		return nil
	}
	if first == "" {
		return nil
	}
	return t.upsert(ctx, c, first)
}

// first returns the first member of a cluster, or "". Most pages are alone there.
func (t *task) first(ctx context.Context, c *clusterEntry) (string, error) {
	page, err := t.rows.doc(ctx, t.in.key)
	switch {
	case err != nil || c.row.Count == 0:
		return "", err
	case c.row.Count == 1 && memberOf(page.key, page.row).in(c):
		return page.key, nil
	}
	return t.rows.first(ctx, c)
}

// blocked reports whether a cluster is too big to be anything but a soft 404.
func (t *task) blocked(c *clusterEntry) bool {
	limit := t.opts.MaxMembers
	if c.row.Blocked {
		limit = limit * 9 / 10
	}
	if now := c.row.Count > limit; now != c.row.Blocked {
		c.row.Blocked, c.dirty = now, true
	}
	if c.row.Blocked {
		t.p.Drop("soft_404", 1)
	}
	return c.row.Blocked
}

// compose makes the document of the page that stands for a cluster: its own part,
// with the text of the record at work or of the cluster.
func (t *task) compose(c *clusterEntry, page *docEntry) (*schema.Doc, error) {
	if page.key == t.in.key && t.in.doc != nil {
		return t.in.doc, nil
	}
	if page.row.Own == nil {
		return nil, fmt.Errorf("%s has no document", page.key)
	}
	body, err := unpack(c.body)
	if err != nil {
		return nil, fmt.Errorf("text of %s: %w", page.key, err)
	}
	return join(page.row.Own, body), nil
}

// upsert appends a document, unless readers have it already.
func (t *task) upsert(ctx context.Context, c *clusterEntry, key string) error {
	page, err := t.rows.doc(ctx, key)
	if err != nil {
		return err
	}
	d, err := t.compose(c, page)
	if err != nil {
		return err
	}
	content := contentHash(d)
	if page.row.Sent != 0 && page.row.SentContent == content {
		return nil
	}
	u := &schema.Unique{Doc: d, ClusterHash: []byte(c.hash), PublishedAtLog: t.at.UnixMilli()}
	t.stands(page, schema.RecordHash(key, streams.Encode(u)), content)
	t.send(&schema.Sending{What: &schema.Sending_Upsert{Upsert: u}})
	return nil
}

// withdraw appends the tombstone of a page that stands on docs.unique and stands
// for nothing any more.
func (t *task) withdraw(ctx context.Context, key string) error {
	page, err := t.rows.doc(ctx, key)
	if err != nil || page.row.Sent == 0 {
		return err
	}
	if m := memberOf(key, page.row); m.hash != "" {
		c, err := t.rows.cluster(ctx, m.site, m.hash)
		if err != nil || c.row.Published == key {
			return err
		}
	}
	t.stands(page, 0, 0)
	t.send(&schema.Sending{What: &schema.Sending_Tombstone{Tombstone: t.why(page)}})
	return nil
}

// stands notes what stands on docs.unique under a page's key from now on.
func (t *task) stands(page *docEntry, record, content uint64) {
	t.fold.turn(page.row.Sent, record)
	page.row.Sent, page.row.SentContent, page.dirty = record, content, true
}

// why says what readers of a tombstone may want to know.
func (t *task) why(page *docEntry) *schema.Withdrawn {
	row := page.row
	w := &schema.Withdrawn{RowKey: page.key, Rev: row.Rev, Reason: "duplicate", Site: t.in.site}
	switch row.Status {
	case schema.DocRow_GONE, schema.DocRow_TAKEDOWN:
		w.Reason, w.MovedTo = row.Reason.String(), row.MovedTo
	case schema.DocRow_ALIAS:
		w.Reason, w.MovedTo = "canonical", schema.RowKey(row.AliasOf).URL()
	}
	return w
}

func (t *task) recheck(key string) *schema.Discovered {
	return &schema.Discovered{
		Host: string(schema.RowKey(key).Host()), DiscoveredAt: t.at.UnixMilli(),
		Body: &schema.Discovered_Recheck{Recheck: &schema.Recheck{
			Target: &schema.Recheck_RowKey{RowKey: key}, Reason: "canonical_gone",
		}},
	}
}

// send appends a record, and notes it for the journal.
func (t *task) send(s *schema.Sending) {
	if t.opts.Transactions {
		t.sends = append(t.sends, s)
	}
	t.emit(s)
}

func (t *task) emit(s *schema.Sending) {
	switch s := s.What.(type) {
	case *schema.Sending_Upsert:
		t.unique.SendTo(t.p.ID(), s.Upsert)
	case *schema.Sending_Discovered:
		t.discovered.Send(s.Discovered)
	case *schema.Sending_Tombstone:
		w := s.Tombstone
		t.unique.Tombstone(t.p.ID(), w.RowKey, w.RowKey+"@"+strconv.FormatInt(w.Rev, 10),
			streams.VersionHeader("rev", w.Rev),
			streams.Header{Key: "reason", Value: []byte(w.Reason)},
			streams.Header{Key: "moved_to", Value: []byte(w.MovedTo)},
			streams.Header{Key: "site", Value: []byte(w.Site)})
	}
}
