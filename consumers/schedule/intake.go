package schedule

import (
	"context"
	"errors"

	"millrace/consumers/rules"
	"millrace/consumers/schedule/hosts"
	"millrace/consumers/schedule/patterns"
	"millrace/consumers/schedule/policy"
	"millrace/consumers/schedule/table"
	"millrace/schema"
	"millrace/streams/state"
)

// intake turns the URLs that records name into rows and queue entries.
type intake struct {
	ledger *ledger
	group  *Schedule
}

// candidate is a URL that a record names.
type candidate struct {
	index    int32 // in its record
	path     string
	kind     schema.Kind
	depth    int32
	class    int32 // noClass: policy.FirstPlace decides
	source   string
	lastmod  int64
	interval int64 // ms, 0 = not stated
	verdict  rules.Verdict
	scout    bool   // queued before others, to see where its shape leads
	probe    string // not "": nobody named it, and it is queued before others: to see whether a parameter of this URL changes anything or, if this is the naming page, whether the server has a page for any URL
}

// mostScouts is the most scouts that one record adds (patterns.Tree.Scout).
const mostScouts = 2

const noClass = policy.Classes

// speaker is who names the URLs of a record.
type speaker struct {
	origin policy.Origin
	site   string   // of the page, feed or sitemap
	page   string   // its row key
	list   bool     // it is a feed or a sitemap
	madeUp bool     // nobody: the frontier made the host up (guessHost)
	known  []string // known URLs of the host that it names, at most 64

	redirects int32 // how many redirects in a row led to what it names
}

// plain returns a candidate with only what another site may decide: that it is a page, at least one
// click deep.
func (c candidate) plain() candidate {
	c.kind, c.class, c.lastmod, c.interval = schema.Kind_PAGE, noClass, 0, 0
	c.depth = max(c.depth, 1)
	return c
}

// discover makes rows for new URLs, in three durable steps (groups of writes in package table): the
// queue entry, the count in the host's row, the URL's own row. A record whose stamp the host's row
// has already is a replay after a crash. Its queue entries are durable then, so only rows that may
// be missing are written.
func (t *intake) discover(ctx context.Context, in input, h *hosts.Host, from speaker, unseen []candidate, cash float64) error {
	l := t.ledger
	if unseen = t.canonical(h, unseen); len(unseen) == 0 {
		return nil
	}
	if h.Row.MadeUp && from.origin == policy.OwnSite && !from.madeUp { // its first page is enough
		l.drop(policy.ReasonTrap, len(unseen))
		return nil
	}
	tree, err := l.hosts.Patterns(ctx, h)
	if err != nil {
		return err
	}
	if source := sameHost(h, from.page); source != "" && tree.MadeUp(source) {
		l.drop(policy.ReasonTrap, len(unseen))
		l.invented(in, h, source, unseen)
		return nil
	}
	changed := l.changedSince(h, in.ts)
	if !changed {
		if unseen, err = t.probes(ctx, h, unseen, sameHost(h, from.page)); err != nil {
			return err
		}
	}
	if unseen = t.judged(in, h, from, unseen); len(unseen) == 0 {
		return nil
	}
	if changed {
		return t.again(ctx, in, h, unseen, from)
	}
	if h.Fresh() {
		l.sums.lead(schema.Site(h.Row.Site), schema.Host(namedBy(h, from)))
		full, err := t.siteFull(ctx, schema.Site(h.Row.Site), from.origin, l.now)
		if err != nil {
			return err
		}
		if full {
			l.drop(siteHosts, len(unseen))
			return nil
		}
	}
	if hasSiteLimit(unseen) {
		if err := l.lookAtSite(ctx, schema.Site(h.Row.Site)); err != nil {
			return err
		}
	}
	learns := !tree.Has(in.ts)
	n, err := t.namedBy(ctx, h, sameHost(h, from.page))
	if err != nil {
		return err
	}
	t.settleIn(h, in, from, unseen[0])
	first := l.hosts.Touch(h, in.ts)
	if first {
		h.Row.Cash += cash
	}
	scouts := 0
	for i := range unseen {
		c := &unseen[i]
		n.paths = append(n.paths, c.path)
		if refuses(l, in, h, tree, c, from, first) {
			continue
		}
		countLimits(l, h.Row, c, first)
		if c.scout = t.isScout(h, c, from, n, scouts); c.scout {
			scouts++
		}
		t.insert(in, h, c, from, first)
		n.made = append(n.made, *c)
	}
	t.found(in, h, n, from, learns)
	t.group.pages.found(h.Row.Site, l.now)
	l.front.Place(h.Lane, l.now)
	return nil
}

