package schedule

import (
	"context"
	"errors"
	"time"

	"millrace/schema"
	"millrace/streams"
)

// add takes URLs from outside the link graph. Those whose canonical host is
// another go on to that host's owner.
func (t *task) add(ctx context.Context, in input, name schema.Host, m *schema.Add) error {
	for _, item := range m.Items {
		if _, ok := schema.Kind_name[int32(item.Kind)]; !ok {
			return streams.Poison("enum", "an added URL of kind %d", item.Kind)
		}
	}
	own, others := t.sortOut(name, m)
	if len(own) > 0 {
		if err := t.addOwn(ctx, in, name, m, own); err != nil {
			return err
		}
	}
	for host, items := range others {
		t.discovered.Send(&schema.Discovered{Host: string(host), DiscoveredAt: in.at,
			Body: &schema.Discovered_Add{Add: &schema.Add{Producer: m.Producer, FeedRowKey: m.FeedRowKey, Items: items}}})
	}
	return nil
}

// sortOut returns the candidates of this host, and the items of others.
func (t *task) sortOut(name schema.Host, m *schema.Add) ([]candidate, map[schema.Host][]*schema.AddItem) {
	var own []candidate
	others := map[schema.Host][]*schema.AddItem{}
	for i, item := range m.Items {
		u, err := t.group.deps.Canonicalizer.Parse(item.Url)
		if err != nil {
			t.drop(reasonOf(err), 1)
			continue
		}
		if t.opts.MaxDepth >= 0 && item.Depth > t.opts.MaxDepth {
			t.drop("depth", 1)
			continue
		}
		key := u.RowKey()
		if host := key.Host(); host != name {
			others[host] = append(others[host], item)
			continue
		}
		own = append(own, candidate{
			index: int32(i), path: key.Path(), kind: kindOr(item.Kind), depth: item.Depth,
			class: addClass(m, item), source: source(m), lastmod: item.Lastmod, interval: item.IntervalHintMs,
		})
	}
	return own, others
}

// addClass is the class of an added URL: what its producer says, else 0 for the
// items of a feed and 2 for seeds; the scorer's for the rest.
func addClass(m *schema.Add, item *schema.AddItem) int32 {
	switch {
	case item.ClassHint != nil:
		return max(0, min(*item.ClassHint, classes-1))
	case m.Producer == "feeds":
		return classNow
	case m.Producer == "sitemaps" && item.Kind == schema.Kind_PAGE:
		return classRest
	}
	return noClass
}

func source(m *schema.Add) string {
	if m.FeedRowKey != "" {
		return m.FeedRowKey
	}
	return m.Producer
}

func reasonOf(err error) string {
	var refused *schema.URLError
	if errors.As(err, &refused) {
		return refused.Reason
	}
	return schema.ErrSyntax
}

// addOwn takes the URLs of this host. One that is known is fetched again if it
// changed after it was fetched.
func (t *task) addOwn(ctx context.Context, in input, name schema.Host, m *schema.Add, own []candidate) error {
	h, err := t.host(ctx, name)
	if err != nil {
		return err
	}
	if !t.inScope(h) {
		t.drop("scope", len(own))
		return nil
	}
	paths := make([]string, len(own))
	for i, c := range own {
		paths[i] = c.path
	}
	known, err := t.urls(ctx, h, paths...)
	if err != nil {
		return err
	}
	var unseen, newer []candidate
	for _, c := range own {
		switch u := known[c.path]; {
		case u == nil:
			unseen = append(unseen, c)
		case t.changedSince(u.row, c.lastmod, in.now):
			newer = append(newer, c)
		}
	}
	if err := t.discover(ctx, in, h, unseen); err != nil {
		return err
	}
	for _, c := range newer {
		u := known[c.path]
		u.row.Lastmod = c.lastmod
		t.bringForward(in, h, u, min(c.class, classRecrawl))
	}
	return nil
}

// changedSince reports whether a page that stands, and is not due anyway, is said
// to have changed after it was fetched, and within the clock's reach: dates in
// the future are common and mean nothing.
func (t *task) changedSince(row *schema.UrlRow, lastmod, now int64) bool {
	return row.Status == schema.UrlRow_FETCHED && lastmod > row.FetchedAt && lastmod > row.Lastmod &&
		lastmod <= now+(24*time.Hour).Milliseconds() && row.NextDue > now
}

// bringForward makes a known URL due now.
func (t *task) bringForward(in input, h *host, u *url, class int32) {
	if u.row.At >= in.ts {
		return
	}
	before := tallyOf(u.row)
	u.row.NextDue, u.row.Class = in.now, class
	first := t.touch(h, in.ts)
	if first {
		t.append(h, class, u.path, in.ts)
	}
	t.write(h, u, before, in, first)
	t.front.place(h.lane, t.now)
}
