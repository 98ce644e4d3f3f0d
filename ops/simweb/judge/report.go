package judge

import (
	"cmp"
	"slices"
	"time"

	"millrace/ops/simweb/truth"
	"millrace/ops/simweb/world"
)

// Report is the verdict.
type Report struct {
	Requests    int
	Bytes       int64
	From, To    time.Time // start of the first and of the last request
	Statuses    map[int]int
	Delay       time.Duration
	Hosts       Spread
	Sites       Spread
	Addresses   Spread
	Robots      RobotsReport
	Repeats     Repeats
	Coverage    *Coverage `json:",omitempty"`
	Staleness   []Sample
	Items       ItemDelay
	Validated   Validation
	UnknownHost int // requests for hosts that are not of the web
	WrongAgent  int // requests whose User-Agent does not name the agent
	TrapPages   int // requests for pages of traps
	OddURLsLost int // URLs that could not be kept
}

// Validation counts conditional requests and what came of them.
type Validation struct{ Asked, NotModified int }

// Judge makes a report of a record.
type Judge struct {
	w   *world.World
	web truth.Web
	rec *Record
}

// New returns a judge of requests to a world; web is the world with overrides.
func New(w *world.World, web truth.Web, rec *Record) *Judge { return &Judge{w, web, rec} }

// Record returns what is judged.
func (j *Judge) Record() *Record { return j.rec }

// Report judges all requests so far.
func (j *Judge) Report(opts Options) (*Report, error) {
	if err := opts.Validate(); err != nil {
		return nil, err
	}
	events := j.rec.Events()
	r := &Report{Requests: len(events), Statuses: map[int]int{}, Delay: opts.Delay}
	known := events[:0:0]
	for _, e := range events {
		j.count(r, e)
		if e.Flags&NoHost == 0 {
			known = append(known, e)
		}
	}
	if len(events) > 0 {
		r.From = time.Unix(0, events[0].Start).UTC()
		r.To = time.Unix(0, events[len(events)-1].Start).UTC()
	}
	r.Hosts = j.byHost(opts, known)
	r.Sites = j.bySite(opts, known)
	r.Addresses = j.byAddress(opts, known)
	r.Robots = j.robots(opts, known)
	r.Repeats = j.repeats(opts, known)
	if opts.Truth != nil {
		r.Coverage = j.coverage(opts, known)
	}
	r.Staleness = j.staleness(opts, known)
	r.Items = j.items(known)
	j.rec.mu.Lock()
	r.OddURLsLost = j.rec.lost
	j.rec.mu.Unlock()
	return r, nil
}

func (j *Judge) count(r *Report, e Event) {
	r.Bytes += int64(e.Bytes)
	r.Statuses[int(e.Status)]++
	if e.Flags&NoHost != 0 {
		r.UnknownHost++
	}
	if e.Flags&AgentRight == 0 {
		r.WrongAgent++
	}
	if isTrap(e.Page.Space()) {
		r.TrapPages++
	}
	if e.Flags&Conditional != 0 {
		r.Validated.Asked++
		if e.Status == 304 {
			r.Validated.NotModified++
		}
	}
}

func isTrap(s world.Space) bool { return s == world.Calendar || s == world.Maze || s == world.Facet }

func (j *Judge) byHost(opts Options, events []Event) Spread {
	return spread(opts, events, func(e Event) world.Host { return e.Host },
		func(h world.Host) (string, time.Duration) { return j.w.HostName(h), opts.delay(j.w, h) })
}

func (j *Judge) bySite(opts Options, events []Event) Spread {
	return spread(opts, events, func(e Event) uint32 { return j.w.Site(e.Host) },
		func(s uint32) (string, time.Duration) { return j.w.SiteName(s), opts.Delay })
}

func (j *Judge) byAddress(opts Options, events []Event) Spread {
	return spread(opts, events, func(e Event) uint16 { return e.IP },
		func(i uint16) (string, time.Duration) { return j.rec.address(i), opts.Delay })
}

func (r *Record) address(i uint16) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if int(i) >= len(r.ips) {
		return "unknown"
	}
	return r.ips[i].String()
}

// spread groups the requests by a key and measures each group.
func spread[K cmp.Ordered](opts Options, events []Event, key func(Event) K, name func(K) (string, time.Duration)) Spread {
	groups := map[K][]span{}
	for _, e := range events {
		s := span{e.Start, e.End()}
		if opts.WebTime {
			s = span{e.At, e.At + e.End() - e.Start}
		}
		groups[key(e)] = append(groups[key(e)], s)
	}
	keys := make([]K, 0, len(groups))
	for k := range groups {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	s := spreader{opts: opts}
	for _, k := range keys {
		label, delay := name(k)
		s.add(label, delay, groups[k])
	}
	return s.spread()
}

// url of a request, without port.
func (j *Judge) url(e Event) string {
	if e.Flags&Odd != 0 {
		j.rec.mu.Lock()
		defer j.rec.mu.Unlock()
		if u := j.rec.odd[oddKey{e.Host, e.Form, e.Page}]; u != "" {
			return u
		}
	}
	return j.w.URL(e.ref(), "")
}
