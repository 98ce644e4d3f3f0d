package policy

import (
	"bytes"
	"time"

	"millrace/schema"
)

// slot is the step of the calendar: a re-crawl is not moved within it.
const slot = 10 * time.Minute

// Digest applies what extract learnt of a page. Two digests of the same attempt and edition with
// different texts mean that the attempt was repeated and got another page: the URL is fetched again
// to decide.
func (o *Options) Digest(row *schema.UrlRow, host *schema.HostRow, m *schema.Digest, key schema.RowKey, now int64) Effects {
	document := m.DropReason == "" && !m.Noindex
	switch {
	case m.Rev < row.DigestRev || m.Rev == row.DigestRev && m.Edition < row.DigestEdition:
		return Effects{Verdict: Stale}
	case m.Rev < row.Rev && Ended(row.Status):
		return Effects{Verdict: Stale}
	case m.Rev == row.DigestRev && m.Edition == row.DigestEdition:
		if bytes.Equal(m.TextHash, row.TextHash) {
			return Effects{Verdict: Repeated}
		}
		DropValidators(row)
		e := postpone(row, now, ClassRetry)
		e.Verdict = Disputed
		return e
	}
	again, seen := m.Rev > row.DigestRev, seenAs(row)
	noteEnd(row, m, now)
	row.DigestRev, row.DigestEdition = m.Rev, m.Edition
	row.TextHash, row.Useful, row.Lang = m.TextHash, m.Useful, m.Lang
	row.HadPage, row.Reason = document, noDocument(m)
	alias := m.Canonical != "" && m.Canonical != string(key)
	if document && !alias {
		row.DocRev = m.Rev
	} else if row.EtagRev <= m.Rev {
		DropValidators(row)
	}
	if !again {
		return Effects{}
	}
	if seen.rev > 0 {
		confirm(row, host, m.Rev, seen.text != string(m.TextHash))
	}
	return o.compare(row, host, seen, key, now)
}

// sight holds the values that are compared between two digests of a page; text is empty if it made
// no document.
type sight struct {
	rev  int64
	text string
}

func seenAs(row *schema.UrlRow) sight { return sight{row.DigestRev, string(row.TextHash)} }

// compare learns from whether the text has changed, and moves the next re-crawl if the outcome of
// this attempt has set it already.
func (o *Options) compare(row *schema.UrlRow, host *schema.HostRow, before sight, key schema.RowKey, now int64) Effects {
	if FeedLike(row.Kind) {
		return Effects{}
	}
	at := now
	if row.Rev == row.DigestRev && row.FetchedAt > 0 {
		at = row.FetchedAt
	}
	after := seenAs(row)
	switch {
	case before.rev == 0:
		row.LookedAt, row.ToldAt = at, 0
		if due := untilEnd(row, row.NextDue, now); isPage(row.Kind) && row.NextDue > now && due == row.NextDue {
			return Effects{} // its first re-crawl is planned
		}
	case isPage(row.Kind):
		o.looked(row, host, before.text != after.text, key, at, now)
	default:
		o.observe(row, before.text != after.text)
	}
	never := row.NextDue == 0
	if row.Rev != row.DigestRev || row.Status != schema.UrlRow_FETCHED || row.NextDue <= now && !never {
		return Effects{}
	}
	due := o.nextCrawl(row, host, key, now)
	if never && !o.Unasked(row, host, key, now) {
		return Effects{}
	}
	if due/slot.Milliseconds() == row.NextDue/slot.Milliseconds() {
		return Effects{}
	}
	return postpone(row, due, recrawlClass(row))
}

// Ended reports whether URLs of this status have no document (any more).
func Ended(s schema.UrlRow_Status) bool {
	return s != schema.UrlRow_QUEUED && s != schema.UrlRow_FETCHED
}

// noDocument returns the reason for which a page became no document; "" if it did.
func noDocument(m *schema.Digest) string {
	if m.DropReason == "" && m.Noindex {
		return "noindex"
	}
	return m.DropReason
}
