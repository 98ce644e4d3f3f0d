package dedupe

import (
	"context"
	"slices"
	"strings"

	"google.golang.org/protobuf/proto"

	"millrace/schema"
)

// present reports whether a page has a document, published or not.
func present(row *schema.DocRow) bool {
	return row.Status == schema.DocRow_LIVE || row.Status == schema.DocRow_ALIAS
}

// canonicalOf returns the other page of its site that a page names as canonical,
// or "".
func canonicalOf(key string, row *schema.DocRow) string {
	if !present(row) || row.Own.Canonical == key {
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
// themselves, so it makes no difference which of them came first.
func givesWay(key string, row *schema.DocRow, target string, other *schema.DocRow) bool {
	if canonicalOf(key, row) != target || !present(other) ||
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

// settle makes a page that has a document an alias or a live page.
func (t *task) settle(ctx context.Context, key string, old, row *schema.DocRow) error {
	listed, err := t.list(ctx, key, old, row)
	if err != nil || !present(row) {
		return err
	}
	row.Status, row.AliasOf = schema.DocRow_LIVE, ""
	target := canonicalOf(key, row)
	if target == "" || !listed {
		return nil
	}
	other, err := t.rows.doc(ctx, target)
	if err == nil && givesWay(key, row, target, other.row) {
		row.Status, row.AliasOf = schema.DocRow_ALIAS, target
	}
	return err
}

// list notes under the page's canonical that the page names it, so that it is
// found when the canonical comes, or goes. It reports whether there was room.
func (t *task) list(ctx context.Context, key string, old, row *schema.DocRow) (bool, error) {
	before, now := canonicalOf(key, old), canonicalOf(key, row)
	if before != "" && before != now {
		a, err := t.rows.alias(ctx, before)
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
	a, err := t.rows.alias(ctx, now)
	if err != nil || slices.Contains(a.row.RowKeys, key) {
		return err == nil, err
	}
	if len(a.row.RowKeys) >= t.opts.MaxAliases {
		t.p.Drop("aliases_full", 1)
		return false, nil
	}
	a.row.RowKeys, a.dirty = append(a.row.RowKeys, key), true
	return true, nil
}

// followers settles the pages that name the page at work as their canonical. Those
// that give way to it now become aliases. An alias that no longer does is asked
// for again, since its text was not kept: it stands when its document comes.
func (t *task) followers(ctx context.Context, old, row *schema.DocRow, out *outbox) error {
	a, err := t.rows.alias(ctx, t.in.key)
	if err != nil {
		return err
	}
	for _, key := range a.row.RowKeys {
		f, err := t.rows.doc(ctx, key)
		if err != nil {
			return err
		}
		before, now := givesWay(key, f.row, t.in.key, old), givesWay(key, f.row, t.in.key, row)
		switch {
		case f.row.Status == schema.DocRow_LIVE && now:
			err = t.giveWay(ctx, f, out)
		case f.row.Status == schema.DocRow_ALIAS && before && !now:
			out.rechecks = append(out.rechecks, key)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// giveWay makes a live page an alias of the page at work.
func (t *task) giveWay(ctx context.Context, f *docEntry, out *outbox) error {
	old := f.row
	f.row = proto.CloneOf(old)
	f.row.Status, f.row.AliasOf, f.dirty = schema.DocRow_ALIAS, t.in.key, true
	return t.move(ctx, f, old, out)
}
