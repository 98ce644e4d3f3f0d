package schedule

import (
	"context"
	"slices"

	"millrace/consumers/schedule/hosts"
	"millrace/consumers/schedule/patterns"
	"millrace/consumers/schedule/policy"
	"millrace/schema"
)

// changedSince reports whether this record is a replay for the host, and the patterns have changed
// since, at or after the record, which URLs they let in. Then the replay cannot decide again as the
// first time did.
func (l *ledger) changedSince(h *hosts.Host, ts int64) bool {
	return h.Row.At >= ts && h.Tree != nil && h.Tree.TurnedSince(ts)
}

// sameHost returns the path of a row key of this host; "" for one of another host or an invalid
// one.
func sameHost(h *hosts.Host, key string) string {
	if k := schema.RowKey(key); k.Host() == h.Name && wellFormed(k.Path()) {
		return k.Path()
	}
	return ""
}

// learnOutcome notes an answer about a URL itself in the host's patterns. first says that the URL
// had none before.
func (l *ledger) learnOutcome(in input, h *hosts.Host, u *url, m *schema.Outcome, first bool) {
	a, ok := answerOf(u.row, m)
	if !ok || h.Tree == nil || !h.Tree.Begin(in.ts) {
		return
	}
	h.Tree.Fetched(u.path, a, m.Bytes, first, in.now)
	l.hosts.Learnt(h)
	l.counts.fetched(in)
}

