package schedule

import (
	"errors"
	"fmt"
	"log/slog"
	"time"

	"millrace/schema"
	"millrace/streams/state"
)

// Options are the frontier's policy. Every process of the group needs the same.
type Options struct {
	PoliteBy PoliteBy      // what two requests must not overlap on
	Delay    time.Duration // least time between two request starts of a politeness key; a host's own crawl-delay may raise it

	InScope       func(schema.Host, schema.Site) bool // nil = everything
	MaxDepth      int32                               // clicks from a seed; < 0 = no bound
	MaxPages      int64                               // pages fetched by this process's partitions after which nothing is emitted; 0 = no bound
	HostsPerSite  int                                 // new hosts of a site after that are dropped (wildcard DNS); 0 = no bound
	URLsPerHost   int64                               // new URLs of a host after that are dropped; 0 = no bound
	FollowHinted  bool                                // follow links that are marked nofollow, ugc or sponsored
	MaxFailures   int32                               // tries after which a URL has failed for good
	RetryDelay    time.Duration                       // before the second try; each further one waits five times as long
	Interval      time.Duration                       // first re-crawl interval of a page; 0 = nothing is ever fetched again
	FeedInterval  time.Duration                       // of a feed, a sitemap or a hub
	MinInterval   time.Duration                       // bounds of what the observed changes make of it
	MaxInterval   time.Duration
	MinFeed       time.Duration // shortest interval of a feed
	Window        int           // most URLs in flight per politeness key
	InFlightLeast int           // bounds of what is in flight per partition of urls.scheduled;
	InFlightMost  int           // between them, two seconds of its measured drain
	HostCache     int           // host rows kept decoded
	SeenCache     int           // row keys of recent links kept
	FilterKeys    int           // row keys that the Bloom filters of all partitions hold before they grow
	FilterRate    float64       // of URLs that they take for known although they are new
}

// PoliteBy is what a politeness key is.
type PoliteBy uint8

// The politeness keys.
const (
	ByHost PoliteBy = iota
	BySite
)

// DefaultOptions are for a polite crawl without end.
func DefaultOptions() Options {
	return Options{
		Delay:         time.Second,
		MaxDepth:      -1,
		HostsPerSite:  1000,
		URLsPerHost:   1_000_000,
		MaxFailures:   4,
		RetryDelay:    time.Minute,
		Interval:      24 * time.Hour,
		FeedInterval:  30 * time.Minute,
		MinInterval:   time.Hour,
		MaxInterval:   30 * 24 * time.Hour,
		MinFeed:       10 * time.Minute,
		Window:        1024,
		InFlightLeast: 1_000,
		InFlightMost:  16_000,
		HostCache:     16_384,
		SeenCache:     65_536,
		FilterKeys:    10_000_000, // with this rate: 287,551,752 bits, 20 hashes
		FilterRate:    1e-6,
	}
}

// Validate reports every option that cannot work.
func (o Options) Validate() error {
	var errs []error
	check := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	check(o.PoliteBy <= BySite, "polite by %d: host or site", o.PoliteBy)
	check(o.Delay >= 0 && o.Delay <= time.Hour, "delay of %s: 0 to 1h", o.Delay)
	check(o.MaxPages >= 0, "at most %d pages: 0 = no bound", o.MaxPages)
	check(o.HostsPerSite >= 0, "at most %d hosts a site: 0 = no bound", o.HostsPerSite)
	check(o.URLsPerHost >= 0, "at most %d URLs a host: 0 = no bound", o.URLsPerHost)
	check(o.MaxFailures >= 1, "%d tries: at least 1", o.MaxFailures)
	check(o.RetryDelay >= time.Second, "retry after %s: at least 1s", o.RetryDelay)
	check(o.Interval >= 0 && o.FeedInterval >= 0, "a negative re-crawl interval")
	check(o.MinInterval > 0 && o.MinFeed > 0 && o.MaxInterval >= o.MinInterval && o.MaxInterval >= o.MinFeed,
		"re-crawl intervals from %s (feeds %s) to %s", o.MinInterval, o.MinFeed, o.MaxInterval)
	check(o.Window >= 1 && o.Window <= 1024, "a window of %d: 1 to 1024", o.Window)
	check(o.InFlightLeast >= 1 && o.InFlightMost >= o.InFlightLeast,
		"in flight from %d to %d", o.InFlightLeast, o.InFlightMost)
	check(o.HostCache >= 1 && o.SeenCache >= 1, "caches of %d hosts and %d links", o.HostCache, o.SeenCache)
	check(o.FilterKeys >= 1 && o.FilterRate > 0 && o.FilterRate < 1, "a filter of %d keys at rate %g", o.FilterKeys, o.FilterRate)
	return errors.Join(errs...)
}

// Deps are what the group works with.
type Deps struct {
	Store         state.Store
	Canonicalizer *schema.Canonicalizer
	Logger        *slog.Logger
	Clock         func() time.Time // for what is not a record's time: emission
	Era           int64            // of the write timestamps; at least 1
}

func (d Deps) validate() error {
	if d.Store == nil || d.Canonicalizer == nil || d.Logger == nil || d.Clock == nil || d.Era < 1 {
		return errors.New("schedule: a store, a canonicaliser, a logger, a clock and an era are needed")
	}
	return nil
}

// Start values that no operator needs to change (DESIGN section 3).
const (
	classes   = 8
	lead      = 5 * time.Second  // nothing is emitted longer before its key can start
	hold      = 60 * time.Second // what fetch holds a URL at most before it gives it back
	chunkRows = 1024             // rows of a partition of todo
	slotTime  = 10 * time.Minute // of the time wheel
	slotAhead = 2 * time.Minute  // a slot is loaded so long before it begins
	stepRows  = 1000             // rows that one record moves at most
	stepReads = 256              // and partitions that it reads
	burst     = 8                // URLs of one key emitted in a row
	tickTurns = 1000             // bursts emitted in one Tick
	maxHops   = 5                // redirects in a row
)

// Classes by meaning.
const (
	classNow     = 0 // feed item, recheck
	classRetry   = 1
	classFit     = 2
	classRecrawl = 4
	classRest    = 6
)
