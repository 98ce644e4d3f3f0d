package policy

import (
	"strings"
	"time"

	"millrace/consumers/rules"
	"millrace/schema"
)

// Effects are the consequences of a record beyond the URL's row.
type Effects struct {
	Verdict Verdict
	Due     int64              // ms: when the URL is to be fetched; 0 = as before, or never
	Class   int32              // the class of that fetch
	Gone    schema.Gone_Reason // why its document ended; 0 = it did not
	Page    bool               // a page was fetched
}

// Verdict says whether a record was applied to a URL's row.
type Verdict uint8

// The verdicts.
const (
	Applied   Verdict = iota
	Stale             // of an older attempt than the last one that was applied
	Repeated          // applied before
	Disputed          // another answer to the last attempt: the URL is fetched again to decide
	Forgotten         // the URL was removed by an operator
)

// Outcome applies the result of a fetch to a URL's row, and what it tells of changes to the row of
// its host. now is the record's time.
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
	e := o.answer(row, host, m, key, now)
	if m.Depth > row.Depth && hasLinks(row) && row.Fails == 0 { // see Nearer
		e.Due, e.Class = o.again(row, now)
	}
	return e
}

// Nearer notes a shorter way to a known URL, if depth is bounded: what is reached must not depend
// on which way was found first. The links that its page or redirect brought were counted from the
// longer way, and some may have been dropped as too deep, so it is fetched again. A URL in flight
// is asked with the old depth; its outcome says so (Outcome.depth). It returns false if the row
// stays as it is.
func (o *Options) Nearer(row *schema.UrlRow, depth int32, now int64) (Effects, bool) {
	if o.MaxDepth < 0 || depth >= row.Depth || row.Status == schema.UrlRow_FORGOTTEN {
		return Effects{}, false
	}
	row.Depth = depth
	e := Effects{}
	switch {
	case !hasLinks(row):
	case row.Queued:
		DropValidators(row)
	default:
		e.Due, e.Class = o.again(row, now)
	}
	return e, true
}

// hasLinks reports whether what a URL brought led to other URLs.
func hasLinks(row *schema.UrlRow) bool {
	return row.Status == schema.UrlRow_FETCHED || row.Status == schema.UrlRow_REDIRECTED
}

// again makes a URL due, like a page that changed, without validators: a 304 has no links.
func (o *Options) again(row *schema.UrlRow, now int64) (due int64, class int32) {
	DropValidators(row)
	row.NextDue, row.Class = now, ClassRecrawl+1
	return row.NextDue, row.Class
}

// answer applies an answer about the URL itself.
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
	if m.ErrorKind == notFetchable {
		row.Fails++
		return o.end(row, ending{schema.UrlRow_FAILED, failure(m.Result), schema.Gone_FAILURES, spans(day, week)}, key, now)
	}
	return o.failed(row, m, key, now)
}

// notFetchable is the error kind of a redirect to what cannot be fetched (package fetch), such as a
// mail address: a complete answer, which soon again is the same.
const notFetchable = "url"

// judge compares the outcome's rev with that of the row. A deferred attempt has no answer yet, so
// an answer with the same rev (the record was read again after a crash) is applied.
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

// unmerged handles outcomes that are not applied.
func unmerged(v Verdict, row *schema.UrlRow, m *schema.Outcome, now int64) Effects {
	e := Effects{}
	switch v {
	case Disputed: // two answers to one attempt: neither counts
		DropValidators(row)
		e = postpone(row, now, ClassRetry)
	case Forgotten:
		if m.Rev >= row.Rev && m.Result == schema.Outcome_OK { // fetch sent the page, so the document must be removed again
			row.Rev = m.Rev + 1
			row.GoneRev = row.Rev
			e.Gone = row.GoneReason
		}
	}
	e.Verdict = v
	return e
}

// hostTrouble reports whether an outcome is about the host or the network, not the URL.
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

// Pauses of a URL whose host is in trouble: up to six hours for the first 12 tries (about two
// days), then up to a day, and after 20 tries up to a week. Fetch's own block of the host counts in
// addition.
const (
	troubleShort = 6 * time.Hour
	triesShort   = 12
	triesDaily   = 20
)