// answerOf returns what an answer means for the shape of its URL; false = nothing.
func answerOf(row *schema.UrlRow, m *schema.Outcome) (patterns.Answer, bool) {
	switch m.Result {
	case schema.Outcome_OK, schema.Outcome_UNCHANGED:
		if policy.FeedLike(row.Kind) {
			return patterns.List, true
		}
		if row.DigestRev > 0 {
			return patterns.Judged, true
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

// digested holds what the frontier knows of a page besides its digest.
type digested struct {
	read     bool     // it had a digest before,
	answered bool     // its answer was handled before
	changed  bool     // it was read, and its text has changed since
	sources  []string // see ledger.sources
	twins    []comparison
}

// chain is the most pages that sources returns: enough for lists of days, months and years.
const chain = 4

// sources returns the paths of the pages that led to a URL: the one that named it first, the one
// that named that, and so on. It stops at a page of another host, at one of the URL's own shape,
// and at a repetition. With first = false (the page was read before) it returns none.
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

// learnDigest notes the text of a page in the host's patterns.
func (l *ledger) learnDigest(in input, h *hosts.Host, u *url, m *schema.Digest, d digested) {
	if h.Tree == nil || !h.Tree.Begin(in.ts) {
		return
	}
	exact := patterns.Fingerprint(m.TextHash)
	x := patterns.Text{
		Fingerprint: patterns.Fold(m.Skeleton), Exact: exact, Document: m.DropReason == "" && !m.Noindex,
		NoIndex: m.Noindex, Soft404: m.Soft_404, Fit: m.Useful, First: !d.read, Awaited: d.answered, Changed: d.changed, Sources: d.sources,
	}
	if x.Fingerprint == 0 {
		x.Fingerprint = exact
	}
	if namesAnother(m.Canonical, u.key(h), schema.Site(h.Row.Site)) {
		x.Document = false
	}
	useful := h.Tree.Read(u.path, x, in.now)
	for _, c := range d.twins {
		h.Tree.Compared(c.twin, exact, c.same)
	}
	l.hosts.Learnt(h)
	if useful && h.Row.FirstText == 0 {
		h.Row.FirstText = x.Fingerprint
		l.sums.addText(schema.Site(h.Row.Site), h.Name, x.Fingerprint)
	}
	h.Row.DropsParams = h.Tree.Drops()
	l.counts.text(in, h, x, useful)
}

// namesAnother reports whether the canonical link of a page names another page of its site, which
// is crawled for it. A page of another site may never be: then this one stands in the index.
func namesAnother(canonical string, own schema.RowKey, site schema.Site) bool {
	key := schema.RowKey(canonical)
	return canonical != "" && key != own && schema.SiteOf(key.Host().Name()) == site
}

// folded removes from links the parameters that never change the text of their shape, so that other
// spellings of a known URL lead to that URL.
func folded(tree *patterns.Tree, wanted []candidate) []candidate {
	for i := range wanted {
		wanted[i].path = tree.Canonical(wanted[i].path)
	}
	return wanted
}

// again handles a replayed record after the patterns have changed (changedSince). What the record
// queued the first time is in the queues; the rows of those URLs that are missing are written.
// Nothing else is let in.
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
	if source := sameHost(h, from.page); source != "" && len(wanted) > 0 {
		if c := wanted[0]; patterns.Invent(source) != "" {
			c.path, c.probe, c.kind, c.class = patterns.Invent(source), source, schema.Kind_PAGE, noClass
			all, paths = append(all, c), append(paths, c.path)
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

// probes adds at most two URLs without a parameter that seems to change nothing
// (patterns.Tree.Probe), and one of the naming page's shape that nobody named
// (patterns.Tree.Guess), if they are not known.
func (t *intake) probes(ctx context.Context, h *hosts.Host, unseen []candidate, source string) ([]candidate, error) {
	var more []candidate
	var paths []string
	for _, c := range unseen {
		if path := h.Tree.Probe(c.path); path != "" && len(paths) < 2 {
			c.path, c.probe = path, c.path
			more, paths = append(more, c), append(paths, path)
		}
	}
	if c, ok := guess(h, unseen, source); ok && t.ledger.opts.Traps {
		more, paths = append(more, c), append(paths, c.path)
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
			t.ledger.drop(probeMade, 1)
			unseen = append(unseen, c)
		}
	}
	return unseen, nil
}

// guess returns a URL that nobody named, made of the page that names new URLs; false = none is
// needed. It stands at the place of the first of them in the record.
func guess(h *hosts.Host, unseen []candidate, source string) (candidate, bool) {
	if source == "" {
		return candidate{}, false
	}
	path := h.Tree.Guess(source)
	c := unseen[0]
	c.path, c.probe, c.kind, c.class = path, source, schema.Kind_PAGE, noClass
	return c, path != ""
}

// invented notes the new URLs that a page names which nobody named. They are not let in.
func (l *ledger) invented(in input, h *hosts.Host, source string, unseen []candidate) {
	if h.Tree.Begin(in.ts) {
		h.Tree.GuessNamed(source, pathsOfNew(unseen))
		l.hosts.Learnt(h)
	}
}

// guessAgain handles a replayed record whose links are known all: the row of the URL that was made
// up for it may be missing still.
func (t *intake) guessAgain(ctx context.Context, in input, h *hosts.Host, wanted []candidate, from speaker) error {
	source := sameHost(h, from.page)
	if h.Row.At < in.ts || !t.ledger.opts.Traps || source == "" || len(wanted) == 0 {
		return nil
	}
	tree, err := t.ledger.hosts.Patterns(ctx, h)
	if err != nil || !tree.MadeUp(patterns.Invent(source)) {
		return err
	}
	return t.again(ctx, in, h, wanted, from)
}

// named are the new URLs of a record, for the host's patterns.
type named struct {
	made   []candidate
	paths  []string // of all new URLs, made or dropped
	parent string   // path of the page that first named the naming page; "" = unknown or not needed
	scout  bool     // the naming page was a scout
}

// found notes in the host's patterns the new URLs of a record and its links to known URLs.
func (t *intake) found(in input, h *hosts.Host, n named, from speaker, learns bool) {
	if len(n.paths) == 0 || !learns || !h.Tree.Begin(in.ts) {
		return
	}
	l := t.ledger
	source := sameHost(h, from.page)
	for _, c := range n.made {
		h.Tree.Found(c.path, source)
		switch c.probe {
		case "":
		case source:
			h.Tree.Guessed(c.path)
		default:
			h.Tree.Probed(c.probe)
		}
	}
	if source != "" {
		h.Tree.Brought(source, pathsOfNew(n.made))
		h.Tree.Named(source, n.paths)
		h.Tree.Met(source, n.parent, from.known)
		if t.lists(n.made, from) {
			h.Tree.Listed(source, in.now)
		}
	}
	l.hosts.Learnt(h)
}

func pathsOfNew(made []candidate) []string {
	paths := make([]string, len(made))
	for i, c := range made {
		paths[i] = c.path
	}
	return paths
}

// namedBy returns a named with what is known of the page that names the URLs. It reads the page's
// row only if the patterns doubt whether the page's shape is endless.
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

// isScout reports whether a candidate is queued before others as a scout. already is the number of
// scouts of this record so far.
func (t *intake) isScout(h *hosts.Host, c *candidate, from speaker, n named, already int) bool {
	if o := t.ledger.opts; !o.Traps || o.Breadth || from.origin != policy.OwnSite || already >= mostScouts {
		return false
	}
	source := sameHost(h, from.page)
	return (already == 0 || !h.Tree.Alike(c.path, source)) && h.Tree.Scout(c.path, source, n.scout)
}

// lists reports whether a feed or sitemap named at least one new page.
func (t *intake) lists(made []candidate, from speaker) bool {
	return from.list && slices.ContainsFunc(made, func(c candidate) bool { return !policy.FeedLike(c.kind) })
}
