package schedule

import (
	"context"
	"encoding/binary"
	"hash/fnv"

	"millrace/schema"
	"millrace/streams"
)

// outcome ends a flight and applies what it found.
func (t *task) outcome(ctx context.Context, in input, name schema.Host, m *schema.Outcome) error {
	if _, ok := schema.Outcome_Result_name[int32(m.Result)]; !ok || m.Result == schema.Outcome_UNSPECIFIED {
		return streams.Poison("enum", "an outcome with result %d", m.Result)
	}
	if n := m.HostNotice; n != nil {
		if _, ok := schema.HostNotice_Robots_name[int32(n.Robots)]; !ok {
			return streams.Poison("enum", "a host notice with robots %d", n.Robots)
		}
	}
	m.Class = max(0, min(m.Class, classes-1))
	h, u, err := t.one(ctx, name, m.RowKey)
	if err != nil {
		return err
	}
	if u == nil && h.fresh() {
		t.drop("unknown_url", 1)
		return nil
	}
	first := t.touch(h, in.ts)
	if first && m.Result != schema.Outcome_DEFERRED {
		h.row.Contacted = true
	}
	if m.HostNotice != nil {
		t.notice(in, h, m.HostNotice, first)
	}
	if u == nil {
		t.drop("unknown_url", 1)
	} else {
		t.applyOutcome(in, h, u, m, first)
	}
	t.land(h, m) // after its page is counted: MaxPages sees it at every moment
	t.front.place(h.lane, t.now)
	return nil
}

// applyOutcome merges an outcome into its URL's row. A row that has it already
// only says again what follows from it.
func (t *task) applyOutcome(in input, h *host, u *url, m *schema.Outcome, first bool) {
	key := u.key(h)
	if u.row.At >= in.ts {
		if u.row.GoneRev > 0 && (u.row.GoneRev == m.Rev || u.row.GoneRev == m.Rev+1) {
			t.gone(in, h, u)
		}
		return
	}
	before := tallyOf(u.row)
	e := t.opts.merge(u.row, m, key, in.now)
	switch e.verdict {
	case stale:
		t.drop("stale", 1)
		return
	case repeated:
		t.drop("repeated", 1)
		return
	}
	if e.page && first {
		h.row.Fetched++
		t.totals.pages++
		t.group.pages.Add(1)
	}
	if e.gone != schema.Gone_UNSPECIFIED {
		t.gone(in, h, u)
	}
	t.again(in, h, u, e.due, e.class, first)
	t.write(h, u, before, in, first)
}

// again puts a URL where it waits for its next fetch: a queue if it is due, else
// the wheel.
func (t *task) again(in input, h *host, u *url, due int64, class int32, first bool) {
	switch {
	case due == 0:
	case due > in.now && t.postpone(in, h, u, due, class, first):
	case first:
		t.append(h, class, u.path, in.ts)
	}
}

// gone says that a URL has no document any more, as its row has it.
func (t *task) gone(in input, h *host, u *url) {
	key := u.key(h)
	t.extracted.Send(&schema.Extracted{Body: &schema.Extracted_Gone{Gone: &schema.Gone{
		RowKey: string(key), Url: key.URL(), Site: h.row.Site, Rev: u.row.GoneRev,
		Edition: u.row.DigestEdition, Reason: u.row.GoneReason, MovedTo: u.row.RedirectTo, At: in.at,
	}}})
}

// notice takes over what fetch learnt of the host. It tells what changed: a field
// that is zero says nothing, but for the delay beside a robots.txt that was read.
func (t *task) notice(in input, h *host, n *schema.HostNotice, first bool) {
	if first {
		if n.BlockedUntil > 0 {
			h.row.BlockedUntil = n.BlockedUntil
		}
		if n.CrawlDelayMs > 0 || n.Robots == schema.HostNotice_RULES || n.Robots == schema.HostNotice_ALLOW_ALL {
			h.row.CrawlDelayMs = max(0, n.CrawlDelayMs)
		}
		if n.Robots != schema.HostNotice_UNSPECIFIED {
			h.row.Robots = n.Robots
		}
		t.front.learn(h.lane, h.row)
	}
	sum := sumOf(n.Sitemaps)
	if len(n.Sitemaps) == 0 || first && sum == h.row.SitemapsHash {
		return
	}
	if first {
		h.row.SitemapsHash = sum
	}
	add := &schema.Add{Producer: "robots"}
	for _, s := range n.Sitemaps {
		add.Items = append(add.Items, &schema.AddItem{Url: s, Kind: schema.Kind_SITEMAP})
	}
	t.discovered.Send(&schema.Discovered{Host: string(h.name), DiscoveredAt: in.at,
		Body: &schema.Discovered_Add{Add: add}})
}

func sumOf(list []string) uint64 {
	h := fnv.New64a()
	for _, s := range list {
		var n [8]byte
		binary.LittleEndian.PutUint64(n[:], uint64(len(s)))
		h.Write(n[:])
		h.Write([]byte(s))
	}
	return h.Sum64()
}
