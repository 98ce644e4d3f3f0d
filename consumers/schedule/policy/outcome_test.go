package policy

import (
	"testing"
	"time"

	"millrace/schema"
)

// One line for everything that a fetch can mean. The row before is of a page that
// was fetched with rev 10 and has a document, unless the line says otherwise.
func TestMerge(t *testing.T) {
	const (
		now  = int64(1_700_000_000_000)
		hour = int64(time.Hour / time.Millisecond)
		min  = int64(time.Minute / time.Millisecond)
	)
	type row = schema.UrlRow
	queued := func(r *row) {
		r.Rev, r.Status, r.Result, r.HttpStatus = 0, schema.UrlRow_QUEUED, schema.Outcome_UNSPECIFIED, 0
		r.HadPage, r.DigestRev, r.NextDue = false, 0, now
		DropValidators(r)
	}
	for _, c := range []struct {
		name    string
		before  func(*row)
		answer  *schema.Outcome
		verdict Verdict
		status  schema.UrlRow_Status
		reason  string
		in      [2]int64 // due within, after now; none = not due
		class   int32
		gone    schema.Gone_Reason
		fails   int32
		page    bool // a document stands, as far as is known
		etag    bool // validators are kept
	}{
		{name: "first page", before: queued, answer: &schema.Outcome{Result: schema.Outcome_OK, HttpStatus: 200, Etag: "x"},
			status: schema.UrlRow_FETCHED, in: [2]int64{21 * hour, 27 * hour}, class: 5, page: true, etag: true},
		{name: "a page again", answer: &schema.Outcome{Result: schema.Outcome_OK, HttpStatus: 200, Etag: "y"},
			status: schema.UrlRow_FETCHED, in: [2]int64{21 * hour, 27 * hour}, class: 5, page: true, etag: true},
		{name: "unchanged waits longer", before: func(r *row) { r.LookedAt = now - 60*24*hour },
			answer: &schema.Outcome{Result: schema.Outcome_UNCHANGED, HttpStatus: 304, FetchedAt: now},
			status: schema.UrlRow_FETCHED, in: [2]int64{36 * hour, 120 * hour}, class: 5, page: true, etag: true},
		{name: "unchanged, but nothing was asked", before: queued, answer: &schema.Outcome{Result: schema.Outcome_UNCHANGED, HttpStatus: 304},
			status: schema.UrlRow_QUEUED, in: [2]int64{min * 8 / 10, min * 12 / 10}, class: 1, fails: 1},
		{name: "redirect for good", answer: &schema.Outcome{Result: schema.Outcome_REDIRECT, HttpStatus: 301, RedirectTo: "http://b.com/"},
			status: schema.UrlRow_REDIRECTED, reason: "redirect", in: [2]int64{26 * 24 * hour, 34 * 24 * hour}, class: 5, gone: schema.Gone_REDIRECT},
		{name: "redirect for now", answer: &schema.Outcome{Result: schema.Outcome_REDIRECT, HttpStatus: 302, RedirectTo: "http://b.com/"},
			status: schema.UrlRow_REDIRECTED, reason: "redirect", in: [2]int64{21 * hour, 27 * hour}, class: 5, gone: schema.Gone_REDIRECT},
		{name: "gone is asked again after an hour", answer: &schema.Outcome{Result: schema.Outcome_GONE, HttpStatus: 404},
			status: schema.UrlRow_GONE, reason: "not_found", in: [2]int64{hour * 8 / 10, hour * 12 / 10}, class: 5, gone: schema.Gone_NOT_FOUND},
		{name: "then after a day", before: func(r *row) { r.Ends = 1 }, answer: &schema.Outcome{Result: schema.Outcome_GONE, HttpStatus: 404},
			status: schema.UrlRow_GONE, reason: "not_found", in: [2]int64{21 * hour, 27 * hour}, class: 5, gone: schema.Gone_NOT_FOUND},
		{name: "then after a week", before: func(r *row) { r.Ends = 2 }, answer: &schema.Outcome{Result: schema.Outcome_GONE, HttpStatus: 404},
			status: schema.UrlRow_GONE, reason: "not_found", in: [2]int64{6 * 24 * hour, 8 * 24 * hour}, class: 5, gone: schema.Gone_NOT_FOUND},
		{name: "then every month", before: func(r *row) { r.Ends = 9 }, answer: &schema.Outcome{Result: schema.Outcome_GONE, HttpStatus: 404},
			status: schema.UrlRow_GONE, reason: "not_found", in: [2]int64{26 * 24 * hour, 34 * 24 * hour}, class: 5, gone: schema.Gone_NOT_FOUND},
		{name: "gone, never was", before: queued, answer: &schema.Outcome{Result: schema.Outcome_GONE, HttpStatus: 410},
			status: schema.UrlRow_GONE, reason: "not_found", in: [2]int64{6 * 24 * hour, 8 * 24 * hour}, class: 5},
		{name: "forbidden", answer: &schema.Outcome{Result: schema.Outcome_CLIENT_ERROR, HttpStatus: 403},
			status: schema.UrlRow_FETCHED, in: [2]int64{min * 8 / 10, min * 12 / 10}, class: 1, fails: 1, page: true, etag: true},
		{name: "server error", before: func(r *row) { r.Fails = 3 }, answer: &schema.Outcome{Result: schema.Outcome_SERVER_ERROR, HttpStatus: 500},
			status: schema.UrlRow_FETCHED, in: [2]int64{min * 8 / 10, min * 12 / 10}, class: 1, fails: 3, page: true, etag: true},
		{name: "third try waits five times five", before: func(r *row) { r.Waits = 2 }, answer: &schema.Outcome{Result: schema.Outcome_NETWORK},
			status: schema.UrlRow_FETCHED, in: [2]int64{22 * min, 28 * min}, class: 1, page: true, etag: true},
		{name: "an answer without end goes behind new pages", answer: &schema.Outcome{Result: schema.Outcome_NETWORK, HttpStatus: 200, ErrorKind: "timeout"},
			status: schema.UrlRow_FETCHED, in: [2]int64{min * 8 / 10, min * 12 / 10}, class: 5, page: true, etag: true},
		{name: "a redirect to what cannot be fetched", before: queued, answer: &schema.Outcome{Result: schema.Outcome_CLIENT_ERROR, HttpStatus: 302, ErrorKind: "url"},
			status: schema.UrlRow_FAILED, reason: "client_error", in: [2]int64{21 * hour, 27 * hour}, class: 5, fails: 1},
		{name: "days without a connection end nothing", before: func(r *row) { r.Waits = 15 }, answer: &schema.Outcome{Result: schema.Outcome_NETWORK},
			status: schema.UrlRow_FETCHED, in: [2]int64{21 * hour, 27 * hour}, class: 5, page: true, etag: true},
		{name: "a blocked host is asked when its block ends", answer: &schema.Outcome{Result: schema.Outcome_NETWORK, HostNotice: &schema.HostNotice{BlockedUntil: now + 3*hour}},
			status: schema.UrlRow_FETCHED, in: [2]int64{3 * hour, 3 * hour}, class: 1, page: true, etag: true},
		{name: "offline counts nothing", before: func(r *row) { r.Fails, r.Waits = 3, 9 }, answer: &schema.Outcome{Result: schema.Outcome_DEFERRED, ErrorKind: "offline", Until: now + min, Class: 4},
			status: schema.UrlRow_FETCHED, in: [2]int64{min, min}, class: 4, fails: 3, page: true, etag: true},
		{name: "last try", before: func(r *row) { r.Fails = 3 }, answer: &schema.Outcome{Result: schema.Outcome_CLIENT_ERROR, HttpStatus: 403},
			status: schema.UrlRow_FAILED, reason: "client_error", in: [2]int64{21 * hour, 27 * hour}, class: 5, gone: schema.Gone_FAILURES, fails: 4},
		{name: "a page that is a feed", answer: &schema.Outcome{Result: schema.Outcome_OK, HttpStatus: 200, Served: schema.Kind_FEED},
			status: schema.UrlRow_FETCHED, reason: "feed", in: [2]int64{27 * min, 30 * min}, class: 4, gone: schema.Gone_NOT_HTML},
		{name: "a feed that is a page", before: func(r *row) { queued(r); r.Kind = schema.Kind_FEED }, answer: &schema.Outcome{Result: schema.Outcome_OK, HttpStatus: 200, Served: schema.Kind_PAGE, Etag: "z"},
			status: schema.UrlRow_FETCHED, in: [2]int64{21 * hour, 27 * hour}, class: 5, page: true, etag: true},
		{name: "last try, never was", before: func(r *row) { queued(r); r.Fails = 3 }, answer: &schema.Outcome{Result: schema.Outcome_CLIENT_ERROR, HttpStatus: 401},
			status: schema.UrlRow_FAILED, reason: "client_error", in: [2]int64{21 * hour, 27 * hour}, class: 5, fails: 4},
		{name: "too many requests", before: func(r *row) { r.Fails = 3 }, answer: &schema.Outcome{Result: schema.Outcome_CLIENT_ERROR, HttpStatus: 429},
			status: schema.UrlRow_FETCHED, in: [2]int64{min * 8 / 10, min * 12 / 10}, class: 1, fails: 3, page: true, etag: true},
		{name: "unavailable until", answer: &schema.Outcome{Result: schema.Outcome_SERVER_ERROR, HttpStatus: 503, Until: now + 2*hour},
			status: schema.UrlRow_FETCHED, in: [2]int64{2 * hour, 2 * hour}, class: 1, page: true, etag: true},
		{name: "robots forbid", answer: &schema.Outcome{Result: schema.Outcome_ROBOTS},
			status: schema.UrlRow_REFUSED, reason: "robots", in: [2]int64{21 * hour, 27 * hour}, class: 5, gone: schema.Gone_ROBOTS},
		{name: "robots out of reach", answer: &schema.Outcome{Result: schema.Outcome_ROBOTS, HostNotice: &schema.HostNotice{Robots: schema.HostNotice_UNREACHABLE}},
			status: schema.UrlRow_FETCHED, in: [2]int64{min * 8 / 10, min * 12 / 10}, class: 1, page: true, etag: true},
		{name: "private address", answer: &schema.Outcome{Result: schema.Outcome_SSRF},
			status: schema.UrlRow_REFUSED, reason: "ssrf", in: [2]int64{6 * 24 * hour, 8 * 24 * hour}, class: 5, gone: schema.Gone_FAILURES},
		{name: "too big", answer: &schema.Outcome{Result: schema.Outcome_TOO_BIG, HttpStatus: 200},
			status: schema.UrlRow_DROPPED, reason: "too_big", in: [2]int64{6 * 24 * hour, 8 * 24 * hour}, class: 5, gone: schema.Gone_FAILURES},
		{name: "deferred keeps its class", answer: &schema.Outcome{Result: schema.Outcome_DEFERRED, Until: now + hour, Class: 6},
			status: schema.UrlRow_FETCHED, in: [2]int64{hour, hour}, class: 6, page: true, etag: true},
		{name: "an older attempt", answer: &schema.Outcome{Rev: 9, Result: schema.Outcome_GONE, HttpStatus: 404}, verdict: Stale,
			status: schema.UrlRow_FETCHED, page: true, etag: true},
		{name: "the same again", answer: &schema.Outcome{Rev: 10, Result: schema.Outcome_OK, HttpStatus: 200}, verdict: Repeated,
			status: schema.UrlRow_FETCHED, page: true, etag: true},
		{name: "the same attempt, another answer", answer: &schema.Outcome{Rev: 10, Result: schema.Outcome_GONE, HttpStatus: 404}, verdict: Disputed,
			status: schema.UrlRow_FETCHED, in: [2]int64{0, 0}, class: 1, page: true},
		{name: "the same attempt, deferred when repeated", answer: &schema.Outcome{Rev: 10, Result: schema.Outcome_DEFERRED, Until: now + hour}, verdict: Repeated,
			status: schema.UrlRow_FETCHED, page: true, etag: true},
		{name: "an answer after a deferral of the same attempt", before: func(r *row) { r.Result = schema.Outcome_DEFERRED },
			answer: &schema.Outcome{Rev: 10, Result: schema.Outcome_GONE, HttpStatus: 404},
			status: schema.UrlRow_GONE, reason: "not_found", in: [2]int64{hour * 8 / 10, hour * 12 / 10}, class: 5, gone: schema.Gone_NOT_FOUND},
		{name: "a page of a forgotten URL", before: func(r *row) {
			r.Status, r.Reason, r.HadPage = schema.UrlRow_FORGOTTEN, "forgotten", false
			r.GoneRev, r.GoneReason = 10, schema.Gone_FORGOTTEN
			DropValidators(r)
		}, answer: &schema.Outcome{Result: schema.Outcome_OK, HttpStatus: 200}, verdict: Forgotten,
			status: schema.UrlRow_FORGOTTEN, reason: "forgotten", gone: schema.Gone_FORGOTTEN},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := DefaultOptions()
			r := &row{Rev: 10, Status: schema.UrlRow_FETCHED, Result: schema.Outcome_OK, HttpStatus: 200, Kind: schema.Kind_PAGE,
				HadPage: true, Etag: "x", EtagRev: 10, DocRev: 10, DigestRev: 10}
			if c.before != nil {
				c.before(r)
			}
			a := c.answer
			if a.Rev == 0 {
				a.Rev = 11
			}
			e := o.Outcome(r, &schema.HostRow{}, a, "com.a:http/", now)
			if e.Verdict != c.verdict || r.Status != c.status || r.Reason != c.reason || r.Fails != c.fails {
				t.Errorf("verdict %d status %s reason %q fails %d", e.Verdict, r.Status, r.Reason, r.Fails)
			}
			if wait := e.Due - now; e.Due > 0 != (c.in != [2]int64{} || c.verdict == Disputed) || e.Due > 0 && (wait < c.in[0] || wait > c.in[1]) {
				t.Errorf("due in %s", millis(wait))
			}
			if e.Due > 0 && (e.Class != c.class || r.NextDue != e.Due) {
				t.Errorf("class %d, the row says due in %s", e.Class, millis(r.NextDue-now))
			}
			if e.Gone != c.gone || c.gone != 0 && (r.GoneReason != c.gone || r.GoneRev < a.Rev) {
				t.Errorf("gone %s, in the row %s@%d", e.Gone, r.GoneReason, r.GoneRev)
			}
			if r.HadPage != c.page || (r.Etag != "") != c.etag {
				t.Errorf("page %t, validator %q", r.HadPage, r.Etag)
			}
		})
	}
}

