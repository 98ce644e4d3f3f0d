package schedule

import (
	"bytes"
	"context"
	"encoding/binary"
	"hash/fnv"
	"net/netip"

	"millrace/consumers/schedule/hosts"
	"millrace/consumers/schedule/policy"
	"millrace/schema"
	"millrace/streams"
)

// answers applies the outcomes of fetch, the digests of extract, and the lists that feeds and
// sitemaps held.
type answers struct {
	ledger   *ledger
	group    *Schedule
	emission *emission
}

// outcome applies the result of a fetch to the URL and its host, and ends the URL's flight.
func (a *answers) outcome(ctx context.Context, in input, name schema.Host, m *schema.Outcome) error {
	if err := checkOutcome(m); err != nil {
		return err
	}
	m.Class = max(0, min(m.Class, policy.Classes-1))
	l := a.ledger
	h, u, err := l.one(ctx, name, m.RowKey)
	if err != nil {
		return err
	}
	if u == nil && h.Fresh() {
		l.drop("unknown_url", 1)
		return nil
	}
	if _, err := l.hosts.Patterns(ctx, h); err != nil {
		return err
	}
	first := l.hosts.Touch(h, in.ts)
	if first && asked(m) {
		h.Row.Contacted = true
	}
	if m.HostNotice != nil {
		a.notice(in, h, m.HostNotice, first)
	}
	a.address(h, m, first)
	page := false
	if u == nil {
		l.drop("unknown_url", 1)
	} else {
		page = a.apply(in, h, u, m, first)
	}
	a.emission.land(h, m, page)
	l.front.Place(h.Lane, l.now)
	return nil
}

// address moves a host to the lane of its IP address. Only a deferred outcome tells one, and only
// with ByIP.
func (a *answers) address(h *hosts.Host, m *schema.Outcome, first bool) {
	if a.ledger.opts.PoliteBy != policy.ByIP || m.Result != schema.Outcome_DEFERRED || m.Ip == "" || m.Ip == h.Row.Ip || !first {
		return
	}
	if _, err := netip.ParseAddr(m.Ip); err != nil {
		return
	}
	h.Row.Ip = m.Ip
	a.ledger.hosts.Move(h, a.ledger.now)
}

// asked reports whether the outcome is of an HTTP request that was sent.
func asked(m *schema.Outcome) bool {
	return m.Result != schema.Outcome_DEFERRED && m.Result != schema.Outcome_REFUSED && m.Rule == ""
}

// checkOutcome makes an outcome with an unknown enum value a dead letter.
func checkOutcome(m *schema.Outcome) error {
	if _, ok := schema.Outcome_Result_name[int32(m.Result)]; !ok || m.Result == schema.Outcome_UNSPECIFIED {
		return streams.DeadLetter("enum", "an outcome with result %d", m.Result)
	}
	if _, ok := schema.Kind_name[int32(m.Served)]; !ok {
		return streams.DeadLetter("enum", "an outcome that served kind %d", m.Served)
	}
	if n := m.HostNotice; n != nil {
		if _, ok := schema.HostNotice_Robots_name[int32(n.Robots)]; !ok {
			return streams.DeadLetter("enum", "a host notice with robots %d", n.Robots)
		}
	}
	return nil
}

// apply merges an outcome into its URL's row. It reports whether the outcome brought a page that
// was not counted yet. On a replay it only sends the Gone record of this outcome again.
func (a *answers) apply(in input, h *hosts.Host, u *url, m *schema.Outcome, first bool) bool {
	l := a.ledger
	if u.row.At >= in.ts {
		if u.row.GoneRev > 0 && (u.row.GoneRev == m.Rev || u.row.GoneRev == m.Rev+1) {
			l.gone(in, h, u)
		}
		return false
	}
	before, fresh, seen := tallyOf(u.row), u.row.AskedAt == 0, u.row.FetchedAt > 0
	e := l.opts.Outcome(u.row, l.learner(h, first), m, u.key(h), in.now)
	if e.Verdict == policy.Applied {
		l.ruledBy(m.Rule, 1)
	}
	switch e.Verdict {
	case policy.Stale:
		l.drop("stale", 1)
		return false
	case policy.Repeated:
		l.drop("repeated", 1)
		return false
	}
	if e.Gone != schema.Gone_UNSPECIFIED {
		l.gone(in, h, u)
	}
	if e.Verdict == policy.Applied && m.Rule == "" {
		l.learnOutcome(in, h, u, m, fresh)
	}
	page := e.Page && first
	if page {
		if l.counts.page(h); !seen {
			h.Row.FirstPages++
			l.sums.addPage(schema.Site(h.Row.Site), l.now)
			h.Row.FirstBytes += max(0, m.Bytes)
		}
	}
	l.queueUp(in, h, u, e.Due, e.Class, first)
	l.write(h, u, before, in, first)
	if h.Row.MadeUp && m.Result != schema.Outcome_OK && m.Result != schema.Outcome_DEFERRED {
		l.sums.guessOver(schema.Site(h.Row.Site), h.Name)
	}
	return page
}

