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

// learnDigest notes what a page's text was. read says that its page was read before, and
// changed that the text is another one since.
func (l *ledger) learnDigest(in input, h *hosts.Host, u *url, m *schema.Digest, read, changed bool) {
	if h.Tree == nil || !h.Tree.Begin(in.ts) {
		return
	}
	exact := patterns.Fingerprint(m.TextHash)
	x := patterns.Text{
		Fingerprint: patterns.Fold(m.Skeleton), Exact: exact, Document: m.DropReason == "" && !m.Noindex,
		NoIndex: m.Noindex, Soft404: m.Soft_404, Fit: m.Useful, First: !read, Changed: changed,
		Source: sameHost(h, u.row.Source),
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

// found notes the URLs that a record made, and how many of its links led to known ones.
func (t *intake) found(in input, h *hosts.Host, made []candidate, from speaker, learns bool) {
	if len(made) == 0 || !learns || !h.Tree.Begin(in.ts) {
		return
	}
	l := t.ledger
	source := sameHost(h, from.page)
	for _, c := range made {
		h.Tree.Found(c.path, source)
		h.Tree.Probed(c.path)
	}
	if source != "" {
		h.Tree.Met(source, from.known)
		if t.lists(made, from) {
			h.Tree.Listed(source, in.now)
		}
	}
	l.hosts.Learnt(h)
}

// lists reports whether a feed or sitemap named a new page.
func (t *intake) lists(made []candidate, from speaker) bool {
	return from.list && slices.ContainsFunc(made, func(c candidate) bool { return !policy.FeedLike(c.kind) })
}
