package schedule

import (
	"slices"

	"millrace/consumers/rules"
	"millrace/consumers/schedule/hosts"
	"millrace/consumers/schedule/policy"
	"millrace/consumers/schedule/politeness"
	"millrace/schema"
)

// judge returns what the rules of operators say of a URL at a time of the log.
func (l *ledger) judge(h *hosts.Host, path string, kind schema.Kind, seeded bool, at int64) rules.Verdict {
	if l.opts.Rules == nil {
		return rules.Verdict{}
	}
	return l.opts.Rules.Judge(rules.Query{URL: schema.JoinRowKey(h.Name, path).URL(), Host: h.Name, Path: path,
		Site: schema.Site(h.Row.Site), Kind: kind, Seeded: seeded}, at)
}

// judged drops the new URLs that rules keep out, and stores the verdicts of the others.
func (t *intake) judged(in input, h *hosts.Host, from speaker, unseen []candidate) []candidate {
	l := t.ledger
	if l.opts.Rules == nil {
		return unseen
	}
	out := unseen[:0]
	for _, c := range unseen {
		c.verdict = l.judge(h, c.path, c.kind, from.origin == policy.Operator, in.now)
		if c.verdict.Out {
			l.dropBy(c.verdict.Reason, c.verdict.Rule, 1)
			continue
		}
		out = append(out, c)
	}
	return out
}

// overLimit returns the first limit rule that has no room for a new URL; "" if all have room. A
// rule of a site counts the URLs of all its hosts.
func overLimit(sums *sites, row *schema.HostRow, c *candidate, ts int64, first bool) string {
	for _, x := range c.verdict.Limits {
		b := budgetOf(row, x.Rule)
		n := b.N
		if x.OfSite {
			n = sums.limited(schema.Site(row.Site), x.Rule)
		}
		if !fits(n, x.Most, &b.FullAt, &b.FullIndex, ts, c.index, first) {
			return x.Rule
		}
	}
	return ""
}

// countLimits counts a new URL for its limit rules.
func countLimits(l *ledger, row *schema.HostRow, c *candidate, first bool) {
	for _, x := range c.verdict.Limits {
		if !first {
			continue
		}
		budgetOf(row, x.Rule).N++
		if x.OfSite {
			l.sums.addLimited(schema.Site(row.Site), x.Rule, l.now)
		}
	}
}

// hasSiteLimit reports whether a limit rule of a site counts one of the URLs.
func hasSiteLimit(list []candidate) bool {
	return slices.ContainsFunc(list, func(c candidate) bool {
		return slices.ContainsFunc(c.verdict.Limits, func(x rules.Limit) bool { return x.OfSite })
	})
}

// budgetOf returns what a host has counted for a limit rule, and creates it if needed.
func budgetOf(row *schema.HostRow, rule string) *schema.Budget {
	for _, x := range row.Limits {
		if x.Rule == rule {
			return x.Budget
		}
	}
	b := &schema.Budget{}
	row.Limits = append(row.Limits, &schema.RuleBudget{Rule: rule, Budget: b})
	return b
}

// rewriteItem applies the rewrite rules to an added URL.
func (t *intake) rewriteItem(in input, item *schema.AddItem, u schema.URL) (*schema.AddItem, schema.URL) {
	set := t.ledger.opts.Rules
	if set == nil || in.rewritten || !set.Rewriting() {
		return item, u
	}
	next, ok := t.rewrite(in, u, u.Host(), u.Site())
	if !ok {
		return item, u
	}
	item = item.CloneVT()
	item.Url = next.String()
	return item, next
}

// rewriteLinks applies the rewrite rules to links. A link that leads to another host then is sent
// to the partition of that host.
func (t *intake) rewriteLinks(in input, h *hosts.Host, m *schema.Links, wanted []candidate) []candidate {
	set := t.ledger.opts.Rules
	if set == nil || in.rewritten || !set.Rewrites(h.Name, schema.Site(h.Row.Site)) {
		return wanted
	}
	out := wanted[:0]
	for _, c := range wanted {
		u, err := t.group.deps.Canonicalizer.Parse(schema.JoinRowKey(h.Name, c.path).URL())
		if err != nil {
			out = append(out, c)
			continue
		}
		next, ok := t.rewrite(in, u, h.Name, schema.Site(h.Row.Site))
		switch {
		case !ok:
			out = append(out, c)
		case next.Host() == h.Name:
			c.path = next.RowKey().Path()
			out = append(out, c)
		default:
			t.ledger.out.discovered.Send(rewrittenLink(in.at, m, m.Links[c.index], next))
		}
	}
	return out
}