// awaitHost postpones a URL whose host is in trouble. Row.Waits counts such tries; they never end
// the URL, they only make the pauses longer.
func (o *Options) awaitHost(row *schema.UrlRow, m *schema.Outcome, key schema.RowKey, now int64) Effects {
	row.Waits++
	most, class := troubleShort, int32(ClassRetry)
	switch {
	case row.Waits > triesDaily:
		most, class = week, ClassRecrawl+1
	case row.Waits > triesShort:
		most, class = day, ClassRecrawl+1
	case m.HttpStatus/100 == 2: // the answer began and did not end: new pages of the host go first
		class = ClassRecrawl + 1
	}
	if !isPage(row.Kind) {
		most = min(most, max(o.MaxFeed, day))
	}
	pause := o.retryAfter(row.Waits, most, key, row.Rev)
	e := postpone(row, max(m.Until, m.GetHostNotice().GetBlockedUntil(), now+pause), class)
	e.Gone = overAtTrouble(row, now)
	return e
}

// postpone sets when a URL is due, and its class.
func postpone(row *schema.UrlRow, due int64, class int32) Effects {
	row.NextDue, row.Class = due, class
	return Effects{Due: due, Class: class}
}

// fetched applies an answer with a body.
func (o *Options) fetched(row *schema.UrlRow, host *schema.HostRow, m *schema.Outcome, key schema.RowKey, now int64) Effects {
	had := row.HadPage
	learnKind(row, m.Served)
	row.Status, row.Fails, row.Ends, row.RedirectTo = schema.UrlRow_FETCHED, 0, 0, ""
	if !row.Fit {
		row.Rule = ""
	}
	noteValidators(row, m)
	row.FetchedAt, row.Bytes, row.ListedAt = answered(m, now), m.Bytes, 0
	if row.DigestRev != m.Rev { // else the Digest came first and has set HadPage
		row.HadPage = makesDocument(row.Kind)
	}
	if row.HadPage {
		row.Reason = ""
	} else if FeedLike(row.Kind) {
		row.Reason = strings.ToLower(row.Kind.String())
	}
	e := o.recrawl(row, host, key, now)
	e.Page = makesDocument(row.Kind)
	if had && !e.Page { // it serves a feed now, which is not sent to extract
		e.Gone, row.HadPage = schema.Gone_NOT_HTML, false
		row.GoneRev, row.GoneReason = row.Rev, e.Gone
	}
	return e
}

// learnKind sets the kind to what the URL served. A hub stays a hub, since it serves pages too.
func learnKind(row *schema.UrlRow, served schema.Kind) {
	if served == schema.Kind_KIND_UNSPECIFIED || served == row.Kind ||
		served == schema.Kind_PAGE && row.Kind == schema.Kind_HUB {
		return
	}
	row.Kind, row.IntervalMs, row.TextHash, row.Bytes = served, 0, nil, 0
	row.Feed, row.FreshShape, row.FreshScale, row.LookedAt, row.ToldAt, row.Checks, row.Changes = nil, 0, 0, 0, 0, 0, 0
}

// robotsTag is the error kind of a 304 that forbids to index the page (package fetch).
const robotsTag = "robots_tag"

// unchanged applies a 304. If the row has no validators, a 304 is a failure. If it forbids to index
// the page, the page is asked for again without validators: what extract reads then decides.
func (o *Options) unchanged(row *schema.UrlRow, host *schema.HostRow, m *schema.Outcome, key schema.RowKey, now int64) Effects {
	if row.Etag == "" && row.LastModified == "" {
		return o.failed(row, m, key, now)
	}
	row.Status, row.Fails, row.Ends, row.FetchedAt = schema.UrlRow_FETCHED, 0, 0, answered(m, now)
	switch {
	case isPage(row.Kind):
		o.looked(row, host, false, key, row.FetchedAt, now)
	case FeedLike(row.Kind):
		o.polled(row, nil, row.FetchedAt)
	default:
		o.observe(row, false)
	}
	e := o.recrawl(row, host, key, now)
	if m.ErrorKind == robotsTag && row.HadPage {
		e.Due, e.Class = o.again(row, now)
	}
	return e
}

// recrawl sets the time of the next re-crawl.
func (o *Options) recrawl(row *schema.UrlRow, host *schema.HostRow, key schema.RowKey, now int64) Effects {
	return postpone(row, o.nextCrawl(row, host, key, now), recrawlClass(row))
}

