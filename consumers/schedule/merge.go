package schedule

import (
	"time"

	"millrace/schema"
)

// effects is what an outcome means beyond its URL's row.
type effects struct {
	verdict verdict
	due     int64              // when the URL is to be fetched again; 0 = not
	class   int32              // and as what
	gone    schema.Gone_Reason // its document ends; 0 = it does not
	page    bool               // a page came
}

// verdict says what an outcome is to a row.
type verdict uint8

const (
	applied   verdict = iota
	stale             // of an attempt before the last one applied
	repeated          // applied before
	disputed          // the last attempt, with another answer: fetched again to decide
	forgotten         // of a URL that an operator removed
)

// merge applies an outcome to a URL's row. It is the one rule of what a fetch
// means (a fetch result beats a link, a link beats the stored status; too many
// failures end a URL), and depends on nothing but its arguments. now is the
// outcome's record time.
func (o *Options) merge(row *schema.UrlRow, m *schema.Outcome, key schema.RowKey, now int64) effects {
	v := judge(row, m)
	if v != applied {
		return o.unmerged(v, row, m, now)
	}
	row.Rev, row.Result = m.Rev, m.Result
	row.HttpStatus, row.ErrorKind = m.HttpStatus, m.ErrorKind
	if hostTrouble(m) {
		return o.wait(row, m, key, now)
	}
	row.Waits = 0
	switch m.Result {
	case schema.Outcome_OK:
		return o.fetched(row, m, key, now)
	case schema.Outcome_UNCHANGED:
		return o.unchanged(row, m, key, now)
	case schema.Outcome_REDIRECT:
		row.RedirectTo = m.RedirectTo
		e := end(row, schema.UrlRow_REDIRECTED, "redirect", schema.Gone_REDIRECT)
		e.due = o.lookAgain(key, row, now, temporary(m.HttpStatus))
		e.class = row.Class
		return e
	case schema.Outcome_GONE:
		return end(row, schema.UrlRow_GONE, "not_found", schema.Gone_NOT_FOUND)
	case schema.Outcome_ROBOTS:
		e := end(row, schema.UrlRow_REFUSED, "robots", schema.Gone_ROBOTS)
		e.due = o.lookAgain(key, row, now, false)
		e.class = row.Class
		return e
	case schema.Outcome_SSRF:
		return end(row, schema.UrlRow_REFUSED, "ssrf", schema.Gone_FAILURES)
	case schema.Outcome_TOO_BIG:
		return end(row, schema.UrlRow_DROPPED, "too_big", schema.Gone_FAILURES)
	}
	return o.failed(row, m, key, now)
}

// judge compares versions. An attempt that was only deferred has no answer yet,
// so that an answer of the same attempt (it was taken up again after a crash) is
// its first one.
func judge(row *schema.UrlRow, m *schema.Outcome) verdict {
	switch {
	case m.Rev < row.Rev:
		return stale
	case row.Status == schema.UrlRow_FORGOTTEN:
		return forgotten
	case m.Rev > row.Rev:
		return applied
	case row.Result == schema.Outcome_DEFERRED && m.Result != schema.Outcome_DEFERRED,
		row.Result == schema.Outcome_UNSPECIFIED:
		return applied
	case m.Result == schema.Outcome_DEFERRED,
		m.Result == row.Result && m.HttpStatus == row.HttpStatus && m.RedirectTo == redirectOf(row, m):
		return repeated
	}
	return disputed
}

// unmerged handles outcomes that say nothing new of the URL.
func (o *Options) unmerged(v verdict, row *schema.UrlRow, m *schema.Outcome, now int64) effects {
	e := effects{verdict: v}
	switch v {
	case disputed: // two answers to one attempt: neither is believed
		dropValidators(row)
		e.due, e.class = now, classRetry
		row.NextDue = now
	case forgotten:
		if m.Rev >= row.Rev && m.Result == schema.Outcome_OK { // its document would come back
			row.Rev = m.Rev + 1
			row.GoneRev = row.Rev
			e.gone = row.GoneReason
		}
	}
	return e
}

// hostTrouble reports outcomes that are about the host, not the URL: they never
// count as its failure.
func hostTrouble(m *schema.Outcome) bool {
	switch m.Result {
	case schema.Outcome_DEFERRED:
		return true
	case schema.Outcome_ROBOTS:
		return m.GetHostNotice().GetRobots() == schema.HostNotice_UNREACHABLE
	case schema.Outcome_CLIENT_ERROR, schema.Outcome_SERVER_ERROR:
		return m.HttpStatus == 429 || m.HttpStatus == 503
	}
	return false
}

// wait puts the URL back until the host may be better. A deferral keeps its
// class and its time; the others wait longer each time.
func (o *Options) wait(row *schema.UrlRow, m *schema.Outcome, key schema.RowKey, now int64) effects {
	e := effects{due: max(m.Until, now), class: m.Class}
	if m.Result != schema.Outcome_DEFERRED {
		row.Waits++
		e.due = max(m.Until, now+o.retryAfter(row.Waits, key, row.Rev))
		e.class = classRetry
	}
	row.NextDue, row.Class = e.due, e.class
	return e
}

