package schedule

import (
	"context"

	"millrace/consumers/rules"
	"millrace/consumers/schedule/hosts"
	"millrace/consumers/schedule/policy"
	"millrace/schema"
	"millrace/streams"
)

// walks handles rechecks and forgets, which operators send for known URLs.
type walks struct{ ledger *ledger }

// recheck makes a URL, or all known URLs with a prefix, due now.
func (w *walks) recheck(ctx context.Context, in input, name schema.Host, m *schema.Recheck) error {
	switch target := m.Target.(type) {
	case *schema.Recheck_RowKey:
		if asksForRobots(m) {
			return w.recheckRobots(ctx, in, name, m)
		}
		h, u, err := w.ledger.oneKnown(ctx, name, target.RowKey)
		if err != nil || u == nil {
			return err
		}
		w.recheckURL(in, h, u, m)
		w.ledger.front.Place(h.Lane, w.ledger.now)
		return nil
	case *schema.Recheck_Prefix:
		return w.walk(ctx, in, name, target.Prefix, m.Cursor, visitor{
			visit: func(h *hosts.Host, u *url) { w.recheckURL(in, h, u, m) },
			again: func(prefix, cursor string) *schema.Discovered {
				return &schema.Discovered{Body: &schema.Discovered_Recheck{Recheck: &schema.Recheck{
					Target: &schema.Recheck_Prefix{Prefix: prefix}, Cursor: cursor,
					Class: m.Class, Score: m.Score, Reason: m.Reason}}}
			},
		})
	}
	return streams.DeadLetter("enum", "a recheck without a target")
}

// recheckURL queues a URL, whatever its status, and drops its validators so that the answer cannot
// be 304. A URL that waits in a queue of the same or a better class stays there. A URL that a rule
// has forgotten is dropped.
func (w *walks) recheckURL(in input, h *hosts.Host, u *url, m *schema.Recheck) {
	if u.row.At >= in.ts {
		return
	}
	if v := w.ledger.judge(h, u.path, u.row.Kind, true, in.now); v.Reason == rules.Forgotten {
		w.ledger.dropBy(v.Reason, v.Rule, 1)
		return
	}
	before := tallyOf(u.row)
	class := max(0, min(m.Class, policy.Classes-1))
	waiting := u.row.Queued && u.row.Class <= class
	policy.DropValidators(u.row)
	u.row.NextDue, u.row.Fails, u.row.Waits, u.row.Ends = in.now, 0, 0, 0
	if m.Score > 0 {
		u.row.Score = m.Score
	}
	if policy.Ended(u.row.Status) {
		u.row.Status, u.row.Reason, u.row.Rule = schema.UrlRow_QUEUED, "", ""
	}
	first := w.ledger.hosts.Touch(h, in.ts)
	if !waiting {
		u.row.Class = class
		w.ledger.queueUp(in, h, u, in.now, class, first)
	}
	w.ledger.write(h, u, before, in, first)
}

// forget removes a URL, or all URLs with a prefix.
func (w *walks) forget(ctx context.Context, in input, name schema.Host, m *schema.Forget) error {
	switch target := m.Target.(type) {
	case *schema.Forget_RowKey:
		h, u, err := w.ledger.oneKnown(ctx, name, target.RowKey)
		if err != nil || u == nil {
			return err
		}
		w.forgetURL(in, h, u, m)
		return nil
	case *schema.Forget_Prefix:
		return w.walk(ctx, in, name, target.Prefix, m.Cursor, visitor{
			visit: func(h *hosts.Host, u *url) { w.forgetURL(in, h, u, m) },
			again: func(prefix, cursor string) *schema.Discovered {
				return &schema.Discovered{Body: &schema.Discovered_Forget{Forget: &schema.Forget{
					Target: &schema.Forget_Prefix{Prefix: prefix}, Cursor: cursor,
					Content: m.Content, Reason: m.Reason, By: m.By, At: m.At}}}
			},
		})
	}
	return streams.DeadLetter("enum", "a forget without a target")
}

// forgetURL ends a URL for good; only a Recheck brings it back. Its Gone has a higher rev than
// everything known of the URL. An answer that is still on its way gets another Gone above its own
// rev (policy.Outcome).
func (w *walks) forgetURL(in input, h *hosts.Host, u *url, m *schema.Forget) {
	if u.row.At >= in.ts {
		w.ledger.gone(in, h, u)
		return
	}
	if u.row.Status == schema.UrlRow_FORGOTTEN && (!m.Content || u.row.GoneReason == schema.Gone_TAKEDOWN) {
		return
	}
	before := tallyOf(u.row)
	u.row.Rev = max(u.row.Rev+1, in.at)
	u.row.Status, u.row.NextDue, u.row.HadPage, u.row.Queued = schema.UrlRow_FORGOTTEN, 0, false, false
	u.row.Reason = "forgotten"
	u.row.GoneRev, u.row.GoneReason = u.row.Rev, schema.Gone_FORGOTTEN
	if m.Content {
		u.row.GoneReason = schema.Gone_TAKEDOWN
	}
	u.row.RedirectTo = ""
	policy.DropValidators(u.row)
	w.ledger.gone(in, h, u)
	w.ledger.write(h, u, before, in, w.ledger.hosts.Touch(h, in.ts))
}
