package policy

import (
	"time"

	"millrace/schema"
)

// observe adapts a URL's re-crawl interval to whether it had changed: half of it
// if so, else half as much again.
func (o *Options) observe(row *schema.UrlRow, changed bool) {
	every := millis(row.IntervalMs)
	if every == 0 {
		every = o.firstInterval(row.Kind)
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

func (o *Options) firstInterval(k schema.Kind) time.Duration {
	if isPage(k) {
		return o.Interval
	}
	return o.FeedInterval
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
func (o *Options) nextCrawl(row *schema.UrlRow, key schema.RowKey, now int64) int64 {
	if o.firstInterval(row.Kind) == 0 {
		return 0
	}
	every := row.IntervalMs
	if every == 0 {
		every = o.Clamp(row.Kind, o.firstInterval(row.Kind)).Milliseconds()
	}
	return now + jitter(every, key, row.Rev)
}

// recrawlClass gives feeds, sitemaps and hubs a queue before that of pages: new
// pages are found there.
func recrawlClass(row *schema.UrlRow) int32 {
	if !isPage(row.Kind) {
		return ClassRecrawl
	}
	return ClassRecrawl + 1
}

// jitter moves a span by up to 10 % either way, the same for the same URL and
// attempt, so that URLs that were found together spread out.
func jitter(ms int64, key schema.RowKey, rev int64) int64 {
	h := int64(schema.Murmur2([]byte(key))) ^ rev*0x9e3779b1
	return ms + ms*(h&0x3ff-512)/5120
}

func isPage(k schema.Kind) bool { return k == schema.Kind_PAGE || k == schema.Kind_KIND_UNSPECIFIED }

func millis(n int64) time.Duration { return time.Duration(n) * time.Millisecond }
