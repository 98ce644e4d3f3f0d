package schedule

import (
	"millrace/consumers/schedule/hosts"
	"millrace/consumers/schedule/politeness"
	"millrace/schema"
)

// flight is a URL that was emitted and has no outcome yet.
type flight struct {
	host    *hosts.Host
	path    string
	rev     int64
	at      int64 // ms: of the emission
	slot    *politeness.Slot
	entries []hosts.Entry      // of the queues that name the URL: done with its outcome
	refusal *schema.Discovered // the outcome that is under way without a fetch; nil: fetch has it
}

// flights are the URLs in flight, also by age.
type flights struct {
	by     map[schema.RowKey]*flight
	ages   []flightAge // in order of emission
	looked int64       // ms: when the unread part of urls.scheduled was last read
}

// flightAge remembers an emission; it means nothing any more if the flight has
// another time.
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

// anyOverdue reports whether a flight lasts longer than fetch may hold it.
func (f *flights) anyOverdue(now int64) bool {
	for len(f.ages) > 0 {
		if x := f.by[f.ages[0].key]; x != nil && x.at == f.ages[0].at {
			return x.at+3*hold.Milliseconds() <= now
		}
		f.ages = f.ages[1:]
	}
	return false
}

// oldest is the flight that anyOverdue found.
func (f *flights) oldest() (schema.RowKey, *flight) {
	key := f.ages[0].key
	return key, f.by[key]
}

// renew counts the age of the oldest flight anew.
func (f *flights) renew(key schema.RowKey, x *flight, now int64) {
	f.ages = append(f.ages[1:], flightAge{key, now})
	x.at = now
}
