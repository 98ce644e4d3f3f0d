package schedule

import (
	"context"
	"slices"

	"millrace/schema"
	"millrace/streams"
	"millrace/streams/state"
)

// candidate is a URL that a record names.
type candidate struct {
	index    int32 // in its record
	path     string
	kind     schema.Kind
	depth    int32
	hops     int32
	class    int32 // noClass: the scorer decides
	source   string
	lastmod  int64
	interval int64 // ms, 0 = not stated
}

// Bits of Link.rel that ask not to follow.
const hintBits = 1 | 2 | 4

// links takes the links of a page to one host. A link to a known URL writes
// nothing; it adds to the host's cash, which goes to the store with the host's
// next write.
func (t *task) links(ctx context.Context, in input, name schema.Host, m *schema.Links) error {
	for _, l := range m.Links {
		if _, ok := schema.Kind_name[int32(l.Kind)]; !ok {
			return streams.Poison("enum", "a link of kind %d", l.Kind)
		}
	}
	wanted, ok := t.admit(m)
	h, err := t.host(ctx, name)
	if err != nil {
		return err
	}
	if !t.inScope(h) {
		t.drop("scope", len(wanted))
		return nil
	}
	if ok && !h.fresh() {
		h.row.Cash += m.Cash
	}
	unseen, err := t.unseen(ctx, h, wanted)
	if err != nil {
		return err
	}
	return t.discover(ctx, in, h, unseen)
}

// unseen returns the candidates without a row, by the cheapest means that is
// certain: the links seen lately, the filter, the store.
func (t *task) unseen(ctx context.Context, h *host, wanted []candidate) ([]candidate, error) {
	var unseen, unsure []candidate
	var paths []string
	for _, c := range wanted {
		switch key := schema.JoinRowKey(h.name, c.path); {
		case t.recent.has(key):
		case t.knowsAll(h) && !t.filter.may(key):
			unseen = append(unseen, c)
		default:
			unsure, paths = append(unsure, c), append(paths, c.path)
		}
	}
	known, err := t.known(ctx, h, paths)
	if err != nil {
		return nil, err
	}
	for _, c := range unsure {
		if known[c.path] {
			t.recent.add(schema.JoinRowKey(h.name, c.path))
		} else {
			unseen = append(unseen, c)
		}
	}
	// A replay may be less sure than the first time. It must queue the same URLs
	// in the same order, or two of them would claim one place of a queue.
	slices.SortFunc(unseen, func(a, b candidate) int { return int(a.index - b.index) })
	return unseen, nil
}

// admit returns the links that the message itself does not rule out.
func (t *task) admit(m *schema.Links) ([]candidate, bool) {
	n := len(m.Links)
	switch {
	case m.Hops > maxHops:
		t.drop("hops", n)
		return nil, false
	case t.opts.MaxDepth >= 0 && m.Depth > t.opts.MaxDepth:
		t.drop("depth", n)
		return nil, false
	case m.Nofollow && !t.opts.FollowHinted:
		t.drop("nofollow", n)
		return nil, false
	}
	out := make([]candidate, 0, n)
	for i, l := range m.Links {
		switch {
		case l.Rel&hintBits != 0 && !t.opts.FollowHinted:
			t.drop("nofollow", 1)
		case !wellFormed(l.Path):
			t.drop(schema.ErrSyntax, 1)
		default:
			out = append(out, candidate{index: int32(i), path: l.Path, kind: kindOr(l.Kind),
				depth: m.Depth, hops: m.Hops, class: noClass, source: m.SourceRowKey})
		}
	}
	return out, true
}

func kindOr(k schema.Kind) schema.Kind {
	if k == schema.Kind_KIND_UNSPECIFIED {
		return schema.Kind_PAGE
	}
	return k
}

func (t *task) inScope(h *host) bool {
	return t.opts.InScope == nil || t.opts.InScope(h.name, schema.Site(h.row.Site))
}