// A page that its canonical stands for has a document too (dedupe keeps it as an
// alias), whichever of digest and outcome came first: when the page goes, so must
// what dedupe knows of it.
func TestAPageWithACanonicalIsWithdrawnWhicheverCameFirst(t *testing.T) {
	for _, digestFirst := range []bool{false, true} {
		o := DefaultOptions()
		r := &schema.UrlRow{Status: schema.UrlRow_QUEUED, Kind: schema.Kind_PAGE}
		ok := &schema.Outcome{Rev: 10, Result: schema.Outcome_OK, HttpStatus: 200}
		digest := &schema.Digest{Rev: 10, TextHash: []byte{1}, Canonical: "com.a:http/other"}
		if digestFirst {
			o.Digest(r, &schema.HostRow{}, digest, "com.a:http/", 1)
			o.Outcome(r, &schema.HostRow{}, ok, "com.a:http/", 2)
		} else {
			o.Outcome(r, &schema.HostRow{}, ok, "com.a:http/", 1)
			o.Digest(r, &schema.HostRow{}, digest, "com.a:http/", 2)
		}
		e := o.Outcome(r, &schema.HostRow{}, &schema.Outcome{Rev: 11, Result: schema.Outcome_GONE, HttpStatus: 404}, "com.a:http/", 3)
		if e.Gone != schema.Gone_NOT_FOUND {
			t.Errorf("digest first %t: gone %s", digestFirst, e.Gone)
		}
	}
}
