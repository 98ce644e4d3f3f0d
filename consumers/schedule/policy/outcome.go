package policy

import (
	"strings"
	"time"

	"millrace/consumers/rules"
	"millrace/schema"
)

// Effects is what a record means beyond its URL's row.
type Effects struct {
	Verdict Verdict
	Due     int64              // when the URL is to be fetched again; 0 = as before, or never
	Class   int32              // and in which class
	Gone    schema.Gone_Reason // its document ends; 0 = it does not
	Page    bool               // a page came
}

// Verdict says how a record stands to its URL's row.
type Verdict uint8

// The verdicts.
const (
	Applied   Verdict = iota
	Stale             // of an attempt before the last one applied
	Repeated          // applied before
	Disputed          // the last attempt, with another answer: fetched again to decide
	Forgotten         // of a URL that an operator removed
)

// Outcome applies the result of a fetch to a URL's row, and what it tells of changes to
// its host's. It depends on nothing but its arguments. now is the record's time.
func (o *Options) Outcome(row *schema.UrlRow, host *schema.HostRow, m *schema.Outcome, key schema.RowKey, now int64) Effects {
	v := judge(row, m)
	if v != Applied {
		return unmerged(v, row, m, now)
	}
	row.Rev, row.Result = m.Rev, m.Result
	row.HttpStatus, row.ErrorKind = m.HttpStatus, m.ErrorKind
	switch {
	case m.Result == schema.Outcome_DEFERRED:
		return postpone(row, max(m.Until, now), m.Class)
	case hostTrouble(m):
		return o.awaitHost(row, m, key, now)
	}
	row.Waits, row.AskedAt = 0, now
	return o.answer(row, host, m, key, now)
}

// answer applies an answer that is about the URL itself.
func (o *Options) answer(row *schema.UrlRow, host *schema.HostRow, m *schema.Outcome, key schema.RowKey, now int64) Effects {
	switch m.Result {
	case schema.Outcome_OK:
		return o.fetched(row, host, m, key, now)
	case schema.Outcome_UNCHANGED:
		return o.unchanged(row, host, m, key, now)
	case schema.Outcome_REDIRECT:
		row.RedirectTo = m.RedirectTo
		every := o.MaxInterval
		if temporary(m.HttpStatus) {
			every = o.Interval
		}
		return o.end(row, ending{schema.UrlRow_REDIRECTED, "redirect", schema.Gone_REDIRECT, spans(every)}, key, now)
	case schema.Outcome_GONE:
		again := spans(time.Hour, day, week)
		if m.HttpStatus == 410 {
			again = spans(week)
		}
		return o.end(row, ending{schema.UrlRow_GONE, "not_found", schema.Gone_NOT_FOUND, again}, key, now)
	case schema.Outcome_ROBOTS:
		return o.end(row, ending{schema.UrlRow_REFUSED, "robots", schema.Gone_ROBOTS, spans(day, week)}, key, now)
	case schema.Outcome_SSRF:
		return o.end(row, ending{schema.UrlRow_REFUSED, "ssrf", schema.Gone_FAILURES, spans(week)}, key, now)
	case schema.Outcome_REFUSED:
		return o.refused(row, m, key, now)
	case schema.Outcome_TOO_BIG:
		return o.end(row, ending{schema.UrlRow_DROPPED, "too_big", schema.Gone_FAILURES, spans(week)}, key, now)
	}
	return o.failed(row, m, key, now)
}

// judge compares versions. An attempt that was only deferred has no answer yet,
// so that an answer of the same attempt (it was taken up again after a crash) is
// its first one.
func judge(row *schema.UrlRow, m *schema.Outcome) Verdict {
	switch {
	case m.Rev < row.Rev:
		return Stale
	case row.Status == schema.UrlRow_FORGOTTEN:
		return Forgotten
	case m.Rev > row.Rev:
		return Applied
	case row.Result == schema.Outcome_DEFERRED && m.Result != schema.Outcome_DEFERRED,
		row.Result == schema.Outcome_UNSPECIFIED:
		return Applied
	case m.Result == schema.Outcome_DEFERRED,
		m.Result == row.Result && m.HttpStatus == row.HttpStatus && m.RedirectTo == redirectOf(row, m):
		return Repeated
	}
	return Disputed
}

// unmerged handles outcomes that say nothing new of the URL.
func unmerged(v Verdict, row *schema.UrlRow, m *schema.Outcome, now int64) Effects {
	e := Effects{}
	switch v {
	case Disputed: // two answers to one attempt: neither is believed
		DropValidators(row)
		e = postpone(row, now, ClassRetry)
	case Forgotten:
		if m.Rev >= row.Rev && m.Result == schema.Outcome_OK { // its document would come back
			row.Rev = m.Rev + 1
			row.GoneRev = row.Rev
			e.Gone = row.GoneReason
		}
	}
	e.Verdict = v
	return e
}

