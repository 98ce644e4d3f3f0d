package dedupe

import (
	"context"

	"millrace/schema"
)

// membership is what a row says of a page's place in a cluster.
type membership struct {
	site, hash string
	names      string // the other page that it names as canonical
	self       bool   // it names itself
}

func memberOf(key string, row *schema.DocRow) membership {
	if row.Status != schema.DocRow_LIVE {
		return membership{}
	}
	return membership{row.Own.Site, string(row.TextHash), canonicalOf(key, row), row.Own.Canonical == key}
}

// in reports whether the page is a member of a cluster.
func (m membership) in(c *clusterEntry) bool { return m.hash == c.hash && m.site == c.site }

// move brings a page from where its old row says to where its row says now.
func (t *task) move(ctx context.Context, page *docEntry, old *schema.DocRow, out *outbox) error {
	from, to := memberOf(page.key, old), memberOf(page.key, page.row)
	out.touch(page.key)
	if from.hash != "" {
		c, err := t.rows.cluster(ctx, from.site, from.hash)
		if err == nil && from != to {
			err = t.exit(ctx, c, page, from, to.in(c))
		}
		if err != nil {
			return err
		}
		out.visit(c)
	}
	if to.hash != "" {
		c, err := t.rows.cluster(ctx, to.site, to.hash)
		if err == nil && from != to {
			err = t.enter(ctx, c, page, to, from.in(c))
		}
		if err != nil {
			return err
		}
		out.visit(c)
	}
	return nil
}

// exit takes a page out of a cluster; if it stays, only what it names.
func (t *task) exit(ctx context.Context, c *clusterEntry, page *docEntry, from membership, stays bool) error {
	c.dirty = true
	if !stays {
		c.row.Count--
	}
	if from.names != "" {
		if err := t.rows.delete(schema.ClusterMember, c.site, c.hash, naming(from.names, page.key)); err != nil {
			return err
		}
		c.row.Naming--
		if err := t.place(ctx, c, from.names); err != nil {
			return err
		}
	}
	if stays {
		return nil
	}
	return t.place(ctx, c, page.key)
}

// enter makes a page a member of a cluster, in its place in the order; if it is
// one already (stays), only what it names is new.
func (t *task) enter(ctx context.Context, c *clusterEntry, page *docEntry, to membership, stays bool) error {
	c.dirty = true
	if to.names != "" {
		m := &schema.MemberOf{RowKey: page.key}
		if err := t.rows.set(schema.ClusterMember, m, nil, c.site, c.hash, naming(to.names, page.key)); err != nil {
			return err
		}
		c.row.Naming++
		if err := t.place(ctx, c, to.names); err != nil {
			return err
		}
	}
	if stays {
		return t.place(ctx, c, page.key)
	}
	c.row.Count++
	rank, err := t.rankOf(ctx, c, page)
	if err == nil {
		err = t.rows.addMember(c, rank, page.key)
	}
	if err != nil {
		return err
	}
	return t.keepBody(c)
}

// rankOf returns where a page belongs in a cluster: among those named as
// canonical, among the rest, or nowhere ("").
func (t *task) rankOf(ctx context.Context, c *clusterEntry, page *docEntry) (string, error) {
	if !memberOf(page.key, page.row).in(c) {
		return "", nil
	}
	if page.row.Own.Canonical == page.key {
		return rankNamed, nil
	}
	named, err := t.rows.named(ctx, c, page.key)
	if named {
		return rankNamed, err
	}
	return rankPlain, err
}

// place puts a page where it belongs in a cluster, wherever it was.
func (t *task) place(ctx context.Context, c *clusterEntry, key string) error {
	page, err := t.rows.doc(ctx, key)
	if err != nil {
		return err
	}
	belongs, err := t.rankOf(ctx, c, page)
	if err != nil {
		return err
	}
	for _, rank := range []string{rankNamed, rankPlain} {
		if err := t.rank(ctx, c, rank, key, rank == belongs); err != nil {
			return err
		}
	}
	return nil
}

// rank makes a row of cluster_member be there, or not.
func (t *task) rank(ctx context.Context, c *clusterEntry, rank, key string, there bool) error {
	is, err := t.rows.isMember(ctx, c, rank+order(key))
	switch {
	case err != nil || is == there:
		return err
	case there:
		return t.rows.addMember(c, rank, key)
	}
	return t.rows.delete(schema.ClusterMember, c.site, c.hash, rank+order(key))
}

// keepBody keeps the text of a cluster from its second member on, whose document
// is at work.
func (t *task) keepBody(c *clusterEntry) error {
	if c.body != nil || c.row.Count < 2 {
		return nil
	}
	body, err := pack(bodyPart(t.in.doc))
	c.body, c.newBody = body, true
	return err
}
