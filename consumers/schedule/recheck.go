package schedule

import (
	"context"

	"millrace/schema"
	"millrace/streams"
)

// recheck makes a URL, or all known URLs with a prefix, due now.
func (t *task) recheck(ctx context.Context, in input, name schema.Host, m *schema.Recheck) error {
	switch target := m.Target.(type) {
	case *schema.Recheck_RowKey:
		h, u, err := t.one(ctx, name, target.RowKey)
		if err != nil {
			return err
		}
		if u == nil {
			t.drop("unknown_url", 1)
			return nil
		}
		t.recheckURL(in, h, u, m)
		t.front.place(h.lane, t.now)
		return nil
	case *schema.Recheck_Prefix:
		return t.walk(ctx, in, name, target.Prefix, m.Cursor, visitor{
			visit: func(h *host, u *url) { t.recheckURL(in, h, u, m) },
			again: func(prefix, cursor string) *schema.Discovered {
				return &schema.Discovered{Body: &schema.Discovered_Recheck{Recheck: &schema.Recheck{
					Target: &schema.Recheck_Prefix{Prefix: prefix}, Cursor: cursor,
					Class: m.Class, Score: m.Score, Reason: m.Reason}}}
			},
		})
	}
	return streams.Poison("enum", "a recheck without a target")
}

// recheckURL takes away what would let the answer be "unchanged", and queues the
// URL, whatever its status. One that waits in as good a class already stays where
// it is.
func (t *task) recheckURL(in input, h *host, u *url, m *schema.Recheck) {
	if u.row.At >= in.ts {
		return
	}
	before := tallyOf(u.row)
	class := max(0, min(m.Class, classes-1))
	waiting := u.row.NextDue > 0 && u.row.NextDue <= in.now && u.row.Class <= class
	dropValidators(u.row)
	u.row.NextDue, u.row.Fails, u.row.Waits = in.now, 0, 0
	if m.Score > 0 {
		u.row.Score = m.Score
	}
	if ended(u.row.Status) {
		u.row.Status, u.row.Reason = schema.UrlRow_QUEUED, ""
	}
	first := t.touch(h, in.ts)
	if !waiting {
		u.row.Class = class
		if first {
			t.append(h, class, u.path, in.ts)
		}
	}
	t.write(h, u, before, in, first)
}

// forget removes a URL, or all URLs with a prefix.
func (t *task) forget(ctx context.Context, in input, name schema.Host, m *schema.Forget) error {
	switch target := m.Target.(type) {
	case *schema.Forget_RowKey:
		h, u, err := t.one(ctx, name, target.RowKey)
		if err != nil {
			return err
		}
		if u == nil {
			t.drop("unknown_url", 1)
			return nil
		}
		t.forgetURL(in, h, u, m)
		return nil
	case *schema.Forget_Prefix:
		return t.walk(ctx, in, name, target.Prefix, m.Cursor, visitor{
			visit: func(h *host, u *url) { t.forgetURL(in, h, u, m) },
			again: func(prefix, cursor string) *schema.Discovered {
				return &schema.Discovered{Body: &schema.Discovered_Forget{Forget: &schema.Forget{
					Target: &schema.Forget_Prefix{Prefix: prefix}, Cursor: cursor,
					Content: m.Content, Reason: m.Reason, By: m.By, At: m.At}}}
			},
		})
	}
	return streams.Poison("enum", "a forget without a target")
}

// forgetURL ends a URL for good: only a Recheck brings it back. Its Gone has a
// rev above all that is known of it; an answer that is still on its way gets
// another Gone above its own rev (merge).
func (t *task) forgetURL(in input, h *host, u *url, m *schema.Forget) {
	if u.row.At >= in.ts {
		t.gone(in, h, u)
		return
	}
	before := tallyOf(u.row)
	u.row.Rev = max(u.row.Rev+1, in.at)
	u.row.Status, u.row.NextDue, u.row.HadPage = schema.UrlRow_FORGOTTEN, 0, false
	u.row.Reason = "forgotten"
	u.row.GoneRev, u.row.GoneReason = u.row.Rev, schema.Gone_FORGOTTEN
	if m.Content {
		u.row.GoneReason = schema.Gone_TAKEDOWN
	}
	u.row.RedirectTo = ""
	dropValidators(u.row)
	t.gone(in, h, u)
	t.write(h, u, before, in, t.touch(h, in.ts))
}