func (o *Options) fetched(row *schema.UrlRow, m *schema.Outcome, key schema.RowKey, now int64) effects {
	if feedLike(row.Kind) { // a page's changes are seen in its Digest
		o.observe(row, !sameBody(row, m))
	}
	row.Status, row.Fails, row.RedirectTo = schema.UrlRow_FETCHED, 0, ""
	row.Etag, row.LastModified, row.EtagRev = m.Etag, m.LastModified, m.Rev
	row.FetchedAt, row.Bytes = answered(m, now), m.Bytes
	if row.DigestRev != m.Rev { // else the Digest was first, and has said whether there is a document
		row.HadPage = makesDocument(row.Kind)
	}
	if row.HadPage {
		row.Reason = ""
	}
	e := o.again(row, key, now)
	e.page = makesDocument(row.Kind)
	return e
}

// unchanged is 304. To a request without validators it is no answer at all.
func (o *Options) unchanged(row *schema.UrlRow, m *schema.Outcome, key schema.RowKey, now int64) effects {
	if row.Etag == "" && row.LastModified == "" {
		return o.failed(row, m, key, now)
	}
	row.Status, row.Fails, row.FetchedAt = schema.UrlRow_FETCHED, 0, answered(m, now)
	o.observe(row, false)
	return o.again(row, key, now)
}

// again sets the time of the next re-crawl.
func (o *Options) again(row *schema.UrlRow, key schema.RowKey, now int64) effects {
	row.NextDue, row.Class = o.nextCrawl(row, key, now), recrawlClass(row)
	return effects{due: row.NextDue, class: row.Class}
}

// failed counts a failure; the last one ends the URL.
func (o *Options) failed(row *schema.UrlRow, m *schema.Outcome, key schema.RowKey, now int64) effects {
	row.Fails++
	if row.Fails >= o.MaxFailures {
		return end(row, schema.UrlRow_FAILED, failure(m.Result), schema.Gone_FAILURES)
	}
	row.NextDue = max(m.Until, now+o.retryAfter(row.Fails, key, row.Rev))
	row.Class = classRetry
	return effects{due: row.NextDue, class: row.Class}
}

// end closes a URL's life as a document.
func end(row *schema.UrlRow, s schema.UrlRow_Status, reason string, gone schema.Gone_Reason) effects {
	row.Status, row.Reason, row.NextDue = s, reason, 0
	e := effects{}
	if row.HadPage {
		e.gone = gone
		row.GoneRev, row.GoneReason = row.Rev, gone
	}
	row.HadPage = false
	dropValidators(row)
	return e
}

// lookAgain says when something that is not a page is asked again whether it
// has become one.
func (o *Options) lookAgain(key schema.RowKey, row *schema.UrlRow, now int64, soon bool) int64 {
	if o.Interval == 0 {
		return 0
	}
	every := o.MaxInterval
	if soon {
		every = o.Interval
	}
	row.NextDue = now + jitter(every.Milliseconds(), key, row.Rev)
	row.Class = classRecrawl + 1
	return row.NextDue
}

func dropValidators(row *schema.UrlRow) {
	row.Etag, row.LastModified, row.EtagRev, row.DocRev = "", "", 0, 0
}

// failure names the cause of a URL's end, of a closed list.
func failure(r schema.Outcome_Result) string {
	switch r {
	case schema.Outcome_CLIENT_ERROR:
		return "client_error"
	case schema.Outcome_SERVER_ERROR:
		return "server_error"
	case schema.Outcome_UNCHANGED:
		return "bad_304"
	}
	return "network"
}

func answered(m *schema.Outcome, now int64) int64 {
	if m.FetchedAt > 0 {
		return m.FetchedAt
	}
	return now
}

func temporary(status int32) bool { return status == 302 || status == 303 || status == 307 }

func sameBody(row *schema.UrlRow, m *schema.Outcome) bool {
	if m.Etag != "" && m.Etag == row.Etag {
		return true
	}
	return row.Bytes > 0 && row.Bytes == m.Bytes
}

func feedLike(k schema.Kind) bool { return k == schema.Kind_FEED || k == schema.Kind_SITEMAP }

// makesDocument reports kinds whose bodies go to extract.
func makesDocument(k schema.Kind) bool { return !feedLike(k) }

// retryAfter is the pause before try n+1: each five times the one before, at
// most a day.
func (o *Options) retryAfter(n int32, key schema.RowKey, rev int64) int64 {
	pause := o.RetryDelay
	for i := int32(1); i < n && pause < 24*time.Hour; i++ {
		pause *= 5
	}
	return jitter(min(pause, 24*time.Hour).Milliseconds(), key, rev)
}

// redirectOf is where the row's redirect goes, if both are redirects.
func redirectOf(row *schema.UrlRow, m *schema.Outcome) string {
	if m.Result == schema.Outcome_REDIRECT {
		return row.RedirectTo
	}
	return m.RedirectTo
}
