package policy

import (
	"time"

	"millrace/consumers/schedule/freshness"
	"millrace/schema"
)

// limits are what the settings allow re-crawls of pages.
func (o *Options) limits() freshness.Limits {
	return freshness.Limits{Every: o.Interval, Least: o.MinInterval, Most: o.MaxInterval, Share: o.RecrawlShare, Delay: o.Delay}
}

// hostOf is what the pages of a host have in common. It writes to the host's row. key is that of
// the page in question; "" = none.
func hostOf(row *schema.HostRow, key schema.RowKey) freshness.Host {
	if row.Freshness == nil {
		row.Freshness = &schema.HostFreshness{}
	}
	h := freshness.Host{State: row.Freshness, Delay: millis(row.CrawlDelayMs)}
	if key != "" {
		h.Shape = freshness.ShapeOf(key.Path())
	}
	return h
}

func filterOf(row *schema.UrlRow) freshness.Filter {
	return freshness.Filter{A: row.FreshShape, B: row.FreshScale}
}

// looked takes in that a page was looked at again, and plans its next look.
func (o *Options) looked(row *schema.UrlRow, host *schema.HostRow, changed bool, key schema.RowKey, at int64) {
	since, told := row.LookedAt, row.ToldAt > 0
	row.LookedAt, row.ToldAt = at, 0
	if since == 0 || at <= since {
		return
	}
	first, planned := row.Checks == 0, inDays(row.IntervalMs)
	if first {
		planned = 0 // spread
	}
	row.Checks++
	if changed {
		row.Changes++
	}
	f := hostOf(host, key).Observe(o.limits(), filterOf(row), freshness.Look{
		Days: inDays(at - since), Planned: planned, Changed: changed, Told: told, First: first, At: at})
	row.FreshShape, row.FreshScale = f.A, f.B
	o.plan(row, host, key)
}

// plan sets the pause before the next look at a page.
func (o *Options) plan(row *schema.UrlRow, host *schema.HostRow, key schema.RowKey) {
	if o.Interval == 0 || !isPage(row.Kind) {
		return
	}
	pause := hostOf(host, key).Plan(o.limits(), filterOf(row), o.weightOf(row))
	row.IntervalMs = max(int64(pause*dayMillis), 1)
}

// weightOf is what a page's being current is worth: the same for all, or its score.
// One without a document of its own (noindex, no text) is looked at in case it gets one.
func (o *Options) weightOf(row *schema.UrlRow) float64 {
	w := 1.0
	if o.WeighByScore && row.Score > 0 {
		w = min(max(row.Score, 0.01), 1000)
	}
	if row.DigestRev > 0 && !row.HadPage {
		w /= 10
	}
	return w
}

// Load is how many looks a day a page's plan asks for; 0 = it has none.
func Load(row *schema.UrlRow) float64 {
	if row.Status != schema.UrlRow_FETCHED || !isPage(row.Kind) || row.IntervalMs <= 0 || row.NextDue == 0 {
		return 0
	}
	return dayMillis / float64(row.IntervalMs)
}

// MoveLoad counts a page's plan anew in its host's row.
func MoveLoad(host *schema.HostRow, before, after float64) {
	if before != after {
		hostOf(host, "").Recount(before, after)
	}
}

const dayMillis = float64(day / time.Millisecond)

func inDays(ms int64) float64 { return float64(ms) / dayMillis }

// observe adapts the interval of a hub to whether its text had changed: half of it if
// so, else half as much again.
func (o *Options) observe(row *schema.UrlRow, changed bool) {
	every := millis(row.IntervalMs)
	if every == 0 {
		every = o.FeedInterval
	}
	row.Checks++
	if changed {
		row.Changes++
		every /= 2
	} else {
		every += every / 2
	}
	row.IntervalMs = o.Clamp(row.Kind, every).Milliseconds()
}

// Clamp brings an interval within the bounds of a kind of URL.
func (o *Options) Clamp(k schema.Kind, every time.Duration) time.Duration {
	least, most := o.MinFeed, o.MaxFeed
	switch {
	case isPage(k):
		least, most = o.MinInterval, o.MaxInterval
	case k == schema.Kind_SITEMAP:
		most *= 4
	}
	return max(least, min(every, most))
}

// nextCrawl is the time of the next re-crawl; 0 = never.
func (o *Options) nextCrawl(row *schema.UrlRow, host *schema.HostRow, key schema.RowKey, now int64) int64 {
	if isPage(row.Kind) {
		if o.Interval == 0 {
			return 0
		}
		if row.IntervalMs == 0 {
			if o.plan(row, host, key); hostOf(host, key).Unknown() {
				return now + spread(row.IntervalMs, key)
			}
		}
		return now + jitter(row.IntervalMs, key, row.Rev)
	}
	return o.nextPoll(row, key, now)
}

// recrawlClass gives feeds, sitemaps and hubs a queue before that of pages: new
// pages are found there.
func recrawlClass(row *schema.UrlRow) int32 {
	if !isPage(row.Kind) {
		return ClassRecrawl
	}
	return ClassRecrawl + 1
}

// attempt, so that URLs that were found together spread out.
func jitter(ms int64, key schema.RowKey, rev int64) int64 {
	h := int64(schema.Murmur2([]byte(key))) ^ rev*0x9e3779b1
	return ms + ms*(h&0x3ff-512)/5120
}

// spread is the pause before a page's first look again on a host of which little is known: between
// a tenth of the plan and a tenth more than it. Else pages that were found together would all wait
// for one moment: the requests until then would be lost, and what a host's first looks teach would
// come too late for the others.
func spread(ms int64, key schema.RowKey) int64 {
	return ms/10 + ms*int64(schema.Murmur2([]byte(key))>>8&0x3ff)/1024
}

func isPage(k schema.Kind) bool { return k == schema.Kind_PAGE || k == schema.Kind_KIND_UNSPECIFIED }

func millis(n int64) time.Duration { return time.Duration(n) * time.Millisecond }
