package policy

import (
	"millrace/consumers/schedule/polling"
	"millrace/schema"
)

// Listed takes in what a feed or sitemap held when it was fetched, and moves its next
// poll if the outcome of this attempt has set it already. It reports false for a list
// that is no newer than the one before.
func (o *Options) Listed(row *schema.UrlRow, m *schema.Listed, key schema.RowKey, now int64) (Effects, bool) {
	if !FeedLike(row.Kind) || row.Feed != nil && m.Rev <= row.Feed.Rev {
		return Effects{}, false
	}
	at := now
	if m.FetchedAt > 0 && m.FetchedAt < now {
		at = m.FetchedAt
	}
	o.polled(row, m, at)
	if row.Rev != m.Rev || row.Status != schema.UrlRow_FETCHED || row.NextDue <= now {
		return Effects{}, true
	}
	return postpone(row, o.nextPoll(row, key, now), ClassRecrawl), true
}

// polled takes in a poll of a feed or sitemap; m = nil: nothing has changed.
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

// nextPoll is when a feed, sitemap or hub is asked again; 0 = never. The pause of a
// feed is never made longer than its plan: items wait.
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
	return now + every - (jitter(every, key, row.Rev)-every+every/10)/2
}
