package schedule

import (
	"bytes"
	"context"

	"millrace/schema"
)

// digest applies what extract learnt of a page. It comes before or after the
// outcome of the same attempt.
func (t *task) digest(ctx context.Context, in input, name schema.Host, m *schema.Digest) error {
	h, u, err := t.one(ctx, name, m.RowKey)
	if err != nil {
		return err
	}
	switch {
	case u == nil:
		t.drop("unknown_url", 1)
		return nil
	case u.row.At >= in.ts:
		return nil
	}
	before := tallyOf(u.row)
	e := t.opts.learn(u.row, m, u.key(h), in.now)
	if e.verdict == stale || e.verdict == repeated {
		t.drop(map[verdict]string{stale: "stale", repeated: "repeated"}[e.verdict], 1)
		return nil
	}
	first := t.touch(h, in.ts)
	if m.Useful && e.verdict == applied && first {
		h.row.Fit++
	}
	t.again(in, h, u, e.due, e.class, first)
	t.write(h, u, before, in, first)
	t.front.place(h.lane, t.now)
	return nil
}

// learn is merge for digests. Two digests of one attempt and edition with
// different texts mean that the attempt was repeated and met another page: it is
// fetched again to decide (the arbiter rule).
func (o *Options) learn(row *schema.UrlRow, m *schema.Digest, key schema.RowKey, now int64) effects {
	document := m.DropReason == "" && !m.Noindex
	switch {
	case m.Rev < row.DigestRev || m.Rev == row.DigestRev && m.Edition < row.DigestEdition:
		return effects{verdict: stale}
	case m.Rev < row.Rev && ended(row.Status):
		return effects{verdict: stale}
	case m.Rev == row.DigestRev && m.Edition == row.DigestEdition:
		if bytes.Equal(m.TextHash, row.TextHash) {
			return effects{verdict: repeated}
		}
		dropValidators(row)
		row.NextDue, row.Class = now, classRetry
		return effects{verdict: disputed, due: now, class: classRetry}
	}
	e := effects{}
	if m.Rev > row.DigestRev {
		e = o.compare(row, m, key, now)
	}
	row.DigestRev, row.DigestEdition = m.Rev, m.Edition
	row.TextHash, row.Useful, row.Lang = m.TextHash, m.Useful, m.Lang
	row.HadPage, row.Reason = document, noDocument(m)
	alias := m.Canonical != "" && m.Canonical != string(key)
	if document && !alias {
		row.DocRev = m.Rev
	} else if row.EtagRev <= m.Rev {
		dropValidators(row)
	}
	return e
}

// compare learns from whether the text has changed, and moves the next re-crawl
// if the outcome of this attempt has set it already.
func (o *Options) compare(row *schema.UrlRow, m *schema.Digest, key schema.RowKey, now int64) effects {
	if len(row.TextHash) == 0 || feedLike(row.Kind) {
		return effects{}
	}
	o.observe(row, !bytes.Equal(row.TextHash, m.TextHash))
	if row.Rev != m.Rev || row.Status != schema.UrlRow_FETCHED || row.NextDue <= now {
		return effects{}
	}
	due := o.nextCrawl(row, key, now)
	if due/slotTime.Milliseconds() == row.NextDue/slotTime.Milliseconds() {
		return effects{}
	}
	row.NextDue, row.Class = due, recrawlClass(row)
	return effects{due: due, class: row.Class}
}

// ended reports statuses of URLs whose document, if there was one, is gone.
func ended(s schema.UrlRow_Status) bool {
	return s != schema.UrlRow_QUEUED && s != schema.UrlRow_FETCHED
}

// noDocument says why a page made no document; "" if it did.
func noDocument(m *schema.Digest) string {
	if m.DropReason == "" && m.Noindex {
		return "noindex"
	}
	return m.DropReason
}