// refused ends a URL that rules keep out. A URL that an operator removed is never fetched again;
// any other one is checked against the rules again after a week, then every MaxInterval. A page
// that is over is none of theirs (see overUnasked).
func (o *Options) refused(row *schema.UrlRow, m *schema.Outcome, key schema.RowKey, now int64) Effects {
	if m.ErrorKind == Over {
		return o.overUnasked(row, m, key, now)
	}
	row.Rule = m.Rule
	if m.ErrorKind != rules.Forgotten {
		return o.end(row, ending{schema.UrlRow_DROPPED, m.ErrorKind, schema.Gone_RULE, spans(week)}, key, now)
	}
	e := o.end(row, ending{schema.UrlRow_FORGOTTEN, rules.Forgotten, schema.Gone_FORGOTTEN, nil}, key, now)
	row.NextDue = 0
	return Effects{Gone: e.Gone}
}

// failed counts a failure of the URL itself. After MaxFailures in a row the URL ends; it is tried
// again after a day, a week, and then every MaxInterval.
func (o *Options) failed(row *schema.UrlRow, m *schema.Outcome, key schema.RowKey, now int64) Effects {
	row.Fails++
	if row.Fails >= o.MaxFailures {
		return o.end(row, ending{schema.UrlRow_FAILED, failure(m.Result), schema.Gone_FAILURES, spans(day, week)}, key, now)
	}
	return postpone(row, max(m.Until, now+o.retryAfter(row.Fails, day, key, row.Rev)), ClassRetry)
}

// ending is how a URL ends.
type ending struct {
	status schema.UrlRow_Status
	reason string
	gone   schema.Gone_Reason
	again  []time.Duration // pauses before it is fetched again, one after the other; then every MaxInterval
}

const (
	day  = 24 * time.Hour
	week = 7 * day
)

// Missed is UrlRow.ends of a URL that is asked again every MaxInterval from its first end on.
const Missed = 3

func spans(list ...time.Duration) []time.Duration { return list }

// end ends a URL and sets when it is fetched again. If it had a document, the effect is a Gone.
func (o *Options) end(row *schema.UrlRow, how ending, key schema.RowKey, now int64) Effects {
	row.Status, row.Reason = how.status, how.reason
	row.LookedAt, row.ToldAt = 0, 0 // if it comes back, its text is a new one
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

// Aside ends a URL that was never fetched because of what the patterns learnt (package patterns):
// ReasonTrap or ReasonCopy. It is due again every MaxInterval.
func (o *Options) Aside(row *schema.UrlRow, reason string, key schema.RowKey, now int64) Effects {
	every := spans(o.MaxInterval)
	return o.end(row, ending{schema.UrlRow_DROPPED, reason, schema.Gone_UNSPECIFIED, every}, key, now)
}

// ReasonTrap is the reason of URLs that are put aside or dropped because the budget of their shape
// is used up.
const ReasonTrap = "trap"

// ReasonCopy is the reason of URLs that are put aside because pages of their shape repeat the text
// of another page, which is fetched.
const ReasonCopy = "copy"

// DropValidators makes the next request for a URL unconditional.
func DropValidators(row *schema.UrlRow) {
	row.Etag, row.LastModified, row.EtagRev, row.DocRev = "", "", 0, 0
}

// failure returns the reason for which a URL failed, one of a closed list.
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

// FeedLike reports the kinds whose bodies are read for URLs and make no document.
func FeedLike(k schema.Kind) bool { return k == schema.Kind_FEED || k == schema.Kind_SITEMAP }

// makesDocument reports the kinds whose bodies go to extract.
func makesDocument(k schema.Kind) bool { return !FeedLike(k) }

// retryAfter is the pause (ms) before try n+1: five times as long as the one before, at most most.
func (o *Options) retryAfter(n int32, most time.Duration, key schema.RowKey, rev int64) int64 {
	pause := o.RetryDelay
	for i := int32(1); i < n && pause < most; i++ {
		pause *= 5
	}
	return jitter(min(pause, most).Milliseconds(), key, rev)
}

// redirectOf is the target to compare with that of m: the row's, if m is a redirect.
func redirectOf(row *schema.UrlRow, m *schema.Outcome) string {
	if m.Result == schema.Outcome_REDIRECT {
		return row.RedirectTo
	}
	return m.RedirectTo
}
