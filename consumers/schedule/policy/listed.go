package policy

import (
	"millrace/consumers/schedule/polling"
	"millrace/schema"
)

// Listed applies what a feed or sitemap held, and moves its next poll if the outcome of this
// attempt has set it already. It returns false for a list that is not newer than the last one.
func (o *Options) Listed(row *schema.UrlRow, host *schema.HostRow, m *schema.Listed, key schema.RowKey, now int64) (Effects, bool) {
	if !FeedLike(row.Kind) || row.Feed != nil && m.Rev <= row.Feed.Rev {
		return Effects{}, false
	}
	at := now
	if m.FetchedAt > 0 && m.FetchedAt < now {
		at = m.FetchedAt
	}
	if row.Feed != nil {
		confirm(row, host, m.Rev, string(m.Hash) != string(row.Feed.Hash))
	}
	o.polled(row, m, at)
	if row.Rev != m.Rev || row.Status != schema.UrlRow_FETCHED || row.NextDue <= now {
		return Effects{}, true
	}
	return postpone(row, o.nextPoll(row, key, now), ClassRecrawl), true
}

// polled applies a poll of a feed or sitemap; m = nil: the answer was 304.
func (o *Options) polled(row *schema.UrlRow, m *schema.Listed, at int64) {
	if row.Feed == nil {
		row.Feed = &schema.FeedState{}
	}
	row.Checks++
	if m != nil && string(m.Hash) != string(row.Feed.Hash) {
		row.Changes++
	}
	polling.Observe(row.Feed, m, at)
	o.planPoll(row, at)
}

// planPoll sets the pause before the next poll.
func (o *Options) planPoll(row *schema.UrlRow, at int64) {
	l := polling.Limits{Least: o.MinFeed, Most: o.Clamp(row.Kind, o.MaxFeed)}
	if row.Kind == schema.Kind_SITEMAP {
		l.Most = 4 * o.MaxFeed
	}
	row.IntervalMs = polling.Pause(row.Feed, l, at).Milliseconds()
}

// nextPoll is when (ms) a feed, sitemap or hub is fetched again; 0 = never. The pause runs from
// when the feed was asked, so that the time that its answer took until now does not add to it; but
// at least half of the pause is left, whatever a clock says. A random part makes the pause up to a
// tenth shorter, never longer: new items wait.
func (o *Options) nextPoll(row *schema.UrlRow, key schema.RowKey, now int64) int64 {
	if o.FeedInterval == 0 {
		return 0
	}
	every := row.IntervalMs
	switch {
	case FeedLike(row.Kind) && row.Feed != nil && row.Feed.PolledAt > 0:
		o.planPoll(row, now)
		every = row.IntervalMs
	case every == 0:
		every = o.Clamp(row.Kind, o.FeedInterval).Milliseconds()
	}
	every -= (jitter(every, key, row.Rev) - every + every/10) / 2
	return max(min(row.FetchedAt, now)+every, now+every/2)
}
