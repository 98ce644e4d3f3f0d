package policy

import (
	"time"

	"millrace/schema"
)

// Origin is who names a URL, and how far that counts: a stranger may suggest a page, the URL's own
// site may say what the URL is, an operator decides.
type Origin uint8

// The origins.
const (
	Stranger Origin = iota
	OwnSite
	Operator
)

// Mention is a statement of a record about a known URL.
type Mention struct {
	Origin  Origin
	Kind    schema.Kind // unspecified = not said
	Lastmod int64       // ms: the stated time of its last change; 0 = not said
	Class   int32       // the class that it asks for
}

// reach is how far in the future a date may be. Later dates are common and are ignored.
const reach = 24 * time.Hour

// Mention applies new evidence to a known URL: a seed, an item of a feed, a line of a sitemap. One
// that waits already moves to the queue of a better class. It returns false if the row stays as it
// is. Links are not passed to it: each would cost a read, and an ended URL is fetched again anyway.
func (o *Options) Mention(row *schema.UrlRow, host *schema.HostRow, m Mention, now int64) (Effects, bool) {
	if row.Status == schema.UrlRow_FORGOTTEN || m.Origin == Stranger {
		return Effects{}, false
	}
	changed := false
	if m.Origin == Operator && m.Kind != schema.Kind_KIND_UNSPECIFIED && m.Kind != row.Kind {
		if row.Status == schema.UrlRow_QUEUED || Ended(row.Status) { // else its answer decides its kind
			row.Kind, row.IntervalMs, changed = m.Kind, 0, true
		}
	}
	told := row.ToldAt
	due := o.evidence(row, host, m, now)
	changed = changed || row.ToldAt != told
	if m.Lastmod > row.Lastmod && within(m.Lastmod, now) {
		row.Lastmod = m.Lastmod
		changed = changed || due > 0
	}
	waits := row.NextDue > 0 && row.NextDue <= max(due, now)
	if due == 0 || waits && (due > now || m.Class >= row.Class) {
		return Effects{}, changed
	}
	if waits { // in a queue, or about to be: it goes to the better one
		due = row.NextDue
	}
	if Ended(row.Status) {
		row.Status, row.Reason, row.Fails = schema.UrlRow_QUEUED, "", 0
	}
	class := m.Class
	if row.Status == schema.UrlRow_FETCHED && isPage(row.Kind) && due <= now && hostOf(host, "").Trust() >= proved {
		class = ClassNow
	}
	return postpone(row, due, class), true
}

// proved is the trust in a site's dates from which a page that is said to have changed is fetched
// at once, like an item of a feed.
const proved = 0.5

// IsNews reports whether a publication date makes a URL news: it is at most two days old, the limit
// of news sitemaps.
func IsNews(published, now int64) bool {
	return published > now-2*day.Milliseconds() && within(published, now)
}

// evidence returns when (ms) a mention makes a URL due; 0 = it does not.
func (o *Options) evidence(row *schema.UrlRow, host *schema.HostRow, m Mention, now int64) int64 {
	newer := m.newer(row, now)
	switch {
	case row.Status != schema.UrlRow_FETCHED || row.Waits > 0:
		undated := m.Class == ClassNow && m.Lastmod == 0 && now-row.AskedAt >= day.Milliseconds()
		if m.Origin == Operator || newer || undated {
			return now
		}
	case newer && !isPage(row.Kind):
		return now
	case newer:
		return o.told(row, host, m.Origin, now)
	}
	return 0
}

// newer reports whether a mention says that a URL has changed since it was fetched. A date without
// a time of day counts as the end of that day.
func (m Mention) newer(row *schema.UrlRow, now int64) bool {
	at := m.Lastmod
	if at > 0 && at%day.Milliseconds() == 0 {
		at = min(at+day.Milliseconds()-1, now)
	}
	return at > max(row.FetchedAt, row.AskedAt) && m.Lastmod > row.Lastmod && within(m.Lastmod, now)
}

// told notes that a page is said to have changed, and returns when (ms) it is due because of that;
// 0 = as planned. How much that counts depends on how often such dates of the host were true.
func (o *Options) told(row *schema.UrlRow, host *schema.HostRow, origin Origin, now int64) int64 {
	h, l := hostOf(host, ""), o.limits()
	first := row.ToldAt == 0
	if first {
		row.ToldAt = now
	}
	if origin == Operator || first && h.Try() {
		return now
	}
	planned := inDays(row.NextDue - row.LookedAt)
	pause := h.Told(l, filterOf(row), planned)
	if pause >= planned || row.LookedAt == 0 {
		return 0
	}
	return max(now, row.LookedAt+int64(pause*dayMillis))
}

func within(lastmod, now int64) bool { return lastmod <= now+reach.Milliseconds() }
