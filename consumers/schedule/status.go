package schedule

import (
	"context"
	"fmt"
	"time"

	"millrace/consumers/schedule/table"
	"millrace/schema"
	"millrace/streams/state"
)

// Status is the state of the frontier, for --until-idle, the progress line and the dashboard.
type Status struct {
	Partitions int
	Recovering int       // partitions that are not ready, or whose hosts are not all read
	Hosts      int64     // known
	Active     int       // hosts in memory: with work, or used lately
	Queued     int64     // queue entries not looked at yet; a URL may have two
	InFlight   int64     // sent to fetch, without an outcome
	Ready      int       // politeness keys whose turn it is
	Waiting    int       // politeness keys that wait for their delay or block
	Timers     int       // URLs in the loaded slots of the calendar
	Next       time.Time // when the next first fetch, retry or deferral is due; zero = none. A value of Horizon means: at Horizon or later
	Horizon    time.Time // the loaded slots end here
	Pages      int64     // pages fetched
	Full       bool      // MaxPages is reached: nothing more is sent
	URLs       map[schema.UrlRow_Status]int64
	Causes     map[string]int64 // URLs by reason: not_found, robots, noindex, ...
	Drops      map[string]int64 // what was dropped, by reason
	Known      int64            // links to known URLs
	Probes     int64            // URLs that no page named: made to learn what a parameter changes
	Rules      map[string]int64 // URLs that rules decided about, by rule
	Days       map[int64]Day    // what the last days brought, by day since the Unix epoch (UTC)
}

// Day is the counts of one day.
type Day struct {
	Fetched   int64 // requests with an answer about the URL itself
	Useful    int64 // pages with a text that their host did not have
	Fit       int64 // of these, judged useful by extract (Digest.useful)
	Documents int64 // pages that became a document
}

func (d Day) plus(o Day) Day {
	return Day{d.Fetched + o.Fetched, d.Useful + o.Useful, d.Fit + o.Fit, d.Documents + o.Documents}
}

func newStatus() Status {
	return Status{URLs: map[schema.UrlRow_Status]int64{}, Causes: map[string]int64{}, Drops: map[string]int64{}, Rules: map[string]int64{}, Days: map[int64]Day{}}
}

// Count returns the stored counts of the whole cluster. They are at most one round of writes behind
// and are kept over restarts.
func Count(ctx context.Context, s state.Store, partitions int32) (Status, error) {
	sum := newStatus()
	for p := range partitions {
		row := &schema.CountsRow{}
		found, err := table.Read(ctx, s, schema.ShardTable, table.Counts(p), row)
		if err != nil {
			return sum, fmt.Errorf("counts of partition %d: %w", p, err)
		}
		if found {
			sum.addCounts(row)
			sum.Queued += row.Queued
		}
	}
	return sum, nil
}

func (s *Status) addCounts(row *schema.CountsRow) {
	s.Hosts += row.Hosts
	s.Pages += row.Pages
	for i, n := range row.Statuses {
		if n != 0 {
			s.URLs[schema.UrlRow_Status(i)] += n
		}
	}
	for _, d := range row.Days {
		s.Days[d.Day] = s.Days[d.Day].plus(Day{d.Fetched, d.Useful, d.Fit, d.Documents})
	}
	for _, x := range row.Causes {
		s.Causes[x.Name] += x.N
	}
	for _, x := range row.Rules {
		s.Rules[x.Name] += x.N
	}
	for _, x := range row.Drops {
		switch x.Name {
		case knownLink:
			s.Known += x.N
		case probeMade:
			s.Probes += x.N
		default:
			s.Drops[x.Name] += x.N
		}
	}
}

// publish makes the task's status visible to Schedule.Status.
func (t *task) publish() {
	l := t.ledger
	s := newStatus()
	s.addCounts(l.counts.row)
	s.Partitions, s.Active, s.Queued = 1, l.hosts.Len(), l.hosts.Backlog()
	s.InFlight, s.Ready, s.Waiting = int64(t.emission.flights.len()), l.front.Ready(), l.front.Waiting()
	s.Timers, s.Horizon = l.wheel.Timers(), time.UnixMilli(l.wheel.Horizon())
	s.Next = nextDue(l, s.InFlight)
	if t.recovery.phase != ready || !l.counts.whole {
		s.Recovering = 1
	}
	t.group.publish(t, s)
}

// nextDue returns when the next first fetch, retry or deferral is due; re-crawls do not count. If
// more URLs were never fetched than are in queues, flights and timers, the others wait in slots
// that are not loaded: then it returns the horizon.
func nextDue(l *ledger, flying int64) time.Time {
	if at := l.wheel.Next(); at > 0 {
		return time.UnixMilli(at)
	}
	if l.counts.row.Statuses[schema.UrlRow_QUEUED] > l.hosts.Backlog()+flying {
		return time.UnixMilli(l.wheel.Horizon())
	}
	return time.Time{}
}

func (g *Schedule) publish(t *task, s Status) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, ok := g.tasks[t]; ok {
		g.tasks[t] = s
	}
}

// Status returns the sum over the partitions of this process.
func (g *Schedule) Status() Status {
	sum := newStatus()
	sum.Full = g.pages.full()
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, s := range g.tasks {
		sum.add(s)
	}
	return sum
}

func (s *Status) add(o Status) {
	s.Partitions += o.Partitions
	s.Recovering += o.Recovering
	s.Hosts += o.Hosts
	s.Active += o.Active
	s.Queued += o.Queued
	s.InFlight += o.InFlight
	s.Ready += o.Ready
	s.Waiting += o.Waiting
	s.Timers += o.Timers
	s.Pages += o.Pages
	s.Known += o.Known
	s.Probes += o.Probes
	s.Next = earlier(s.Next, o.Next)
	s.Horizon = earlier(s.Horizon, o.Horizon)
	for k, n := range o.URLs {
		s.URLs[k] += n
	}
	for day, d := range o.Days {
		s.Days[day] = s.Days[day].plus(d)
	}
	for k, n := range o.Causes {
		s.Causes[k] += n
	}
	for k, n := range o.Rules {
		s.Rules[k] += n
	}
	for k, n := range o.Drops {
		s.Drops[k] += n
	}
}

// earlier returns the earlier of two times; a zero time means none.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}
