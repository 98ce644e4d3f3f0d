package dedupe

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"

	"millrace/schema"
)

// present reports whether a page has a document that is published, or stands
// behind another one.
func present(row *schema.DocRow) bool {
	return row.Status == schema.DocRow_LIVE || row.Status == schema.DocRow_ALIAS
}

// canonicalOf returns the other page of its site that a page names as canonical,
// or "".
func canonicalOf(key string, row *schema.DocRow) string {
	if row.Own == nil || row.Own.Canonical == key {
		return ""
	}
	host := schema.RowKey(row.Own.Canonical).Host().Name()
	if rest, ok := strings.CutSuffix(host, row.Own.Site); ok && (rest == "" || strings.HasSuffix(rest, ".")) {
		return row.Own.Canonical
	}
	return ""
}

// givesWay reports whether a page gives way to its canonical target: that has a
// document, with another text, and names no third page. If the two name each
// other, the first in order stands. It asks nothing but what the two pages say of
// themselves, so it makes no difference which of them came first, and nobody else
// can take a page away.
func givesWay(key string, row *schema.DocRow, target string, other *schema.DocRow) bool {
	if !present(row) || !present(other) || canonicalOf(key, row) != target ||
		other.Own.Site != row.Own.Site || string(other.TextHash) == string(row.TextHash) {
		return false
	}
	switch canonicalOf(target, other) {
	case "":
		return true
	case key:
		return order(target) < order(key)
	}
	return false
}

// order is a total order of pages that name each other: https first, then the
// shorter URL, then byte order. It is a function of the row key alone: the texts of
// both change, so who had which first would let them change places.
func order(key string) string {
	plain := 1
	if strings.HasPrefix(schema.RowKey(key).Path(), ":https") {
		plain = 0
	}
	return fmt.Sprintf("%d%05d%s", plain, len(schema.RowKey(key).URL()), key)
}

// settleAlias makes a page that has a document an alias or a live page.
func (c *change) settleAlias(ctx context.Context, key string, old, row *schema.DocRow) error {
	listed, err := c.listFollower(ctx, key, old, row)
	if err != nil || !present(row) {
		return err
	}
	target := canonicalOf(key, row)
	if target == "" || !listed {
		return nil
	}
	other, err := c.doc(ctx, target)
	if err == nil && givesWay(key, row, target, other.row) {
		row.Status, row.AliasOf = schema.DocRow_ALIAS, target
	}
	return err
}

// listFollower notes under the page's canonical that the page names it, so that it
// is found when the canonical comes, or goes. It reports whether there was room.
func (c *change) listFollower(ctx context.Context, key string, old, row *schema.DocRow) (bool, error) {
	before, now := canonicalOf(key, old), canonicalOf(key, row)
	if before != "" && before != now {
		a, err := c.alias(ctx, before)
		if err != nil {
			return false, err
		}
		if i := slices.Index(a.row.RowKeys, key); i >= 0 {
			a.row.RowKeys, a.dirty = slices.Delete(a.row.RowKeys, i, i+1), true
		}
	}
	if now == "" {
		return false, nil
	}
	a, err := c.alias(ctx, now)
	if err != nil || slices.Contains(a.row.RowKeys, key) {
		return err == nil, err
	}
	if len(a.row.RowKeys) >= c.opts.MaxAliases {
		c.drop("aliases_full", 1)
		return false, nil
	}
	a.row.RowKeys, a.dirty = append(a.row.RowKeys, key), true
	return true, nil
}

// settleFollowers settles the pages that name the page at work as their canonical.
// Those that give way to it now become aliases. An alias that no longer does is
// asked for again, since its text was not kept: it stands when its document comes.
func (c *change) settleFollowers(ctx context.Context, old, row *schema.DocRow) error {
	a, err := c.alias(ctx, c.in.key)
	if err != nil {
		return err
	}
	for _, key := range a.row.RowKeys {
		f, err := c.doc(ctx, key)
		if err != nil {
			return err
		}
		before, now := givesWay(key, f.row, c.in.key, old), givesWay(key, f.row, c.in.key, row)
		switch {
		case f.row.Status == schema.DocRow_LIVE && now:
			err = c.giveWay(ctx, f)
		case f.row.Status == schema.DocRow_ALIAS && before && !now:
			c.recheck = append(c.recheck, asked{key, "canonical_gone"})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// giveWay makes a live page an alias of the page at work.
func (c *change) giveWay(ctx context.Context, f *docEntry) error {
	old := f.row
	f.row = proto.CloneOf(old)
	f.row.Status, f.row.AliasOf, f.dirty = schema.DocRow_ALIAS, c.in.key, true
	return c.move(ctx, f, old)
}
