package policy

import (
	"time"

	"millrace/schema"
)

// endLate is how long after the time that a page names (unavailable_after) it is fetched, so that
// a clock of fetch that is a little behind agrees that the time is over.
const endLate = time.Minute

// Over is the reason of a page without a document because it asked not to be shown any more.
const Over = "unavailable"

// noteEnd notes until when a page asks to be shown. A page that was over and now names a later time
// may do so each time: it is not fetched for the sake of its times again.
func noteEnd(row *schema.UrlRow, m *schema.Digest, now int64) {
	end := max(m.UnavailableAfter, 0)
	if moved := over(row, now) && end > now; moved || row.UnavailableAfter < 0 {
		end = -end
	}
	if m.DropReason != "" || m.Noindex {
		end = 0
	}
	row.UnavailableAfter = end
}

// over reports whether a page with a document asked not to be shown any more by now. Only extract
// can end the document, so the next request is unconditional.
func over(row *schema.UrlRow, now int64) bool {
	end := max(row.UnavailableAfter, -row.UnavailableAfter)
	return row.HadPage && end > 0 && end <= now
}

// untilEnd returns due (ms), or if that is earlier, the time at which the page is over.
func untilEnd(row *schema.UrlRow, due, now int64) int64 {
	if end := End(row); row.UnavailableAfter > 0 && end > now {
		return min(due, end)
	}
	return due
}

// Unasked reports whether a page that names its end is never to be fetched again, by the settings
// or a rule: when it is due because of its end, no request is made (see overUnasked). Once an
// operator or a shorter way asks for a fetch, its validators are dropped, and it is fetched.
func (o *Options) Unasked(row *schema.UrlRow, host *schema.HostRow, key schema.RowKey, now int64) bool {
	return row.UnavailableAfter != 0 && row.HadPage && row.DocRev != 0 && isPage(row.Kind) && o.never(row, host, key, now)
}

// never reports whether the settings or a rule say that a page is not fetched again.
func (o *Options) never(row *schema.UrlRow, host *schema.HostRow, key schema.RowKey, now int64) bool {
	every, rule := o.every(row, host, key, now)
	if rule != "" {
		return every == 0
	}
	return o.Interval == 0
}

// lastEnd returns when (ms) the document of a page that is never fetched again ends; 0 = never.
func lastEnd(row *schema.UrlRow, now int64) int64 {
	if row.UnavailableAfter == 0 || row.DocRev == 0 || !row.HadPage {
		return 0
	}
	return max(End(row), now)
}

// End returns when (ms) a page that names its end is looked at because of it.
func End(row *schema.UrlRow) int64 {
	return max(row.UnavailableAfter, -row.UnavailableAfter) + endLate.Milliseconds()
}

// overUnasked ends the document of a page that is never fetched again. If Outcome.until is set, the
// page is not over until then: the calendar reaches a year, and wakes it before.
func (o *Options) overUnasked(row *schema.UrlRow, m *schema.Outcome, key schema.RowKey, now int64) Effects {
	if m.Until > 0 {
		return postpone(row, m.Until, recrawlClass(row))
	}
	e := o.end(row, ending{schema.UrlRow_DROPPED, Over, schema.Gone_NOINDEX, spans(o.MaxInterval)}, key, now)
	row.NextDue = 0
	return Effects{Gone: e.Gone}
}

// overAtTrouble ends the document of a page that is over while its host does not answer. The page
// is asked for all the same, and may come back.
func overAtTrouble(row *schema.UrlRow, now int64) schema.Gone_Reason {
	if !over(row, now) {
		return schema.Gone_UNSPECIFIED
	}
	row.HadPage, row.Reason = false, Over
	row.GoneRev, row.GoneReason = row.Rev, schema.Gone_NOINDEX
	DropValidators(row)
	return row.GoneReason
}
