package feeds

import (
	"strconv"
	"strings"
	"time"

	"github.com/mmcdole/gofeed/atom"
	ext "github.com/mmcdole/gofeed/extensions"
	"github.com/mmcdole/gofeed/rss"

	"millrace/consumers/listing"
)

// rssSays reads ttl, skipHours and skipDays of RSS 2.0, the syndication module, and the Atom links
// that WebSub uses.
func rssSays(in *rss.Feed) listing.Says {
	says := listing.Says{SkipHours: hours(in.SkipHours), SkipDays: weekdays(in.SkipDays)}
	if minutes, err := strconv.Atoi(strings.TrimSpace(in.TTL)); err == nil && minutes > 0 && minutes < 1<<20 {
		says.Every = time.Duration(minutes) * time.Minute
	}
	if every := syndication(in.Extensions); every > 0 {
		says.Every = every
	}
	for _, prefix := range []string{"atom", "atom10"} {
		for _, link := range in.Extensions[prefix]["link"] {
			says.Link(link.Attrs["rel"], link.Attrs["href"])
		}
	}
	return says
}

// atomSays reads the syndication module and the links of an Atom feed.
func atomSays(in *atom.Feed) listing.Says {
	says := listing.Says{Every: syndication(in.Extensions)}
	for _, link := range in.Links {
		says.Link(link.Rel, link.Href)
	}
	return says
}

// syndication reads sy:updatePeriod and sy:updateFrequency (RSS 1.0 module).
func syndication(x ext.Extensions) time.Duration {
	text := func(name string) string {
		if list := x["sy"][name]; len(list) > 0 {
			return strings.ToLower(strings.TrimSpace(list[0].Value))
		}
		return ""
	}
	const day = 24 * time.Hour
	period := map[string]time.Duration{"hourly": time.Hour, "daily": day, "weekly": 7 * day,
		"monthly": 30 * day, "yearly": 365 * day}[text("updatePeriod")]
	if times, err := strconv.Atoi(text("updateFrequency")); err == nil && times > 0 && times < 10_000 {
		period /= time.Duration(times)
	}
	return period
}

// hours is a set of hours of the day as bits; 24 counts as 0.
func hours(list []string) (set uint32) {
	for _, s := range list {
		if h, err := strconv.Atoi(strings.TrimSpace(s)); err == nil && h >= 0 && h <= 24 {
			set |= 1 << (h % 24)
		}
	}
	return set
}

// weekdays is a set of days of the week as bits; Sunday is bit 0.
func weekdays(list []string) (set uint32) {
	for _, s := range list {
		for d := time.Sunday; d <= time.Saturday; d++ {
			if strings.EqualFold(strings.TrimSpace(s), d.String()) {
				set |= 1 << d
			}
		}
	}
	return set
}
