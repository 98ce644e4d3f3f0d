package policy

import (
	"time"

	"millrace/consumers/rules"
	"millrace/consumers/schedule/freshness"
	"millrace/schema"
)

// limits are what the settings allow re-crawls of pages.
func (o *Options) limits() freshness.Limits {
	return freshness.Limits{Every: o.Interval, Least: o.MinInterval, Most: o.MaxInterval, Share: o.RecrawlShare, Delay: o.Delay}
}

// hostOf returns the freshness state of a host, which is part of its row. key is that of the page
// in question; "" = none.
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

// looked applies a repeated fetch of a page, which was at that time, and plans the next one. now is
// the time of the record in the log.
func (o *Options) looked(row *schema.UrlRow, host *schema.HostRow, changed bool, key schema.RowKey, at, now int64) {
	since, told := row.LookedAt, row.ToldAt > 0
	row.LookedAt, row.ToldAt = at, 0
	if since == 0 || at <= since {
		return
	}
	first, planned := row.Checks == 0, inDays(row.IntervalMs)
	if first {
		planned = 0 // unknown: the first pause may be a spread one
	}
	row.Checks++
	if changed {
		row.Changes++
	}
	f := hostOf(host, key).Observe(o.limits(), filterOf(row), freshness.Look{
		Days: inDays(at - since), Planned: planned, Changed: changed, Told: told, First: first, At: at})
	row.FreshShape, row.FreshScale = f.A, f.B
	o.plan(row, host, key, now)
}

// plan sets the pause before the next fetch of a page: what a recrawl rule says, or else what is
// worth the price. 0 = it is not fetched again.
func (o *Options) plan(row *schema.UrlRow, host *schema.HostRow, key schema.RowKey, now int64) {
	if !isPage(row.Kind) {
		return
	}
	if every, rule := o.every(row, host, key, now); rule != "" {
		row.IntervalMs = every.Milliseconds()
		return
	}
	if o.Interval == 0 {
		row.IntervalMs = 0
		return
	}
	pause := hostOf(host, key).Plan(o.limits(), filterOf(row), o.weightOf(row))
	row.IntervalMs = max(int64(pause*dayMillis), 1)
}

// every returns what recrawl rules say of a page at a time of the log.
func (o *Options) every(row *schema.UrlRow, host *schema.HostRow, key schema.RowKey, now int64) (time.Duration, string) {
	if o.Rules == nil {
		return 0, ""
	}
	return o.Rules.Every(rules.Query{URL: key.URL(), Host: key.Host(), Path: key.Path(), Site: schema.Site(host.Site),
		Kind: row.Kind, Seeded: row.Seeded}, now)
}

// weightOf returns how much it counts that a page is current: the same for all, or its score. A
// page without a document (noindex, no text) counts a tenth.
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

// Load is how many re-crawls a day a page's plan asks for; 0 = it has no plan.
func Load(row *schema.UrlRow) float64 {
	if row.Status != schema.UrlRow_FETCHED || !isPage(row.Kind) || row.IntervalMs <= 0 || row.NextDue == 0 {
		return 0
	}
	return dayMillis / float64(row.IntervalMs)
}

// MoveLoad changes what a page's plan counts as in its host's row.
func MoveLoad(host *schema.HostRow, before, after float64) {
	if before != after {
		hostOf(host, "").Recount(before, after)
	}
}

const dayMillis = float64(day / time.Millisecond)

func inDays(ms int64) float64 { return float64(ms) / dayMillis }

// observe adapts the interval of a hub: half of it if the text had changed, else half as much
// again.
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

// Clamp brings an interval within the limits for a kind of URL.
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

// nextCrawl is when (ms) a URL is fetched again; 0 = never. A page that is never fetched again is
// due when it is over (see Unasked).
func (o *Options) nextCrawl(row *schema.UrlRow, host *schema.HostRow, key schema.RowKey, now int64) int64 {
	if !isPage(row.Kind) {
		return o.nextPoll(row, key, now)
	}
	_, rule := o.every(row, host, key, now)
	if rule == "" && o.Interval == 0 {
		return lastEnd(row, now)
	}
	first := row.IntervalMs == 0
	if first || rule != "" {
		o.plan(row, host, key, now)
	}
	switch {
	case row.IntervalMs == 0: // a rule says so
		return lastEnd(row, now)
	case first && rule == "" && hostOf(host, key).Unknown():
		return untilEnd(row, now+spread(row.IntervalMs, key), now)
	}
	return untilEnd(row, now+jitter(row.IntervalMs, key, row.Rev), now)
}

// recrawlClass is the class of a re-crawl. Feeds, sitemaps and hubs come before pages, because they
// name new pages.
func recrawlClass(row *schema.UrlRow) int32 {
	if !isPage(row.Kind) {
		return ClassRecrawl
	}
	return ClassRecrawl + 1
}

// jitter changes a pause (ms) by up to a tenth, by a hash of the URL and the attempt, so that URLs
// that were found together spread out.
func jitter(ms int64, key schema.RowKey, rev int64) int64 {
	h := int64(schema.Murmur2([]byte(key))) ^ rev*0x9e3779b1
	return ms + ms*(h&0x3ff-512)/5120
}

// spread is the pause (ms) before a page's second fetch on a host of which little is known: between
// a tenth of the plan and a tenth more than the plan. Without it, pages that were found together
// would all be due at the same moment: the requests until then would be unused, and what the first
// repeated fetches teach would come too late for the others.
func spread(ms int64, key schema.RowKey) int64 {
	return ms/10 + ms*int64(schema.Murmur2([]byte(key))>>8&0x3ff)/1024
}

func isPage(k schema.Kind) bool { return k == schema.Kind_PAGE || k == schema.Kind_KIND_UNSPECIFIED }

func millis(n int64) time.Duration { return time.Duration(n) * time.Millisecond }
