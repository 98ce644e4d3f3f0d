package schedule

import (
	"time"

	"millrace/schema"
)

// Status is where the frontier stands, for --until-idle, progress and dashboard.
type Status struct {
	Partitions int
	Recovering int       // partitions that do not emit yet
	Hosts      int64     // known
	Active     int       // hosts in memory: with work, or used lately
	Queued     int64     // entries of queues not looked at; a URL may stand in two
	InFlight   int64     // emitted, without an outcome
	Ready      int       // politeness keys whose turn it is
	Waiting    int       // politeness keys that wait for their delay or block
	Timers     int       // URLs due within the loaded slots
	Next       time.Time // when the next first fetch, retry or deferral is due; zero = none waits. At Horizon or later it is not known better
	Horizon    time.Time // all that is due before is known to Next
	Pages      int64     // pages fetched
	Full       bool      // MaxPages is reached: nothing more is emitted
	URLs       map[schema.UrlRow_Status]int64
	Causes     map[string]int64 // of those that have one: not_found, robots, network, noindex, ...
}

// totals counts URLs and hosts of one partition.
type totals struct {
	hosts    int64
	pages    int64
	statuses [16]int64
	causes   map[string]int64
}

func (s *totals) addHost(row *schema.HostRow) {
	s.hosts++
	s.pages += row.Fetched
	for i, n := range row.Statuses {
		s.statuses[i] += n
	}
	for _, c := range row.Causes {
		s.addCause(c.Name, c.N)
	}
}

func (s *totals) add(c tally, n int64) {
	s.statuses[c.status] += n
	if c.cause != "" {
		s.addCause(c.cause, n)
	}
}

func (s *totals) addCause(name string, n int64) {
	if s.causes == nil {
		s.causes = map[string]int64{}
	}
	s.causes[name] += n
}

// publish makes the task's status visible to others.
func (t *task) publish() {
	s := Status{
		Partitions: 1, Hosts: t.totals.hosts, Active: len(t.hosts), Queued: t.backlog,
		InFlight: int64(len(t.flights)), Waiting: len(t.front.waiting.list), Pages: t.totals.pages,
		Timers: len(t.wheel.timers[0]) + len(t.wheel.timers[1]),
		Next:   t.next(), Horizon: time.UnixMilli(t.wheel.horizon * slotTime.Milliseconds()),
		URLs: map[schema.UrlRow_Status]int64{}, Causes: map[string]int64{},
	}
	if !t.ready {
		s.Recovering = 1
	}
	for _, d := range t.front.dests {
		s.Ready += d.ready[quick].Len() + d.ready[unproven].Len()
	}
	for i, n := range t.totals.statuses {
		if n != 0 {
			s.URLs[schema.UrlRow_Status(i)] = n
		}
	}
	for name, n := range t.totals.causes {
		s.Causes[name] = n
	}
	t.group.publish(t, s)
}

// next is when something that is no re-crawl is due. URLs that were never
// fetched and are in no queue, flight or timer wait in slots that are not loaded.
func (t *task) next() time.Time {
	if timers := t.wheel.timers[0]; len(timers) > 0 {
		return time.UnixMilli(timers[0].due)
	}
	unfetched := t.totals.statuses[schema.UrlRow_QUEUED]
	if unfetched > t.backlog+int64(len(t.flights)) {
		return time.UnixMilli(t.wheel.horizon * slotTime.Milliseconds())
	}
	return time.Time{}
}

func (g *Group) publish(t *task, s Status) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, ok := g.tasks[t]; ok {
		g.tasks[t] = s
	}
}

// Status returns the sum over the partitions of this process.
func (g *Group) Status() Status {
	g.mu.Lock()
	defer g.mu.Unlock()
	sum := Status{URLs: map[schema.UrlRow_Status]int64{}, Causes: map[string]int64{}}
	for _, s := range g.tasks {
		sum.add(s)
	}
	sum.Full = g.opts.MaxPages > 0 && sum.Pages >= g.opts.MaxPages
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
	s.Next = earlier(s.Next, o.Next)
	s.Horizon = earlier(s.Horizon, o.Horizon)
	for k, n := range o.URLs {
		s.URLs[k] += n
	}
	for k, n := range o.Causes {
		s.Causes[k] += n
	}
}

// earlier returns the earlier of two times of which zero is none.
func earlier(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}
