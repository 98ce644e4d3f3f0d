package watch

import "time"

// Freshness says how current the index is, estimated from how often pages change.
type Freshness struct {
	At time.Time `json:"at"`
	Currency
	Sampled bool     `json:"sampled,omitempty"` // not all hosts were read
	Rows    int      `json:"rows"`              // pages from which the estimate is made
	Budget  *Bought  `json:"budget,omitempty"`  // absent: nothing is fetched again
	Arrived *Arrived `json:"feed_items,omitempty"`
	Sites   []Site   `json:"sites,omitempty"` // those with the most pages, most first
}

// Currency is how current the pages of a crawl, a site or a host are in the index: those with a
// document of their own, and those whose text is the same as that of one.
type Currency struct {
	Pages     int64           `json:"pages"`
	Current   float64         `json:"current"`         // expected share that still says what it said at its last fetch, 0 to 1
	StaleDays float64         `json:"mean_days_stale"` // mean days for which the last fetch is expected to be out of date
	AgeP50    float64         `json:"age_p50_seconds"` // since the page was fetched last
	AgeP90    float64         `json:"age_p90_seconds"`
	AgeP99    float64         `json:"age_p99_seconds"`
	Overdue   float64         `json:"overdue"` // share whose next fetch is late
	Intervals []IntervalGroup `json:"intervals"`
}

// IntervalGroup counts the pages that are fetched again at such intervals.
type IntervalGroup struct {
	Name  string  `json:"name"`         // "up to 6 h"
	Most  float64 `json:"most_seconds"` // 0 = any longer interval, or never again
	Pages int64   `json:"pages"`
}

// Bought is the share of pages that is current in the long run, with half, all and twice the
// budget of re-crawls.
type Bought struct {
	Half  float64 `json:"half"`
	Now   float64 `json:"now"`
	Twice float64 `json:"twice"`
}

// Site is the freshness of a site.
type Site struct {
	Site string `json:"site"`
	Currency
}