// rewrite returns a URL as the rules in force rewrite it, in canonical form. false: no rule
// applies, the result is the same, or it is no valid URL.
func (t *intake) rewrite(in input, u schema.URL, host schema.Host, site schema.Site) (schema.URL, bool) {
	raw, by := t.ledger.opts.Rules.Rewrite(u.String(), host, site, in.now)
	if by == "" {
		return u, false
	}
	next, err := t.group.deps.Canonicalizer.Parse(raw)
	return next, err == nil && next != u
}

// rewrittenLink returns the record for one link of a page with another target.
func rewrittenLink(at int64, m *schema.Links, link *schema.Link, to schema.URL) *schema.Discovered {
	key := to.RowKey()
	return &schema.Discovered{Host: string(key.Host()), DiscoveredAt: at, Rewritten: 1,
		Body: &schema.Discovered_Links{Links: &schema.Links{
			SourceRowKey: m.SourceRowKey, SourceSite: m.SourceSite, SourceRev: m.SourceRev, Depth: m.Depth, Redirects: m.Redirects,
			Links: []*schema.Link{{Path: key.Path(), Kind: link.Kind, Anchor: link.Anchor, Rel: link.Rel}}}}}
}

// refusal returns the outcome of a URL that must not be fetched any more: its host has its
// PagesPerHost or BytesPerHost or its site its PagesPerSite, rules exclude it since it was queued,
// or it is due only because it is over (policy.Unasked). For a URL that rules or learnt parameters
// now rewrite it is a redirect. nil: the URL may be fetched.
func (e *emission) refusal(h *hosts.Host, u *url) *schema.Discovered {
	out := &schema.Outcome{RowKey: string(u.key(h)), Kind: u.row.Kind, Class: u.row.Class}
	if !e.refuses(h, u, out) {
		return nil
	}
	return &schema.Discovered{Host: string(h.Name), DiscoveredAt: e.ledger.now, Body: &schema.Discovered_Outcome{Outcome: out}}
}

// refuses completes the outcome of a URL that must not be fetched; false: it may be.
func (e *emission) refuses(h *hosts.Host, u *url, out *schema.Outcome) bool {
	reason, rule := e.overPages(h, u), ""
	if reason == "" && e.ledger.opts.Rules != nil {
		v := e.ledger.judge(h, u.path, u.row.Kind, u.row.Seeded, rules.Latest)
		if !v.Out && e.rewritten(h, u, out) {
			return true
		}
		if v.Out {
			reason, rule = v.Reason, v.Rule
		}
	}
	if reason == "" && e.folded(h, u, out) {
		return true
	}
	if reason == "" && e.ledger.opts.Unasked(u.row, h.Row, u.key(h), rules.Latest) {
		reason = policy.Over
		if end := policy.End(u.row); end > e.ledger.now {
			out.Until = end
		}
	}
	if reason == "" {
		return false
	}
	out.Result, out.ErrorKind, out.Rule = schema.Outcome_REFUSED, reason, rule
	return true
}

// The reasons for URLs of a host that has PagesPerHost pages, or whose pages had BytesPerHost
// bytes, and for those of a site that has PagesPerSite pages.
const (
	hostPages = "host_pages"
	hostBytes = "host_bytes"
	sitePages = "site_pages"
	siteHosts = "site_hosts" // the hosts of the site repeat each other's texts, or it makes them up, and this one has no page yet
)

// overPages returns the reason why a URL is left out because of what its host or site has sent;
// "": it is not.
func (e *emission) overPages(h *hosts.Host, u *url) string {
	o := e.ledger.opts
	switch {
	case !countsAsPage(u):
	case o.PagesPerHost > 0 && h.Row.FirstPages >= o.PagesPerHost:
		return hostPages
	case o.BytesPerHost > 0 && h.Row.FirstBytes >= o.BytesPerHost:
		return hostBytes
	case o.Traps && h.Row.FirstPages == 0 && e.ledger.sums.leavesOut(schema.Site(h.Row.Site), h.Row):
		return siteHosts
	case h.Row.MadeUp && u.row.Fails+u.row.Waits > 0: // it is not there
		return siteHosts
	case o.PagesPerSite > 0 && e.ledger.sums.pages(schema.Site(h.Row.Site)) >= o.PagesPerSite:
		return sitePages
	}
	return ""
}

// hostIsFull reports whether the fetched pages of a host and its flights together reach
// PagesPerHost, or would reach BytesPerHost if each flight brought as much as pages did so far.
// Then the flights are awaited. The first page of a host flies alone if bytes count.
func (e *emission) hostIsFull(h *hosts.Host, u *url) bool {
	o, row, flights := e.ledger.opts, h.Row, int64(h.Flights())
	switch {
	case !countsAsPage(u) || flights == 0:
		return false
	case o.PagesPerHost > 0 && row.FirstPages+flights >= o.PagesPerHost:
		return true
	case o.BytesPerHost > 0:
		return row.FirstPages == 0 || row.FirstBytes+flights*(row.FirstBytes/row.FirstPages) >= o.BytesPerHost
	}
	return false
}

