package dedupe

import (
	"context"

	"millrace/schema"
)

// move brings a page from the cluster of its old row to that of its new one, and
// publishes what follows.
func (t *task) move(ctx context.Context, key string, old, row *schema.DocRow) error {
	site := siteOf(old, siteOf(row, t.in.site))
	out := &outbox{}
	for _, l := range row.Left {
		if l.At < t.ts {
			continue
		}
		if err := t.exit(ctx, site, string(l.Hash), key, row, l.Canonical); err != nil {
			return err
		}
		out.visit(string(l.Hash))
	}
	if h := cluster(row); h != "" {
		if err := t.enter(ctx, site, h, key, old, row); err != nil {
			return err
		}
		out.visit(h)
	}
	for _, h := range out.clusters {
		if err := t.represent(ctx, site, h, out); err != nil {
			return err
		}
	}
	out.touch(key)
	return t.flush(ctx, out)
}

// enter makes a page a member of a cluster, in its place in the order.
func (t *task) enter(ctx context.Context, site, h, key string, old, row *schema.DocRow) error {
	if target := canonicalOf(key, row.Own); target != "" {
		if err := t.rows.putMember(site, h, naming(target, key), key, t.ts); err != nil {
			return err
		}
		if err := t.place(ctx, site, h, target); err != nil {
			return err
		}
	}
	if err := t.place(ctx, site, h, key); err != nil {
		return err
	}
	c, err := t.rows.cluster(ctx, site, h)
	if err != nil {
		return err
	}
	if cluster(old) != h || t.again {
		if err := t.count(ctx, c, +1); err != nil {
			return err
		}
	}
	return t.keepBody(c, key)
}

// exit takes a page out of a cluster, or, if it is a member still, takes back
// that it named a canonical.
func (t *task) exit(ctx context.Context, site, h, key string, row *schema.DocRow, named string) error {
	if named != "" && (cluster(row) != h || canonicalOf(key, row.Own) != named) {
		if err := t.rows.dropMember(ctx, site, h, naming(named, key), t.ts); err != nil {
			return err
		}
		if err := t.place(ctx, site, h, named); err != nil {
			return err
		}
	}
	if cluster(row) == h {
		return nil
	}
	if err := t.place(ctx, site, h, key); err != nil {
		return err
	}
	c, err := t.rows.cluster(ctx, site, h)
	if err != nil {
		return err
	}
	return t.count(ctx, c, -1)
}

// place puts a page where it belongs in a cluster: among those named as
// canonical, among the rest, or nowhere. It follows from the page's row and the
// naming rows, so doing it twice is doing it once.
func (t *task) place(ctx context.Context, site, h, key string) error {
	page, err := t.page(ctx, key)
	if err != nil {
		return err
	}
	belongs := ""
	if cluster(page.row) == h && siteOf(page.row, site) == site {
		named, err := t.rows.named(ctx, site, h, key)
		if err != nil {
			return err
		}
		if belongs = rankPlain; named {
			belongs = rankNamed
		}
	}
	for _, rank := range []string{rankNamed, rankPlain} {
		if rank == belongs {
			err = t.rows.putMember(site, h, rank+order(key), key, t.ts)
		} else {
			err = t.rows.dropMember(ctx, site, h, rank+order(key), t.ts)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// count keeps the number of members. If some of the record's effects are there
// already it is taken from the rows.
func (t *task) count(ctx context.Context, c *clusterEntry, change int64) error {
	c.dirty = true
	if !t.again {
		c.row.Count += change
		return nil
	}
	n, err := t.rows.countMembers(ctx, c.site, c.hash, t.opts.MaxMembers+1)
	if err != nil {
		return err
	}
	if n <= t.opts.MaxMembers || c.row.Count < n {
		c.row.Count = n
	}
	return nil
}

// keepBody keeps the text of a cluster from its second member on.
func (t *task) keepBody(c *clusterEntry, key string) error {
	d := t.in.doc
	if c.body != nil || d == nil || key != t.in.key || string(d.TextHash) != c.hash || c.row.Count < 2 && !t.again {
		return nil
	}
	body, err := pack(bodyPart(d))
	c.body, c.newBody, c.dirty = body, true, true
	return err
}
