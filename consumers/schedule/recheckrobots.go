package schedule

import (
	"context"
	"strings"

	"millrace/consumers/schedule/hosts"
	"millrace/schema"
)

const robotsPath = "/robots.txt"

// asksForRobots reports whether an operator asks that a robots.txt be read again.
func asksForRobots(m *schema.Recheck) bool {
	path := schema.RowKey(m.GetRowKey()).Path()
	return m.Reason == "operator" && wellFormed(path) && strings.HasSuffix(path, robotsPath) &&
		strings.IndexByte(path, '/') == len(path)-len(robotsPath)
}

// recheckRobots lets fetch read the robots.txt of a host again before the next page there, and
// makes due at once what the robots.txt of this origin refused. So that the file is read now, also
// where it refused nothing, one page of the origin is due, too.
func (w *walks) recheckRobots(ctx context.Context, in input, name schema.Host, m *schema.Recheck) error {
	l := w.ledger
	key := schema.RowKey(m.GetRowKey())
	h, err := l.hosts.Get(ctx, name)
	if err != nil {
		return err
	}
	if h.Fresh() || key.Host() != name {
		l.drop("unknown_url", 1)
		return nil
	}
	one := m.Cursor == ""
	err = w.walk(ctx, in, name, strings.TrimSuffix(string(key), "robots.txt"), m.Cursor, visitor{
		visit: func(h *hosts.Host, u *url) {
			now := u.path == key.Path() || u.row.Status == schema.UrlRow_REFUSED && u.row.Reason == "robots"
			if one && (u.row.Status == schema.UrlRow_FETCHED || u.row.Status == schema.UrlRow_QUEUED) {
				one, now = false, true
			}
			if now {
				w.recheckURL(in, h, u, m)
			}
		},
		again: func(_, cursor string) *schema.Discovered {
			return &schema.Discovered{Body: &schema.Discovered_Recheck{Recheck: &schema.Recheck{
				Target: m.Target, Cursor: cursor, Reason: m.Reason}}}
		},
	})
	if err != nil {
		return err
	}
	if in.now > h.Row.RobotsAfter {
		l.hosts.Touch(h, in.ts)
		h.Row.RobotsAfter = in.now
	}
	return nil
}
