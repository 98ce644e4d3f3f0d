package watch

import (
	"context"
	"time"

	"millrace/streams"
)

// Sources are where a Report comes from. Those that are nil are not in this
// process, and missing from its Reports.
type Sources struct {
	Lag       func(context.Context) streams.Lag                   // with ages: reads records
	Positions func(context.Context) streams.Lag                   // without: cheap enough for every two seconds
	Meter     *streams.Meter                                      // of this process
	Counts    func(context.Context) ([]streams.CountValue, error) // of all processes, ever; nil = Meter has them all

	Frontier    func(context.Context) (Frontier, error)
	Requests    func(context.Context) Requests
	Index       func() []Shard
	Pages       func(context.Context) (Pages, error)
	Freshness   func(context.Context) (*Freshness, error) // nil Freshness: nothing is known yet
	Notices     func(context.Context) []Notice            // besides those that follow from the rest
	DeadLetters func(context.Context) (int64, error)      // how many lie there
	Members     func(context.Context) ([]Member, error)
}

// Frontier is where the whole group schedule stands, over all processes.
type Frontier struct {
	Hosts        int64            `json:"hosts"`
	HostsReady   int64            `json:"hosts_ready"`   // whose turn it is
	HostsWaiting int64            `json:"hosts_waiting"` // for their delay, or blocked
	Queued       int64            `json:"queued"`        // URLs that wait for their first fetch, or a new one after an end
	InFlight     int64            `json:"in_flight"`
	Fetched      int64            `json:"fetched"` // pages, ever
	NextDue      time.Time        `json:"next_due,omitzero"`
	Recovering   int              `json:"recovering,omitempty"` // partitions that emit nothing yet
	Full         bool             `json:"full,omitempty"`       // the page limit is reached
	ByStatus     map[string]int64 `json:"by_status"`
	ByReason     map[string]int64 `json:"by_reason"`
	Drops        map[string]int64 `json:"drops"`          // links and other mentions that did not become URLs, by reason
	Days         []Day            `json:"days,omitempty"` // what the last days brought, oldest first
}

// Day is what a day brought (UTC).
type Day struct {
	Date      string  `json:"date"`      // 2006-01-02
	Fetched   int64   `json:"fetched"`   // requests with an answer about the URL itself
	Useful    int64   `json:"useful"`    // pages that brought a text that their host did not have
	Fit       int64   `json:"fit"`       // of these, judged to be what one comes for
	Documents int64   `json:"documents"` // pages that made a document
	Share     float64 `json:"share"`     // useful / fetched
}

// Requests are those in flight to the web.
type Requests struct {
	InFlight int `json:"in_flight"`
	Most     int `json:"most"` // 0: this process fetches nothing

	Slow         int    `json:"slow,omitempty"`          // besides: those that wait for servers that take long
	OfflineSince string `json:"offline_since,omitempty"` // when this process lost its network (RFC 3339); empty: it has one
	Elsewhere    int64  `json:"elsewhere,omitempty"`     // robots.txt asked of another host, since the start
	Early        int64  `json:"early,omitempty"`         // requests that may have come early because the process was stopped while writing
}

// free reports whether one more could be made.
func (r *Requests) free() bool { return r != nil && r.InFlight < r.Most }

// Shard is one shard of the index.
type Shard struct {
	Partition  int32     `json:"partition"`
	Generation int       `json:"generation"`
	Docs       int64     `json:"docs"`
	Offset     int64     `json:"offset"`            // next to read
	Time       time.Time `json:"time,omitzero"`     // of the last record in it
	Proven     int64     `json:"proven,omitempty"`  // up to this offset it equals the fold of docs.unique
	Frozen     bool      `json:"frozen,omitempty"`  // searched, not written
	Problem    string    `json:"problem,omitempty"` // for people
	Member     string    `json:"member,omitempty"`  // the process that has it, if another
}

// Member is one process.
type Member struct {
	ID     string    `json:"id"`
	Groups []string  `json:"groups"`
	Addr   string    `json:"addr,omitempty"`
	SeenAt time.Time `json:"seen_at"`
}
