package schedule

import (
	"time"

	"millrace/schema"
)

// observe adapts a URL's re-crawl interval to whether it had changed: half of it
// if so, else half as much again.
func (o *Options) observe(row *schema.UrlRow, changed bool) {
	every := time.Duration(row.IntervalMs) * time.Millisecond
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
	row.IntervalMs = o.clamp(row.Kind, every).Milliseconds()
}

func (o *Options) firstInterval(k schema.Kind) time.Duration {
	if isPage(k) {
		return o.Interval
	}
	return o.FeedInterval
}

func (o *Options) clamp(k schema.Kind, every time.Duration) time.Duration {
	least := o.MinInterval
	if !isPage(k) {
		least = o.MinFeed
	}
	return max(least, min(every, o.MaxInterval))
}

// nextCrawl is the time of the next re-crawl; 0 = never.
func (o *Options) nextCrawl(row *schema.UrlRow, key schema.RowKey, now int64) int64 {
	if o.firstInterval(row.Kind) == 0 {
		return 0
	}
	every := row.IntervalMs
	if every == 0 {
		every = o.clamp(row.Kind, o.firstInterval(row.Kind)).Milliseconds()
	}
	return now + jitter(every, key, row.Rev)
}

// recrawlClass puts what changes often before the rest.
func recrawlClass(row *schema.UrlRow) int32 {
	often := row.IntervalMs > 0 && row.IntervalMs <= (12*time.Hour).Milliseconds()
	if often || !isPage(row.Kind) {
		return classRecrawl
	}
	return classRecrawl + 1
}

// jitter moves a span by up to 10 % either way, the same for the same URL and
// attempt: what was found together is not fetched together for ever.
func jitter(ms int64, key schema.RowKey, rev int64) int64 {
	h := int64(schema.Murmur2([]byte(key))) ^ rev*0x9e3779b1
	return ms + ms*(h&0x3ff-512)/5120
}

func isPage(k schema.Kind) bool { return k == schema.Kind_PAGE || k == schema.Kind_KIND_UNSPECIFIED }
