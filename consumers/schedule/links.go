package schedule

import (
	"context"
	"fmt"
	"slices"

	"millrace/consumers/schedule/hosts"
	"millrace/consumers/schedule/policy"
	"millrace/schema"
	"millrace/streams"
)

// hintBits are the bits of Link.rel for nofollow, ugc and sponsored.
const hintBits = 1 | 2 | 4

// mostRedirects is how many redirects in a row may lead to a URL of another site than the last of
// them is on, as in browsers (WHATWG Fetch, 4.4). Within a site redirects cost the budget of their
// shape, and hosts of a site are bounded; a chain over sites has no such bound.
const mostRedirects = 20

// links handles the links of one page to one host. A link to a known URL writes nothing.
func (t *intake) links(ctx context.Context, in input, name schema.Host, m *schema.Links) error {
	for _, link := range m.Links {
		if _, ok := schema.Kind_name[int32(link.Kind)]; !ok {
			return streams.DeadLetter("enum", "a link of kind %d", link.Kind)
		}
	}
	l := t.ledger
	wanted := t.admit(m)
	h, err := l.hosts.Get(ctx, name)
	if err != nil {
		return err
	}
	if !t.inScope(h) {
		l.drop("scope", len(wanted))
		return nil
	}
	wanted = t.rewriteLinks(in, h, m, wanted)
	from := speaker{origin: policy.Stranger, site: m.SourceSite, page: m.SourceRowKey, redirects: m.Redirects}
	if m.SourceSite == h.Row.Site {
		from.origin = policy.OwnSite
	}
	if from.origin == policy.Stranger && m.Redirects > mostRedirects {
		l.drop("redirects", len(wanted))
		return nil
	}
	if h.Row.DropsParams && l.opts.Traps {
		if _, err := l.hosts.Patterns(ctx, h); err != nil {
			return err
		}
		if !l.changedSince(h, in.ts) {
			wanted = folded(h.Tree, wanted)
		}
	}
	unseen, err := t.unseen(ctx, h, wanted)
	if err != nil {
		return err
	}
	l.drop(knownLink, len(wanted)-len(unseen))
	if len(unseen) == 0 {
		if err := t.guessAgain(ctx, in, h, wanted, from); err != nil {
			return err
		}
		return t.nearer(ctx, in, h, wanted)
	}
	if from.origin == policy.Stranger {
		for i := range unseen {
			unseen[i] = unseen[i].plain()
		}
	}
	from.known = knownOf(wanted, unseen)
	if err := t.discover(ctx, in, h, from, unseen, m.Cash); err != nil {
		return err
	}
	return t.nearer(ctx, in, h, wanted)
}

// nearer applies what links say of the depth of known URLs. Only with a bound on depth it reads
// their rows, and each only once for a depth while memory lasts.
func (t *intake) nearer(ctx context.Context, in input, h *hosts.Host, linked []candidate) error {
	l := t.ledger
	if l.opts.MaxDepth < 0 {
		return nil
	}
	within := func(c candidate) schema.RowKey { // a blank is in no row key
		return schema.RowKey(fmt.Sprintf("%s %d", schema.JoinRowKey(h.Name, c.path), c.depth))
	}
	var paths []string
	depth := int32(0)
	for _, c := range linked {
		if !l.recent.Has(within(c)) {
			paths, depth = append(paths, c.path), c.depth // all links of a record have one depth
		}
	}
	known, err := l.urls(ctx, h, paths...)
	if err != nil {
		return err
	}
	for _, path := range paths {
		u := known[path]
		if u == nil || u.row.At >= in.ts {
			continue
		}
		l.recent.Add(within(candidate{path: path, depth: depth}))
		before := tallyOf(u.row)
		e, changed := l.opts.Nearer(u.row, depth, in.now)
		if !changed {
			continue
		}
		first := l.hosts.Touch(h, in.ts)
		l.queueUp(in, h, u, e.Due, e.Class, first)
		l.write(h, u, before, in, first)
		l.front.Place(h.Lane, l.now)
	}
	return nil
}

// knownOf returns the paths of the candidates that have a row, at most 64.
func knownOf(wanted, unseen []candidate) []string {
	fresh := make(map[int32]bool, len(unseen))
	for _, c := range unseen {
		fresh[c.index] = true
	}
	var out []string
	for _, c := range wanted {
		if !fresh[c.index] && len(out) < 64 {
			out = append(out, c.path)
		}
	}
	return out
}

// unseen returns the candidates that have no row. It asks, from cheap to expensive: the links seen
// lately, the Bloom filter, the store.
func (t *intake) unseen(ctx context.Context, h *hosts.Host, wanted []candidate) ([]candidate, error) {
	l := t.ledger
	var unseen, unsure []candidate
	var paths []string
	for _, c := range wanted {
		switch key := schema.JoinRowKey(h.Name, c.path); {
		case l.recent.Has(key):
		case l.knowsAll(h) && !l.filter.May(key):
			unseen = append(unseen, c)
		default:
			unsure, paths = append(unsure, c), append(paths, c.path)
		}
	}
	known, err := l.known(ctx, h, paths)
	if err != nil {
		return nil, err
	}
	for _, c := range unsure {
		if known[c.path] {
			l.recent.Add(schema.JoinRowKey(h.Name, c.path))
		} else {
			unseen = append(unseen, c)
		}
	}
	// On a replay the memory knows less, so the order of this list may differ. The same URLs must
	// be queued in the same order, or two of them would get the same position in a queue.
	slices.SortFunc(unseen, func(a, b candidate) int { return int(a.index - b.index) })
	return unseen, nil
}

// knowsAll reports whether this owner's filter has every URL of a host: the host is newer than the
// owner.
func (l *ledger) knowsAll(h *hosts.Host) bool { return l.began > 0 && h.Row.FirstAt > l.began }

// admit returns the links that may be followed by their message alone. It drops those too
// deep, marked nofollow, or with a malformed path.
func (t *intake) admit(m *schema.Links) []candidate {
	l, n := t.ledger, len(m.Links)
	switch {
	case l.opts.MaxDepth >= 0 && m.Depth > l.opts.MaxDepth:
		l.drop("depth", n)
		return nil
	case m.Nofollow && !l.opts.FollowHinted:
		l.drop("nofollow", n)
		return nil
	}
	out := make([]candidate, 0, n)
	for i, link := range m.Links {
		switch {
		case link.Rel&hintBits != 0 && !l.opts.FollowHinted:
			l.drop("nofollow", 1)
		case !wellFormed(link.Path):
			l.drop(schema.ErrSyntax, 1)
		default:
			out = append(out, candidate{index: int32(i), path: link.Path, kind: kindOr(link.Kind),
				depth: m.Depth, class: noClass, source: m.SourceRowKey})
		}
	}
	return out
}
