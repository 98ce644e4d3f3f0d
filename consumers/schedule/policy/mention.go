package policy

import (
	"time"

	"millrace/schema"
)

// Origin says who names a URL, and with that how far the word goes: a stranger may
// suggest a URL, the URL's own site may say what it is, an operator may decide.
type Origin uint8

// The origins.
const (
	Stranger Origin = iota
	OwnSite
	Operator
)

// Mention is what a record says of a URL that is known.
type Mention struct {
	Origin  Origin
	Kind    schema.Kind // unspecified = not said
	Lastmod int64       // ms: when it is said to have changed; 0 = not said
	Class   int32       // the class that it asks for
}

// reach is how far in the future a date may lie: dates beyond are common and mean
// nothing.
const reach = 24 * time.Hour

// Mention applies fresh evidence to a known URL: a seed, a feed item, a line of a
// sitemap. It reports false if the row stays as it is. Links are no evidence: they
// would cost a read each, and an ended URL is asked again anyway.
func (o *Options) Mention(row *schema.UrlRow, host *schema.HostRow, m Mention, now int64) (Effects, bool) {
	if row.Status == schema.UrlRow_FORGOTTEN || m.Origin == Stranger {
		return Effects{}, false
	}
	changed := false
	if m.Origin == Operator && m.Kind != schema.Kind_KIND_UNSPECIFIED && m.Kind != row.Kind {
		if row.Status == schema.UrlRow_QUEUED || Ended(row.Status) { // else it is what it serves
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
	if due == 0 || row.NextDue > 0 && row.NextDue <= max(due, now) {
		return Effects{}, changed
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

// proved is the trust in a site's dates from which on a page that is said to have
// changed is asked for at once, like an item of a feed.
const proved = 0.5

// IsNews reports whether a publication date makes a URL news: at most two days old, as
// news sitemaps have it.
func IsNews(published, now int64) bool {
	return published > now-2*day.Milliseconds() && within(published, now)
}

// evidence says when a mention makes a URL due; 0 = it does not.
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

// newer reports whether a mention says that a URL has changed since it was fetched. A
// date without a time of day may mean the end of that day.
func (m Mention) newer(row *schema.UrlRow, now int64) bool {
	at := m.Lastmod
	if at > 0 && at%day.Milliseconds() == 0 {
		at = min(at+day.Milliseconds()-1, now)
	}
	return at > max(row.FetchedAt, row.AskedAt) && m.Lastmod > row.Lastmod && within(m.Lastmod, now)
}

// told takes in that a page is said to have changed, and says when it is due
// therefore (0 = as planned): how far that is believed is what became of the last
// times that this host's pages were said to.
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
