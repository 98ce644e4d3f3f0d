package watch

import (
	"context"
	"time"

	"millrace/streams"
)

// Sources are the functions from which a Report is made. A nil function means that this process
// does not have the source; its part is missing from the Report.
type Sources struct {
	Lag       func(context.Context) streams.Lag                   // with ages: it reads records
	Positions func(context.Context) streams.Lag                   // without ages: cheap enough for every two seconds
	Meter     *streams.Meter                                      // of this process
	Counts    func(context.Context) ([]streams.CountValue, error) // of all processes since the beginning; nil = Meter has them all

	Frontier    func(context.Context) (Frontier, error)
	Requests    func(context.Context) Requests
	Index       func() []Shard
	Pages       func(context.Context) (Pages, error)
	Freshness   func(context.Context) (*Freshness, error) // nil Freshness: not known yet
	Notices     func(context.Context) ([]Notice, error)   // besides those that follow from the other sources; with an error, those known
	DeadLetters func(context.Context) (int64, error)      // number of dead letters
	Members     func(context.Context) ([]Member, error)
}

// Frontier is the state of the group schedule, over all processes.
type Frontier struct {
	Hosts        int64            `json:"hosts"`
	HostsReady   int64            `json:"hosts_ready"`   // whose turn it is
	HostsWaiting int64            `json:"hosts_waiting"` // for their delay, or blocked
	Queued       int64            `json:"queued"`        // URLs that wait for their first fetch, or are due again
	InFlight     int64            `json:"in_flight"`
	Fetched      int64            `json:"fetched"` // pages, ever
	NextDue      time.Time        `json:"next_due,omitzero"`
	Recovering   int              `json:"recovering,omitempty"` // partitions that emit nothing yet
	Full         bool             `json:"full,omitempty"`       // the page limit is reached
	ByStatus     map[string]int64 `json:"by_status"`
	ByReason     map[string]int64 `json:"by_reason"`
	Drops        map[string]int64 `json:"drops"`          // links and other mentions that did not become URLs, by reason
	Days         []Day            `json:"days,omitempty"` // of the last days, oldest first
}

// Day has the numbers of one day (UTC).
type Day struct {
	Date      string  `json:"date"`      // 2006-01-02
	Fetched   int64   `json:"fetched"`   // requests whose answer is about the URL itself
	Useful    int64   `json:"useful"`    // pages that brought a text that their host did not have
	Fit       int64   `json:"fit"`       // of the useful pages, those judged to have content of their own
	Documents int64   `json:"documents"` // pages that made a document
	Share     float64 `json:"share"`     // useful / fetched
}

// Requests are the requests to the web in flight.
type Requests struct {
	InFlight int `json:"in_flight"`
	Most     int `json:"most"` // 0: this process fetches nothing

	Slow         int    `json:"slow,omitempty"`          // more requests, which wait for slow servers
	OfflineSince string `json:"offline_since,omitempty"` // when this process lost its network (RFC 3339); empty: it has one
	Elsewhere    int64  `json:"elsewhere,omitempty"`     // robots.txt asked of another host, since the start
	Early        int64  `json:"early,omitempty"`         // requests that may have come early because the process was stopped while writing
}

// free reports whether another request could be made.
func (r *Requests) free() bool { return r != nil && r.InFlight < r.Most }

// Shard is one shard of the index.
type Shard struct {
	Partition  int32     `json:"partition"`
	Generation int       `json:"generation"`
	Docs       int64     `json:"docs"`
	Offset     int64     `json:"offset"`            // next to read
	Time       time.Time `json:"time,omitzero"`     // of the last record in it
	Proven     int64     `json:"proven,omitempty"`  // up to this offset a proof confirmed its digest
	Frozen     bool      `json:"frozen,omitempty"`  // searched, not written
	Problem    string    `json:"problem,omitempty"` // for people
	Member     string    `json:"member,omitempty"`  // the process that has it, if it is another one
}

// Member is one process.
type Member struct {
	ID     string    `json:"id"`
	Groups []string  `json:"groups"`
	Addr   string    `json:"addr,omitempty"`
	SeenAt time.Time `json:"seen_at"`
}
