package policy

import (
	"errors"
	"fmt"
	"time"

	"millrace/consumers/rules"
	"millrace/schema"
)

// Options are the frontier's settings. Every process of the group needs the same.
//
// It is large because every pure rule of what an answer means is a method of the settings that it
// depends on; the rules are in one file per subject.
type Options struct {
	PoliteBy PoliteBy      // what a politeness key is: requests of one key never overlap
	Delay    time.Duration // least time between two request starts of a politeness key; a host's own crawl-delay may raise it

	InScope       func(schema.Host, schema.Site) bool // nil = everything
	Rules         *rules.Set                          // the rules of operators; nil = none
	MaxDepth      int32                               // clicks from a seed; < 0 = no bound
	MaxPages      int64                               // pages fetched by this process's partitions after which nothing is emitted; 0 = no bound
	HostsPerSite  int                                 // hosts of a site after which new ones are dropped (wildcard DNS); 0 = no bound
	URLsPerHost   int64                               // URLs of a host after which new ones are dropped; 0 = no bound
	PagesPerHost  int64                               // pages of a host that are fetched; further URLs are left out; 0 = no bound
	PagesPerSite  int64                               // pages of all hosts of a site that are fetched; further URLs are left out; 0 = no bound
	BytesPerHost  int64                               // bytes of bodies of a host's pages, each counted once; further URLs are left out; 0 = no bound
	FollowHinted  bool                                // follow links that are marked nofollow, ugc or sponsored
	Breadth       bool                                // fetch the new pages of a host in the order in which they were found, not the best first
	Traps         bool                                // put URLs aside whose shape brings nothing new (package patterns)
	MaxFailures   int32                               // failed tries in a row (401, 403, ...) that end a URL; trouble of its host does not count
	RetryDelay    time.Duration                       // before the second try; each further one waits five times as long
	Interval      time.Duration                       // between two fetches of a page, on average over its host: the budget; 0 = pages are never fetched again
	RecrawlShare  float64                             // of the requests that a host's delay allows, for re-crawls of its pages
	FeedInterval  time.Duration                       // of a feed, a sitemap or a hub
	WeighByScore  bool                                // plan re-crawls by score; else all pages of a host are worth the same
	MinInterval   time.Duration                       // shortest and
	MaxInterval   time.Duration                       // longest interval of a page
	MinFeed       time.Duration                       // shortest interval of a feed, a sitemap or a hub
	MaxFeed       time.Duration                       // longest of a feed or a hub; a sitemap's is four times as long
	Window        int                                 // most URLs in flight per politeness key
	InFlightLeast int                                 // bounds of the URLs in flight per partition of urls.scheduled;
	InFlightMost  int                                 // in between, two seconds of the measured drain
	HostCache     int                                 // host rows kept decoded, in the whole process
	SeenCache     int                                 // recent links kept, in the whole process, of up to 40 bytes each
	FilterKeys    int                                 // row keys that the Bloom filters of all partitions hold together before they grow
	FilterRate    float64                             // part of new URLs that a filter takes for known
}

// PoliteBy says what a politeness key is: a host, a site or an IP address.
type PoliteBy uint8

// The politeness keys.
const (
	ByHost PoliteBy = iota
	BySite
	ByIP
)

// DefaultOptions are for a polite crawl that never ends.
func DefaultOptions() Options {
	return Options{
		Delay:         time.Second,
		MaxDepth:      -1,
		HostsPerSite:  1000,
		URLsPerHost:   1_000_000,
		Traps:         true,
		MaxFailures:   4,
		RetryDelay:    time.Minute,
		Interval:      24 * time.Hour,
		RecrawlShare:  0.25,
		FeedInterval:  30 * time.Minute,
		MinInterval:   time.Hour,
		MaxInterval:   30 * 24 * time.Hour,
		MinFeed:       10 * time.Minute,
		MaxFeed:       6 * time.Hour,
		Window:        1024,
		InFlightLeast: 1_000,
		InFlightMost:  16_000,
		HostCache:     16_384,
		SeenCache:     4_000_000,  // 160 MB at most
		FilterKeys:    10_000_000, // with this rate: 287,551,752 bits, 20 hashes
		FilterRate:    1e-6,
	}
}

// Validate reports all options that cannot work.
func (o Options) Validate() error {
	var errs []error
	check := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	check(o.PoliteBy <= ByIP, "polite by %d: host, site or address", o.PoliteBy)
	check(o.Delay >= 0 && o.Delay <= time.Hour, "delay of %s: 0 to 1h", o.Delay)
	check(o.MaxPages >= 0, "at most %d pages: 0 = no bound", o.MaxPages)
	check(o.HostsPerSite >= 0, "at most %d hosts a site: 0 = no bound", o.HostsPerSite)
	check(o.URLsPerHost >= 0, "at most %d URLs a host: 0 = no bound", o.URLsPerHost)
	check(o.PagesPerHost >= 0, "at most %d pages a host: 0 = no bound", o.PagesPerHost)
	check(o.PagesPerSite >= 0, "at most %d pages a site: 0 = no bound", o.PagesPerSite)
	check(o.BytesPerHost >= 0, "at most %d bytes a host: 0 = no bound", o.BytesPerHost)
	check(o.MaxFailures >= 1, "%d tries: at least 1", o.MaxFailures)
	check(o.RetryDelay >= time.Second, "retry after %s: at least 1s", o.RetryDelay)
	check(o.Interval >= 0 && o.FeedInterval >= 0, "a negative re-crawl interval")
	check(o.RecrawlShare > 0 && o.RecrawlShare <= 1, "a share of %g for re-crawls: over 0, at most 1", o.RecrawlShare)
	check(o.MinInterval > 0 && o.MaxInterval >= o.MinInterval,
		"re-crawl intervals from %s to %s", o.MinInterval, o.MaxInterval)
	check(o.MinFeed > 0 && o.MaxFeed >= o.MinFeed, "intervals of feeds from %s to %s", o.MinFeed, o.MaxFeed)
	check(o.Window >= 1 && o.Window <= 1024, "a window of %d: 1 to 1024", o.Window)
	check(o.InFlightLeast >= 1 && o.InFlightMost >= o.InFlightLeast,
		"in flight from %d to %d", o.InFlightLeast, o.InFlightMost)
	check(o.HostCache >= 1 && o.SeenCache >= 1, "caches of %d hosts and %d links", o.HostCache, o.SeenCache)
	check(o.FilterKeys >= 1 && o.FilterRate > 0 && o.FilterRate < 1,
		"a filter of %d keys at rate %g", o.FilterKeys, o.FilterRate)
	return errors.Join(errs...)
}

// Classes is the number of classes of a host's queues. Class 0 is the most urgent.
const Classes = 8

// The first class of each meaning. Classes 3, 5 and 7 are a lower step of the one before.
const (
	ClassNow     = 0 // items of the site's own feed, rechecks
	ClassRetry   = 1 // retries
	ClassFit     = 2 // never fetched: 2 seeds, feeds and sitemaps; 3 pages of shapes known to be good
	ClassRecrawl = 4 // re-crawls: 4 feeds, sitemaps and hubs; 5 pages
	ClassRest    = 6 // never fetched: 6 other pages near a seed; 7 the rest: deep, poor shapes, named by other sites
)