// hostTrouble reports outcomes that are about the host or the way to it, not the
// URL.
func hostTrouble(m *schema.Outcome) bool {
	switch m.Result {
	case schema.Outcome_NETWORK, schema.Outcome_SERVER_ERROR:
		return true
	case schema.Outcome_ROBOTS:
		return m.GetHostNotice().GetRobots() == schema.HostNotice_UNREACHABLE
	case schema.Outcome_CLIENT_ERROR:
		return m.HttpStatus == 429
	}
	return false
}

// Pauses of a URL whose host is in trouble: up to a quarter of a day for the first
// tries (about two days), then a day, then a week. A host's own block, which fetch
// keeps, counts beside them.
const (
	troubleShort = 6 * time.Hour
	triesShort   = 12
	triesDaily   = 20
)

// awaitHost puts a URL back until its host may be better. It counts the tries in
// Waits, which end nothing: they only make the pauses longer.
func (o *Options) awaitHost(row *schema.UrlRow, m *schema.Outcome, key schema.RowKey, now int64) Effects {
	row.Waits++
	most, class := troubleShort, int32(ClassRetry)
	switch {
	case row.Waits > triesDaily:
		most, class = week, ClassRecrawl+1
	case row.Waits > triesShort:
		most, class = day, ClassRecrawl+1
	}
	if !isPage(row.Kind) {
		most = min(most, max(o.MaxFeed, day))
	}
	pause := o.retryAfter(row.Waits, most, key, row.Rev)
	return postpone(row, max(m.Until, m.GetHostNotice().GetBlockedUntil(), now+pause), class)
}

// postpone sets when a URL is due.
func postpone(row *schema.UrlRow, due int64, class int32) Effects {
	row.NextDue, row.Class = due, class
	return Effects{Due: due, Class: class}
}

func (o *Options) fetched(row *schema.UrlRow, host *schema.HostRow, m *schema.Outcome, key schema.RowKey, now int64) Effects {
	had := row.HadPage
	learnKind(row, m.Served)
	row.Status, row.Fails, row.Ends, row.RedirectTo = schema.UrlRow_FETCHED, 0, 0, ""
	if !row.Fit {
		row.Rule = ""
	}
	row.Etag, row.LastModified, row.EtagRev = m.Etag, m.LastModified, m.Rev
	row.FetchedAt, row.Bytes, row.ListedAt = answered(m, now), m.Bytes, 0
	if row.DigestRev != m.Rev { // else the Digest was first, and has said whether there is a document
		row.HadPage = makesDocument(row.Kind)
	}
	if row.HadPage {
		row.Reason = ""
	} else if FeedLike(row.Kind) {
		row.Reason = strings.ToLower(row.Kind.String())
	}
	e := o.recrawl(row, host, key, now)
	e.Page = makesDocument(row.Kind)
	if had && !e.Page { // it serves a feed now: extract will not hear of it
		e.Gone, row.HadPage = schema.Gone_NOT_HTML, false
		row.GoneRev, row.GoneReason = row.Rev, e.Gone
	}
	return e
}

// learnKind takes over what a URL turned out to serve. A hub is a page too.
func learnKind(row *schema.UrlRow, served schema.Kind) {
	if served == schema.Kind_KIND_UNSPECIFIED || served == row.Kind ||
		served == schema.Kind_PAGE && row.Kind == schema.Kind_HUB {
		return
	}
	row.Kind, row.IntervalMs, row.TextHash, row.Bytes = served, 0, nil, 0
	row.Feed, row.FreshShape, row.FreshScale, row.LookedAt, row.ToldAt, row.Checks, row.Changes = nil, 0, 0, 0, 0, 0, 0
}

// unchanged is 304. To a request without validators it is no answer at all.
func (o *Options) unchanged(row *schema.UrlRow, host *schema.HostRow, m *schema.Outcome, key schema.RowKey, now int64) Effects {
	if row.Etag == "" && row.LastModified == "" {
		return o.failed(row, m, key, now)
	}
	row.Status, row.Fails, row.Ends, row.FetchedAt = schema.UrlRow_FETCHED, 0, 0, answered(m, now)
	switch {
	case isPage(row.Kind):
		o.looked(row, host, false, key, row.FetchedAt)
	case FeedLike(row.Kind):
		o.polled(row, nil, row.FetchedAt)
	default:
		o.observe(row, false)
	}
	return o.recrawl(row, host, key, now)
}

// recrawl sets the time of the next re-crawl.
func (o *Options) recrawl(row *schema.UrlRow, host *schema.HostRow, key schema.RowKey, now int64) Effects {
	return postpone(row, o.nextCrawl(row, host, key, now), recrawlClass(row))
}