// notice takes over what fetch learnt of the host. A field that is zero says nothing, except the
// delay: with a robots.txt that was read, zero means that it asks for none. New sitemaps of
// robots.txt are sent to urls.discovered; a hash in the host's row keeps them from being sent each
// time.
func (a *answers) notice(in input, h *hosts.Host, n *schema.HostNotice, first bool) {
	if first {
		if n.BlockedUntil > 0 {
			h.Row.BlockedUntil = n.BlockedUntil
		}
		if n.CrawlDelayMs > 0 || n.Robots == schema.HostNotice_RULES || n.Robots == schema.HostNotice_ALLOW_ALL {
			h.Row.CrawlDelayMs = max(0, n.CrawlDelayMs)
		}
		if n.Robots != schema.HostNotice_UNSPECIFIED {
			h.Row.Robots = n.Robots
		}
		a.ledger.front.Learn(h.Lane, h.Row)
	}
	sum := sumOf(n.Sitemaps)
	if len(n.Sitemaps) == 0 || first && sum == h.Row.SitemapsHash {
		return
	}
	if first {
		h.Row.SitemapsHash = sum
	}
	add := &schema.Add{Producer: producerRobots, FeedRowKey: string(h.Name) + ":http/robots.txt"}
	for _, s := range n.Sitemaps {
		add.Items = append(add.Items, &schema.AddItem{Url: s, Kind: schema.Kind_SITEMAP})
	}
	a.ledger.out.discovered.Send(&schema.Discovered{Host: string(h.Name), DiscoveredAt: in.at,
		Body: &schema.Discovered_Add{Add: add}})
}

// sumOf is the FNV-1a hash of a list of strings, with their lengths.
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

// digest applies what extract learnt of a page. It may come before or after the outcome of the same
// attempt.
func (a *answers) digest(ctx context.Context, in input, name schema.Host, m *schema.Digest) error {
	l := a.ledger
	h, u, err := l.oneKnown(ctx, name, m.RowKey)
	if err != nil || u == nil || u.row.At >= in.ts {
		return err
	}
	if _, err := l.hosts.Patterns(ctx, h); err != nil {
		return err
	}
	before, read, answered := tallyOf(u.row), u.row.DigestRev > 0, u.row.AskedAt > 0
	changed := read && !bytes.Equal(u.row.TextHash, m.TextHash)
	fresh := m.Rev > u.row.DigestRev // else a new edition: the same body, extracted again
	first := l.hosts.Touch(h, in.ts)
	e := l.opts.Digest(u.row, l.learner(h, first), m, u.key(h), in.now)
	switch e.Verdict {
	case policy.Stale:
		l.drop("stale", 1)
		return nil
	case policy.Repeated:
		l.drop("repeated", 1)
		return nil
	}
	if m.Useful && e.Verdict == policy.Applied && first {
		h.Row.Fit++
	}
	if e.Verdict == policy.Applied && fresh {
		sources, err := l.sources(ctx, h, u, !read)
		if err != nil {
			return err
		}
		var twins []comparison
		if !read {
			if twins, err = l.compared(ctx, h, u, m); err != nil {
				return err
			}
		}
		l.learnDigest(in, h, u, m, digested{read, answered, changed, sources, twins})
	}
	l.queueUp(in, h, u, e.Due, e.Class, first)
	l.write(h, u, before, in, first)
	l.front.Place(h.Lane, l.now)
	return nil
}

// listed applies what a feed or sitemap held, and with that when it is polled again.
func (a *answers) listed(ctx context.Context, in input, name schema.Host, m *schema.Listed) error {
	l := a.ledger
	h, u, err := l.oneKnown(ctx, name, m.RowKey)
	if err != nil || u == nil || u.row.At >= in.ts {
		return err
	}
	before := tallyOf(u.row)
	first := l.hosts.Touch(h, in.ts)
	e, changed := l.opts.Listed(u.row, l.learner(h, first), m, u.key(h), in.now)
	if !changed {
		l.drop("stale", 1)
		return nil
	}
	l.queueUp(in, h, u, e.Due, e.Class, first)
	l.write(h, u, before, in, first)
	l.front.Place(h.Lane, l.now)
	return nil
}
