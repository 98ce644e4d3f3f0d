package schedule

import (
	"context"
	"slices"

	"millrace/consumers/schedule/hosts"
	"millrace/consumers/schedule/patterns"
	"millrace/consumers/schedule/policy"
	"millrace/schema"
)

// begin loads what a host's URLs brought. learns says that the record's events are to be
// noted: the tree does not have them yet.
func (l *ledger) begin(ctx context.Context, h *hosts.Host, ts int64) (tree *patterns.Tree, learns bool, err error) {
	if tree, err = l.hosts.Patterns(ctx, h); err != nil {
		return nil, false, err
	}
	return tree, !tree.Has(ts), nil
}

// changedSince reports whether a record comes again to a host that has it, while which
// URLs are let in has changed since it came first.
func (l *ledger) changedSince(h *hosts.Host, ts int64) bool {
	return h.Row.At >= ts && h.Tree != nil && h.Tree.TurnedSince(ts)
}

// sameHost is the path of a row key of a host; "" if it is of another, or none.
func sameHost(h *hosts.Host, key string) string {
	if k := schema.RowKey(key); k.Host() == h.Name && wellFormed(k.Path()) {
		return k.Path()
	}
	return ""
}

// learnOutcome notes an answer about a URL itself. first says that it is the first one.
func (l *ledger) learnOutcome(in input, h *hosts.Host, u *url, m *schema.Outcome, first bool) {
	a, ok := answerOf(u.row, m)
	if !ok || h.Tree == nil || !h.Tree.Begin(in.ts) {
		return
	}
	h.Tree.Fetched(u.path, a, m.Bytes, first, in.now)
	l.hosts.Learnt(h)
	l.counts.fetched(in)
}

// answerOf says what an answer means to the shape of its URL; false = nothing.
func answerOf(row *schema.UrlRow, m *schema.Outcome) (patterns.Answer, bool) {
	switch m.Result {
	case schema.Outcome_OK, schema.Outcome_UNCHANGED:
		if policy.FeedLike(row.Kind) {
			return patterns.List, true
		}
		return patterns.Body, true
	case schema.Outcome_REDIRECT:
		return patterns.Redirect, true
	case schema.Outcome_GONE, schema.Outcome_TOO_BIG:
		return patterns.Missing, true
	case schema.Outcome_CLIENT_ERROR:
		return patterns.Missing, m.HttpStatus != 429
	}
	return 0, false
}

// digested is what is known of a page beside its digest.
type digested struct {
	read    bool     // it was read before,
	changed bool     // and its text is another one since
	sources []string // paths of the page that named it first, of the one that named that, …
}

// chain is how far back it is looked what led to a useful page: lists of days, months and years.
const chain = 4

// sources returns the paths of the pages that led to a URL, the nearest first, as long as they are
// of the host and of other shapes than the one before. first says that it is the page's first text;
// else none count.
func (l *ledger) sources(ctx context.Context, h *hosts.Host, u *url, first bool) ([]string, error) {
	var out []string
	for row, at := u.row, u.path; first && len(out) < chain; {
		from := sameHost(h, row.Source)
		if from == "" || h.Tree.Alike(from, u.path) || slices.Contains(out, from) {
			break
		}
		out = append(out, from)
		known, err := l.urls(ctx, h, from)
		if err != nil {
			return nil, err
		}
		if known[from] == nil || from == at {
			break
		}
		row, at = known[from].row, from
	}
	return out, nil
}

// learnDigest notes what a page's text was.
func (l *ledger) learnDigest(in input, h *hosts.Host, u *url, m *schema.Digest, d digested) {
	if h.Tree == nil || !h.Tree.Begin(in.ts) {
		return
	}
	exact := patterns.Fingerprint(m.TextHash)
	x := patterns.Text{
		Fingerprint: patterns.Fold(m.Skeleton), Exact: exact, Document: m.DropReason == "" && !m.Noindex,
		NoIndex: m.Noindex, Soft404: m.Soft_404, Fit: m.Useful, First: !d.read, Changed: d.changed, Sources: d.sources,
	}
	if x.Fingerprint == 0 {
		x.Fingerprint = exact
	}
	if m.Canonical != "" && m.Canonical != string(u.key(h)) {
		x.Document = false // another page stands for it
	}
	useful := h.Tree.Read(u.path, x, in.now)
	l.hosts.Learnt(h)
	h.Row.DropsParams = h.Tree.Drops()
	l.counts.text(in, h, x, useful)
}