// discover makes rows for URLs that have none: into a queue first, then counted,
// then seen (groups of writes). A record that the host's row has already is a
// replay after a crash: its queue entries are durable, so only the rows that may
// be missing are written again.
func (t *task) discover(ctx context.Context, in input, h *host, unseen []candidate) error {
	unseen = t.canonical(h, unseen)
	if len(unseen) == 0 {
		return nil
	}
	if h.fresh() {
		full, err := t.siteFull(ctx, schema.Site(h.row.Site))
		if err != nil {
			return err
		}
		if full {
			t.drop("site_hosts", len(unseen))
			return nil
		}
	}
	t.settleIn(h, in)
	first := t.touch(h, in.ts)
	for i := range unseen {
		c := &unseen[i]
		if !t.withinBudget(h.row, in.ts, c.index, first) {
			t.drop("host_budget", 1)
			continue
		}
		t.insert(in, h, c, first)
	}
	t.front.place(h.lane, t.now)
	return nil
}

// canonical keeps URLs in canonical form, each once.
func (t *task) canonical(h *host, unseen []candidate) []candidate {
	seen := make(map[string]bool, len(unseen))
	out := unseen[:0]
	for _, c := range unseen {
		if seen[c.path] {
			continue
		}
		seen[c.path] = true
		if _, err := schema.ParseRowKey(string(h.name) + c.path); err != nil {
			t.drop(schema.ErrSyntax, 1)
			continue
		}
		out = append(out, c)
	}
	return out
}

// settleIn notes a new host under its site.
func (t *task) settleIn(h *host, in input) {
	if !h.fresh() {
		return
	}
	h.row.FirstSeen, h.row.FirstAt = in.at, in.ts
	t.put(groupQueues, state.Mutation{Table: schema.SiteHost, TS: in.ts,
		Key: state.Key{state.Str(h.row.Site), state.Str(string(h.name))}})
	t.sites.add(schema.Site(h.row.Site))
	t.totals.hosts++
}

// withinBudget reports whether a new URL still fits. In a replay the host's row
// knows which record filled the budget, and which of its URLs was the first too
// many.
func (t *task) withinBudget(row *schema.HostRow, ts int64, index int32, first bool) bool {
	full := t.opts.URLsPerHost > 0 && urlCount(row) >= t.opts.URLsPerHost
	switch {
	case !first:
		return row.FullAt == 0 || ts < row.FullAt || ts == row.FullAt && index < row.FullIndex
	case !full:
		row.FullAt = 0
	case row.FullAt == 0:
		row.FullAt, row.FullIndex = ts, index
	}
	return !full
}

func urlCount(row *schema.HostRow) int64 {
	n := int64(0)
	for _, t := range row.TierUrls {
		n += t
	}
	return n
}

// insert makes one URL.
func (t *task) insert(in input, h *host, c *candidate, first bool) {
	class, score := t.group.scorer.score(c, h.row)
	if c.class < classes {
		class = c.class
	}
	tier := t.tierFor(h.row, first)
	u := &url{path: c.path, at: place{tier, bucketOf(c.path, tier)}, row: &schema.UrlRow{
		Status: schema.UrlRow_QUEUED, Class: class, Depth: c.depth, Score: score, Kind: c.kind,
		NextDue: in.now, DiscoveredAt: in.at, Hops: c.hops, Source: c.source, Lastmod: c.lastmod,
	}}
	if c.interval > 0 {
		u.row.IntervalMs = t.opts.clamp(c.kind, ms(c.interval)).Milliseconds()
	}
	if first {
		t.append(h, class, c.path, in.ts)
	}
	t.write(h, u, tally{}, in, first)
	t.recent.add(u.key(h))
	t.filter.add(u.key(h))
}

// tierFor is the newest tier, a new one if that is full. A replay counts
// nothing.
func (t *task) tierFor(row *schema.HostRow, count bool) int {
	newest := len(row.TierUrls) - 1
	if newest < 0 || newest < lastTier && row.TierUrls[newest] >= tierRoom(newest) {
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