// refuses drops a new URL of a trap, over a limit of a rule, or over the budget of its host.
func refuses(l *ledger, in input, h *hosts.Host, tree *patterns.Tree, c *candidate, from speaker, first bool) bool {
	if l.opts.Traps && from.origin != policy.Operator && !c.verdict.Fit && tree.Closed(c.path, in.now) {
		l.drop(policy.ReasonTrap, 1)
		return true
	}
	if rule := overLimit(l.sums, h.Row, c, in.ts, first); rule != "" {
		l.dropBy(rules.OverLimit, rule, 1)
		return true
	}
	if !admits(l.opts, h.Row, from, in.ts, c.index, first) {
		l.drop("host_budget", 1)
		return true
	}
	return false
}

// canonical returns the URLs whose row key is in canonical form, each once. The others are dropped.
func (t *intake) canonical(h *hosts.Host, unseen []candidate) []candidate {
	seen := make(map[string]bool, len(unseen))
	out := unseen[:0]
	for _, c := range unseen {
		if seen[c.path] {
			t.ledger.drop(knownLink, 1)
			continue
		}
		seen[c.path] = true
		if _, err := schema.ParseRowKey(string(h.Name) + c.path); err != nil {
			t.ledger.drop(schema.ErrSyntax, 1)
			continue
		}
		out = append(out, c)
	}
	return out
}

// settleIn registers a new host in the table site_host and in the counts. A URL of it is c.
func (t *intake) settleIn(h *hosts.Host, in input, from speaker, c candidate) {
	if !h.Fresh() {
		return
	}
	l := t.ledger
	h.Row.FirstSeen, h.Row.FirstAt = in.at, in.ts
	h.Row.NamedBy, h.Row.MadeUp = namedBy(h, from), from.madeUp
	l.batch.Put(table.GroupQueues, state.Mutation{Table: schema.SiteHost, TS: in.ts,
		Key: state.Key{state.Str(h.Row.Site), state.Str(string(h.Name))}})
	t.group.sites.add(schema.Site(h.Row.Site), l.now)
	l.counts.host(h)
	l.guessHost(in, h, c)
}

// insert makes the row of one new URL and, unless this is a replay (first is false), queues it.
func (t *intake) insert(in input, h *hosts.Host, c *candidate, from speaker, first bool) {
	l := t.ledger
	worth := h.Tree.Worth(c.path)
	place := policy.FirstPlace(policy.New{Kind: c.kind, Depth: c.depth, Stranger: from.origin == policy.Stranger,
		Worth: worth.Score(), Tried: worth.Tried, Breadth: l.opts.Breadth}, h.Row)
	class := place.Class
	if c.class < policy.Classes {
		class = c.class
	}
	if c.probe != "" { // until it is judged, the pages with the parameter go on costing budget
		class = min(class, policy.ClassFit)
	}
	if c.scout {
		class = min(class, policy.ClassFit+1)
	}
	if v := c.verdict; v.Fit {
		class, place.Score, place.Fit = min(class, policy.ClassFit+1), place.Score*v.Score, true
	}
	u := &url{path: c.path, at: table.PlaceOf(c.path, tierFor(h.Row, first)), row: &schema.UrlRow{
		Status: schema.UrlRow_QUEUED, Class: class, Depth: c.depth, Score: place.Score, Fit: place.Fit, Kind: c.kind, Queued: true,
		NextDue: in.now, DiscoveredAt: in.at, Source: c.source, Lastmod: c.lastmod,
		Rule: c.verdict.FitRule, Scout: c.scout, Seeded: from.origin == policy.Operator, Redirects: from.redirects,
	}}
	if c.probe != "" && c.probe == sameHost(h, from.page) { // if it is not there, it is not asked again soon
		u.row.Ends = policy.Missed
	}
	if class == policy.ClassNow && from.list {
		u.row.ListedAt = in.at
	}
	if c.interval > 0 {
		u.row.IntervalMs = l.opts.Clamp(c.kind, ms(c.interval)).Milliseconds()
	}
	if first {
		l.hosts.Append(h, class, c.path, in.ts)
	}
	l.write(h, u, tally{}, in, first)
	l.recent.Add(u.key(h))
	l.filter.Add(u.key(h))
}

// tierFor returns the newest tier of the host's rows and opens the next one if it is full. With
// count = false (a replay) it changes nothing.
func tierFor(row *schema.HostRow, count bool) int {
	newest := len(row.TierUrls) - 1
	if newest < 0 || newest < table.LastTier && row.TierUrls[newest] >= table.TierRoom(newest) {
		if !count {
			return max(newest, 0)
		}
		row.TierUrls = append(row.TierUrls, 0)
		newest++
	}
	if count {
		row.TierUrls[newest]++
	}
	return newest
}

func reasonOf(err error) string {
	var refused *schema.URLError
	if errors.As(err, &refused) {
		return refused.Reason
	}
	return schema.ErrSyntax
}

func kindOr(k schema.Kind) schema.Kind {
	if k == schema.Kind_KIND_UNSPECIFIED {
		return schema.Kind_PAGE
	}
	return k
}

// inScope reports whether Options.InScope allows the host.
func (t *intake) inScope(h *hosts.Host) bool {
	in := t.ledger.opts.InScope
	return in == nil || in(h.Name, schema.Site(h.Row.Site))
}