// refused ends a URL that operators decided against: for good if they had it removed, else until
// they decide otherwise; then it is asked about again within a week.
func (o *Options) refused(row *schema.UrlRow, m *schema.Outcome, key schema.RowKey, now int64) Effects {
	row.Rule = m.Rule
	if m.ErrorKind != rules.Forgotten {
		return o.end(row, ending{schema.UrlRow_DROPPED, m.ErrorKind, schema.Gone_RULE, spans(week)}, key, now)
	}
	e := o.end(row, ending{schema.UrlRow_FORGOTTEN, rules.Forgotten, schema.Gone_FORGOTTEN, nil}, key, now)
	row.NextDue = 0
	return Effects{Gone: e.Gone}
}

// failed counts a failure of the URL's own. The last one ends the URL for a day,
// then a week, then a month at a time.
func (o *Options) failed(row *schema.UrlRow, m *schema.Outcome, key schema.RowKey, now int64) Effects {
	row.Fails++
	if row.Fails >= o.MaxFailures {
		return o.end(row, ending{schema.UrlRow_FAILED, failure(m.Result), schema.Gone_FAILURES, spans(day, week)}, key, now)
	}
	return postpone(row, max(m.Until, now+o.retryAfter(row.Fails, day, key, row.Rev)), ClassRetry)
}

// ending is how a URL stops being a document.
type ending struct {
	status schema.UrlRow_Status
	reason string
	gone   schema.Gone_Reason
	again  []time.Duration // when it is asked again, time after time; then every MaxInterval
}

const (
	day  = 24 * time.Hour
	week = 7 * day
)

func spans(list ...time.Duration) []time.Duration { return list }

// end closes a URL's life as a document, and says when it is asked again.
func (o *Options) end(row *schema.UrlRow, how ending, key schema.RowKey, now int64) Effects {
	row.Status, row.Reason = how.status, how.reason
	row.LookedAt, row.ToldAt = 0, 0 // what it is when it comes back is another text
	every := o.MaxInterval
	if int(row.Ends) < len(how.again) {
		every = min(how.again[row.Ends], o.MaxInterval)
	}
	row.Ends++
	e := Effects{}
	if row.NextDue = 0; o.Interval > 0 {
		e = postpone(row, now+jitter(every.Milliseconds(), key, row.Rev), ClassRecrawl+1)
	}
	if row.HadPage {
		e.Gone = how.gone
		row.GoneRev, row.GoneReason = row.Rev, how.gone
	}
	row.HadPage = false
	DropValidators(row)
	return e
}

// Aside ends a URL that was never asked for because URLs of its shape bring nothing new.
// It is looked at again as rarely as what a 404 has ended.
func (o *Options) Aside(row *schema.UrlRow, key schema.RowKey, now int64) Effects {
	every := spans(o.MaxInterval)
	return o.end(row, ending{schema.UrlRow_DROPPED, ReasonTrap, schema.Gone_UNSPECIFIED, every}, key, now)
}

// ReasonTrap is why a URL is put aside, or not made: its shape has used up its budget.
const ReasonTrap = "trap"

// DropValidators makes the next request of a URL unconditional.
func DropValidators(row *schema.UrlRow) {
	row.Etag, row.LastModified, row.EtagRev, row.DocRev = "", "", 0, 0
}

// TrustValidators reports whether validators may be sent: only if what they stand
// for is still there. Of a page: the document made from that very answer, else a
// 304 would make its loss permanent. Feeds make no documents.
func TrustValidators(row *schema.UrlRow) bool {
	return FeedLike(row.Kind) || row.EtagRev > 0 && row.EtagRev == row.DocRev
}

// failure names the cause of a URL's end, of a closed list.
func failure(r schema.Outcome_Result) string {
	if r == schema.Outcome_UNCHANGED {
		return "bad_304"
	}
	return "client_error"
}

func answered(m *schema.Outcome, now int64) int64 {
	if m.FetchedAt > 0 {
		return m.FetchedAt
	}
	return now
}

func temporary(status int32) bool { return status == 302 || status == 303 || status == 307 }

// FeedLike reports kinds whose bodies are read for URLs and make no document.
func FeedLike(k schema.Kind) bool { return k == schema.Kind_FEED || k == schema.Kind_SITEMAP }

// makesDocument reports kinds whose bodies go to extract.
func makesDocument(k schema.Kind) bool { return !FeedLike(k) }

// retryAfter is the pause before try n+1: each five times the one before, at most
// most.
func (o *Options) retryAfter(n int32, most time.Duration, key schema.RowKey, rev int64) int64 {
	pause := o.RetryDelay
	for i := int32(1); i < n && pause < most; i++ {
		pause *= 5
	}
	return jitter(min(pause, most).Milliseconds(), key, rev)
}

// redirectOf is where the row's redirect goes, if both are redirects.
func redirectOf(row *schema.UrlRow, m *schema.Outcome) string {
	if m.Result == schema.Outcome_REDIRECT {
		return row.RedirectTo
	}
	return m.RedirectTo
}
