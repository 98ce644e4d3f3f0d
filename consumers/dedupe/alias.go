package dedupe

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"

	"millrace/schema"
)

// present reports whether a page has a document that is published, represented by another page with
// the same text, or an alias.
func present(row *schema.DocRow) bool {
	return row.Status == schema.DocRow_LIVE || row.Status == schema.DocRow_ALIAS
}

// canonicalOf returns the page that a page names as canonical, if it is another page of the same
// site; else "".
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

// givesWay reports whether a page is an alias of its canonical target: the target has a document,
// with another text, and names no third page. If the two name each other, the first by order is
// published and the other is the alias. Only what the two pages say of themselves counts, so it
// does not matter which came first, and no third page can have an effect.
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

// order returns a sort key for pages that name each other: https first, then the shorter URL, then
// byte order. It depends on the row key alone. If it depended on which page had its text first, the
// two could change places whenever a text changes.
func order(key string) string {
	plain := 1
	if strings.HasPrefix(schema.RowKey(key).Path(), ":https") {
		plain = 0
	}
	return fmt.Sprintf("%d%05d%s", plain, len(schema.RowKey(key).URL()), key)
}

// settleAlias decides whether a page that has a document is an alias, and sets its row's status. A
// page for which its canonical's list has no room stays live.
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

// listFollower adds the page to the list of pages that name the same canonical, so that it is found
// when the canonical comes or goes, and removes it from the list of its former canonical. It
// reports whether there was room; without room the page is counted as aliases_full.
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

// settleFollowers decides anew about the pages that name the page at work as canonical. A live page
// that now gives way becomes an alias. An alias that no longer gives way is asked for again,
// because its text was not kept; it is published when its document comes.
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
