package dedupe

import (
	"context"
	"slices"

	"google.golang.org/protobuf/proto"

	"millrace/schema"
)

// standsFor returns the page that stands for the one at work because it is its
// canonical, or "" if the page stands for itself.
func (t *task) standsFor(ctx context.Context, row *schema.DocRow) (string, error) {
	target := canonicalOf(t.in.key, row.Own)
	if target == "" {
		return "", nil
	}
	other, err := t.page(ctx, target)
	if err != nil || !givesWay(t.in.key, row, target, other.row) {
		return "", err
	}
	return target, nil
}

// givesWay reports whether page key gives way to its canonical target: the target
// is live with another text, and if the two name each other, first in order.
func givesWay(key string, row *schema.DocRow, target string, other *schema.DocRow) bool {
	if cluster(other) == "" || cluster(other) == string(row.TextHash) {
		return false
	}
	mutual := canonicalOf(target, other.Own) == key
	return !mutual || order(target) < order(key)
}

// list notes under the page's canonical that the page names it, so that it is
// found when the canonical comes, or goes.
func (t *task) list(ctx context.Context, row *schema.DocRow) error {
	target := canonicalOf(t.in.key, row.Own)
	if target == "" {
		return nil
	}
	a, err := t.rows.alias(ctx, target)
	if err != nil || slices.Contains(a.RowKeys, t.in.key) {
		return err
	}
	if len(a.RowKeys) >= t.opts.MaxAliases {
		t.p.Drop("aliases_full", 1)
		return nil
	}
	a.RowKeys = append(a.RowKeys, t.in.key)
	return t.rows.putAlias(target, a, t.ts)
}

// followers settles the pages that name the page at work as their canonical: if
// it is live they give way to it; if it is not, they are asked for again.
func (t *task) followers(ctx context.Context, row *schema.DocRow) error {
	a, err := t.rows.alias(ctx, t.in.key)
	if err != nil {
		return err
	}
	for _, key := range a.RowKeys {
		follower, err := t.page(ctx, key)
		if err != nil {
			return err
		}
		if err := t.follow(ctx, key, follower, row); err != nil {
			return err
		}
	}
	return nil
}

func (t *task) follow(ctx context.Context, key string, follower *docEntry, target *schema.DocRow) error {
	f := follower.row
	switch {
	case canonicalOf(key, f.Own) != t.in.key:
		return nil
	case f.Status == schema.DocRow_LIVE && givesWay(key, f, t.in.key, target):
		return t.giveWay(ctx, key, follower)
	case f.Status != schema.DocRow_ALIAS:
		return nil
	case cluster(target) == "" || cluster(target) == string(f.TextHash):
		t.recheck(key)
	case leftAt(f, t.ts): // it gave way because of this very record, before a crash
		t.again = true
		return t.move(ctx, key, f, f)
	}
	return nil
}

// giveWay makes a live page an alias of the page at work.
func (t *task) giveWay(ctx context.Context, key string, follower *docEntry) error {
	old := follower.row
	row := proto.Clone(old).(*schema.DocRow)
	row.Status, row.AliasOf = schema.DocRow_ALIAS, t.in.key
	row.Left = t.recentLeft(row.Left)
	t.leave(key, old, row)
	follower.row, follower.dirty = row, true
	return t.move(ctx, key, old, row)
}

func leftAt(row *schema.DocRow, ts int64) bool {
	return slices.ContainsFunc(row.Left, func(l *schema.Left) bool { return l.At >= ts })
}

// recheck asks for a page again: the text of an alias was not kept.
func (t *task) recheck(key string) {
	t.discovered.Send(&schema.Discovered{
		Host: string(schema.RowKey(key).Host()), DiscoveredAt: t.at.UnixMilli(),
		Body: &schema.Discovered_Recheck{Recheck: &schema.Recheck{
			Target: &schema.Recheck_RowKey{RowKey: key}, Reason: "canonical_gone",
		}},
	})
}
