package policy

import (
	"time"

	"millrace/schema"
)

// endLate is how long after the time that a page names (unavailable_after) it is fetched, so that
// a clock of fetch that is a little behind agrees that the time is over.
const endLate = time.Minute

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
	if end := row.UnavailableAfter + endLate.Milliseconds(); row.UnavailableAfter > 0 && end > now {
		return min(due, end)
	}
	return due
}