// countsAsPage reports whether a fetch of a URL may be one more page of its host. Seeds, feeds and
// sitemaps do not count, and a page counts once.
func countsAsPage(u *url) bool {
	return u.row.FetchedAt == 0 && !u.row.Seeded && u.row.Kind != schema.Kind_FEED && u.row.Kind != schema.Kind_SITEMAP
}

// rewritten makes an outcome a redirect if rules rewrite its URL now.
func (e *emission) rewritten(h *hosts.Host, u *url, out *schema.Outcome) bool {
	set, site := e.ledger.opts.Rules, schema.Site(h.Row.Site)
	if !set.Rewrites(h.Name, site) {
		return false
	}
	from := u.key(h).URL()
	raw, by := set.Rewrite(from, h.Name, site, rules.Latest)
	if by == "" {
		return false
	}
	to, err := e.group.deps.Canonicalizer.Parse(raw)
	if err != nil || to.String() == from {
		return false
	}
	out.Result, out.HttpStatus, out.RedirectTo, out.Rule = schema.Outcome_REDIRECT, 301, to.String(), by
	return true
}

// learntParameter stands in Outcome.rule for a redirect that no rule made, but parameters that were
// found to change nothing.
const learntParameter = "learnt-parameter"

// folded makes an outcome a redirect if its URL was never fetched and has parameters that were
// found to change nothing.
func (e *emission) folded(h *hosts.Host, u *url, out *schema.Outcome) bool {
	if !h.Row.DropsParams || !e.ledger.opts.Traps || h.Tree == nil || u.row.AskedAt > 0 || u.row.Seeded {
		return false
	}
	to := h.Tree.Canonical(u.path)
	if to == u.path {
		return false
	}
	out.Result, out.HttpStatus, out.Rule = schema.Outcome_REDIRECT, 301, learntParameter
	out.RedirectTo = schema.JoinRowKey(h.Name, to).URL()
	return true
}

// refuse sends the outcome of a URL that is not fetched. If it is a redirect it also sends a link
// to the target.
func (e *emission) refuse(h *hosts.Host, x hosts.Entry, u *url, d *schema.Discovered) {
	now, out := e.ledger.now, d.GetOutcome()
	f := &flight{host: h, path: u.path, rev: max(u.row.Rev+1, now), at: now, refusal: d}
	if x.Seq != hosts.NoSeq {
		f.entries = []hosts.Entry{x}
	}
	out.Rev = f.rev
	e.flights.add(u.key(h), f)
	h.Fly(1)
	if to, err := e.group.deps.Canonicalizer.Parse(out.RedirectTo); out.RedirectTo != "" && err == nil {
		from := &schema.Links{SourceRowKey: out.RowKey, SourceSite: h.Row.Site, SourceRev: f.rev, Depth: u.row.Depth,
			Redirects: u.row.Redirects + 1}
		e.ledger.out.discovered.Send(rewrittenLink(now, from, &schema.Link{Kind: u.row.Kind, Rel: relRedirect}, to))
	}
	e.ledger.out.discovered.Send(d)
}

// relRedirect is the bit of Link.rel for the target of a redirect.
const relRedirect = 8

// paused reports whether an operator paused a host.
func (l *ledger) paused(name schema.Host, site schema.Site) bool {
	if l.opts.Rules == nil {
		return false
	}
	_, on := l.opts.Rules.Paused(name, site)
	return on
}

// least returns the delay (ms) that rules ask for at least on a host.
func (l *ledger) least(name schema.Host, site schema.Site) int64 {
	if l.opts.Rules == nil {
		return 0
	}
	return l.opts.Rules.Delay(name, site).Milliseconds()
}

// followRules applies changed pauses and delays to the hosts in memory.
func (t *task) followRules() {
	l := t.ledger
	if l.opts.Rules == nil {
		return
	}
	version := l.opts.Rules.Turns()
	if version == t.control {
		return
	}
	t.control = version
	slow := map[*politeness.Lane]int64{}
	l.hosts.Each(func(h *hosts.Host) {
		if h.Lane != nil {
			site := h.Lane.Site()
			if h.Row != nil {
				site = schema.Site(h.Row.Site)
			}
			h.Hold(l.paused(h.Name, site))
			slow[h.Lane] = max(slow[h.Lane], l.least(h.Name, site))
		}
	})
	l.front.Slow(slow)
	for lane := range slow {
		l.front.Turn(lane, l.now)
	}
}
