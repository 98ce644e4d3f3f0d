package dedupe

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	"millrace/schema"
	"millrace/streams"
)

// outbox gathers what one record makes of docs.unique.
type outbox struct {
	clusters []string
	upserts  []*schema.Unique
	keys     []string // that may have stood there and may not any more
}

func (o *outbox) visit(h string) {
	if !slices.Contains(o.clusters, h) {
		o.clusters = append(o.clusters, h)
	}
}

func (o *outbox) touch(key string) {
	if !slices.Contains(o.keys, key) {
		o.keys = append(o.keys, key)
	}
}

// represent decides which member stands for a cluster now.
func (t *task) represent(ctx context.Context, site, h string, out *outbox) error {
	c, err := t.rows.cluster(ctx, site, h)
	if err != nil {
		return err
	}
	first, err := t.rows.first(ctx, site, h)
	if err != nil {
		return err
	}
	if t.blocked(c) {
		first = ""
	}
	for _, r := range c.row.Retired {
		if r.At >= t.ts {
			out.touch(r.RowKey)
		}
	}
	if c.row.Published != first {
		t.retire(c, out)
		c.row.Published, c.dirty = first, true
	}
	if first == "" {
		return nil
	}
	u, err := t.compose(ctx, c, first)
	if err != nil {
		return err
	}
	out.upserts = append(out.upserts, u)
	return nil
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

// retire notes who stood for a cluster until now.
func (t *task) retire(c *clusterEntry, out *outbox) {
	if c.row.Published == "" {
		return
	}
	out.touch(c.row.Published)
	var keep []*schema.Retired
	for _, r := range c.row.Retired {
		if r.At > t.ts-t.opts.Window {
			keep = append(keep, r)
		}
	}
	c.row.Retired = append(keep, &schema.Retired{RowKey: c.row.Published, At: t.ts})
}

// compose makes the record that stands for a cluster: the page's own part, with
// the text of the record at work or of the cluster.
func (t *task) compose(ctx context.Context, c *clusterEntry, key string) (*schema.Unique, error) {
	page, err := t.page(ctx, key)
	if err != nil {
		return nil, err
	}
	d := t.in.doc
	u := &schema.Unique{ClusterHash: []byte(c.hash)}
	switch {
	case d != nil && key == t.in.key && t.in.same(page.row):
		u.Doc = d
	case d != nil && string(d.TextHash) == c.hash && c.body == nil:
		u.Doc = join(page.row.Own, d)
	case c.body != nil:
		body, err := unpack(c.body)
		if err != nil {
			return nil, fmt.Errorf("text of %s: %w", key, err)
		}
		u.Doc = join(page.row.Own, body)
	}
	return u, nil
}

// flush appends what changed: first what stands now, then the tombstones of what
// does not.
func (t *task) flush(ctx context.Context, out *outbox) error {
	for _, u := range out.upserts {
		if u.Doc == nil { // nothing of it changed: its text is on the topic
			continue
		}
		if err := t.upsert(ctx, u); err != nil {
			return err
		}
		out.touch(u.Doc.RowKey)
	}
	for _, key := range out.keys {
		if err := t.withdraw(ctx, key); err != nil {
			return err
		}
	}
	return nil
}

// upsert appends a document, unless readers have it already.
func (t *task) upsert(ctx context.Context, u *schema.Unique) error {
	key := u.Doc.RowKey
	page, err := t.page(ctx, key)
	if err != nil {
		return err
	}
	content := contentHash(u.Doc)
	last := lastSent(page.row)
	if last.Record != 0 && last.Content == content && last.At < t.ts {
		return nil
	}
	u.PublishedAtLog = t.at.UnixMilli()
	record := schema.RecordHash(key, streams.Encode(u))
	if t.send(key, page, &schema.Sent{At: t.ts, Record: record, Content: content}) {
		t.unique.SendTo(t.p.ID(), u)
	}
	return nil
}

// withdraw appends the tombstone of a page that stands on docs.unique and stands
// for nothing any more.
func (t *task) withdraw(ctx context.Context, key string) error {
	page, err := t.page(ctx, key)
	if err != nil {
		return err
	}
	last := lastSent(page.row)
	if last.Record == 0 && (last.At == 0 || last.At < t.ts) {
		return nil
	}
	if stands, err := t.stands(ctx, key, page.row); err != nil || stands {
		return err
	}
	if t.send(key, page, &schema.Sent{At: t.ts}) {
		t.unique.Tombstone(t.p.ID(), key, key+"@"+strconv.FormatInt(page.row.Rev, 10), why(page.row, t.in.site)...)
	}
	return nil
}

// stands reports whether a page stands for its cluster.
func (t *task) stands(ctx context.Context, key string, row *schema.DocRow) (bool, error) {
	h := cluster(row)
	if h == "" {
		return false, nil
	}
	c, err := t.rows.cluster(ctx, siteOf(row, t.in.site), h)
	if err != nil {
		return false, err
	}
	return c.row.Published == key, nil
}

// send notes what goes to docs.unique under a key, and reports whether it is to
// be appended: while records come again, not twice in a row the same.
func (t *task) send(key string, page *docEntry, s *schema.Sent) bool {
	last := lastSent(page.row)
	if last.At < t.ts {
		page.row.Sent, page.dirty = append(t.recentSent(page.row.Sent), s), true
		t.fold.turn(last.Record, s.Record)
	}
	if last.At < t.ts && !t.again {
		return true
	}
	if was, ok := t.resent[key]; ok && was == s.Content {
		return false
	}
	if t.resent == nil {
		t.resent = map[string]uint64{}
	}
	t.resent[key] = s.Content
	return true
}

// recentSent keeps the newest record, those that a crash may bring back, and the
// one before them.
func (t *task) recentSent(sent []*schema.Sent) []*schema.Sent {
	for len(sent) > 1 && sent[1].At <= t.ts-t.opts.Window {
		sent = sent[1:]
	}
	return slices.Clone(sent)
}

func lastSent(row *schema.DocRow) *schema.Sent {
	if n := len(row.Sent); n > 0 {
		return row.Sent[n-1]
	}
	return &schema.Sent{}
}

// why returns the headers of a tombstone.
func why(row *schema.DocRow, site string) []streams.Header {
	reason, moved := "duplicate", ""
	switch row.Status {
	case schema.DocRow_GONE, schema.DocRow_TAKEDOWN:
		reason, moved = row.Reason.String(), row.MovedTo
	case schema.DocRow_ALIAS:
		reason, moved = "canonical", schema.RowKey(row.AliasOf).URL()
	}
	return []streams.Header{
		streams.VersionHeader("rev", row.Rev),
		{Key: "reason", Value: []byte(reason)},
		{Key: "moved_to", Value: []byte(moved)},
		{Key: "site", Value: []byte(siteOf(row, site))},
	}
}