// folded are the links of a record without the parameters that never change the text of
// their shape: another spelling of a known URL leads to it.
func folded(tree *patterns.Tree, wanted []candidate) []candidate {
	for i := range wanted {
		wanted[i].path = tree.Canonical(wanted[i].path)
	}
	return wanted
}

// again handles a record once more whose host has it, while which URLs are let in has
// changed since. What it queued then is in the queues; only the rows may be missing.
func (t *intake) again(ctx context.Context, in input, h *hosts.Host, wanted []candidate, from speaker) error {
	l := t.ledger
	var all []candidate
	var paths []string
	for _, c := range wanted {
		for _, path := range h.Tree.Spellings(c.path) {
			c.path = path
			all, paths = append(all, c), append(paths, path)
		}
	}
	known, err := l.known(ctx, h, paths)
	if err != nil {
		return err
	}
	waits, err := l.hosts.Waits(ctx, h, paths)
	if err != nil {
		return err
	}
	for i := range all {
		c := &all[i]
		if waits[c.path] && !known[c.path] {
			known[c.path] = true
			t.insert(in, h, c, from, false)
		}
	}
	l.front.Place(h.Lane, l.now)
	return nil
}

// probes adds the URLs that are to be tried without a parameter.
func (t *intake) probes(ctx context.Context, h *hosts.Host, unseen []candidate) ([]candidate, error) {
	var more []candidate
	var paths []string
	for _, c := range unseen {
		if path := h.Tree.Probe(c.path); path != "" && len(paths) < 2 {
			c.path = path
			more, paths = append(more, c), append(paths, path)
		}
	}
	if len(more) == 0 {
		return unseen, nil
	}
	known, err := t.ledger.known(ctx, h, paths)
	if err != nil {
		return nil, err
	}
	for _, c := range more {
		if !known[c.path] {
			unseen = append(unseen, c)
		}
	}
	return unseen, nil
}

// named are the new URLs that a record names.
type named struct {
	made   []candidate
	paths  []string // of all of them
	parent string   // path of the page that named first the one that names them; "" = it does not matter
	scout  bool     // the page that names them was asked for before others
}

// found notes what a record names: the URLs that it made, and how many of its links led to known
// ones.
func (t *intake) found(in input, h *hosts.Host, n named, from speaker, learns bool) {
	if len(n.paths) == 0 || !learns || !h.Tree.Begin(in.ts) {
		return
	}
	l := t.ledger
	source := sameHost(h, from.page)
	for _, c := range n.made {
		h.Tree.Found(c.path, source)
		h.Tree.Probed(c.path)
	}
	if source != "" {
		h.Tree.Named(source, n.paths)
		h.Tree.Met(source, n.parent, from.known)
		if t.lists(n.made, from) {
			h.Tree.Listed(source, in.now)
		}
	}
	l.hosts.Learnt(h)
}

// namedBy is what a record names, with what is known of the page that names it, if it may tell
// whether the shape of the page has an end.
func (t *intake) namedBy(ctx context.Context, h *hosts.Host, source string) (n named, err error) {
	if source == "" || !h.Tree.Doubtful(source) {
		return n, nil
	}
	known, err := t.ledger.urls(ctx, h, source)
	if u := known[source]; err == nil && u != nil {
		n.parent, n.scout = sameHost(h, u.row.Source), u.row.Scout
	}
	return n, err
}

// isScout reports whether a candidate is asked for before others; so many of its record are
// already.
func (t *intake) isScout(h *hosts.Host, c *candidate, from speaker, n named, already int) bool {
	if o := t.ledger.opts; !o.Traps || o.Breadth || from.origin != policy.OwnSite || already >= mostScouts {
		return false
	}
	source := sameHost(h, from.page)
	return (already == 0 || !h.Tree.Alike(c.path, source)) && h.Tree.Scout(c.path, source, n.scout)
}

// lists reports whether a feed or sitemap named a new page.
func (t *intake) lists(made []candidate, from speaker) bool {
	return from.list && slices.ContainsFunc(made, func(c candidate) bool { return !policy.FeedLike(c.kind) })
}
