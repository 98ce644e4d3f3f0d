package schedule

import (
	"millrace/consumers/schedule/hosts"
	"millrace/consumers/schedule/politeness"
	"millrace/schema"
)

// flight is a URL that was sent to fetch and has no outcome yet.
type flight struct {
	host    *hosts.Host
	path    string
	rev     int64
	at      int64 // ms: when it was sent
	slot    *politeness.Slot
	entries []hosts.Entry      // queue entries of the URL; its outcome finishes them
	placed  bool               // it takes one of the PagesPerSite places of its site
	refusal *schema.Discovered // not nil: the URL is not fetched; this outcome was appended in its place
}

// flights are the URLs in flight, by row key and in order of age.
type flights struct {
	by     map[schema.RowKey]*flight
	ages   []flightAge // in the order in which they were sent
	looked int64       // ms: when the unread part of urls.scheduled was last read
}

// flightAge is the time at which a URL was sent. It is ignored if the flight has another time by
// now.
type flightAge struct {
	key schema.RowKey
	at  int64
}

func newFlights() *flights { return &flights{by: map[schema.RowKey]*flight{}} }

func (f *flights) len() int { return len(f.by) }

func (f *flights) of(key schema.RowKey) *flight { return f.by[key] }

func (f *flights) add(key schema.RowKey, x *flight) {
	f.by[key] = x
	f.ages = append(f.ages, flightAge{key, x.at})
}

func (f *flights) remove(key schema.RowKey) { delete(f.by, key) }

// anyOverdue reports whether the oldest flight is older than 3 * hold (three minutes,
// Scheduled.not_after). It removes outdated ages from the front of the list.
func (f *flights) anyOverdue(now int64) bool {
	for len(f.ages) > 0 {
		if x := f.by[f.ages[0].key]; x != nil && x.at == f.ages[0].at {
			return x.at+3*hold.Milliseconds() <= now
		}
		f.ages = f.ages[1:]
	}
	return false
}

// oldest returns the oldest flight. Call it only after anyOverdue returned true.
func (f *flights) oldest() (schema.RowKey, *flight) {
	key := f.ages[0].key
	return key, f.by[key]
}

// renew sets the age of the oldest flight to now and moves it to the end of the list.
func (f *flights) renew(key schema.RowKey, x *flight, now int64) {
	f.ages = append(f.ages[1:], flightAge{key, now})
	x.at = now
}
