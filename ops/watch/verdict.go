package watch

import (
	"fmt"
	"time"

	"millrace/topics"
)

// State is the state of a group in one word.
type State string

// The states, from good to bad. overall in ops/web takes the last one of this order.
const (
	Idle       State = "idle"        // nothing to do
	KeepingUp  State = "keeping_up"  // handles records within seconds
	Polite     State = "polite"      // behind, because hosts must not be asked too often
	CatchingUp State = "catching_up" // behind, and getting less
	Steady     State = "steady"      // behind, by about the same
	Waiting    State = "waiting"     // behind, because it waits for the next group
	Falling    State = "falling"     // behind, because it is too slow, and getting more
	Stuck      State = "stuck"       // behind, and handles nothing
	Measuring  State = "measuring"   // behind; too early to say more
	Unknown    State = "unknown"     // the brokers do not answer
)

const (
	prompt     = 5.0              // seconds behind that nobody notices
	patience   = 15 * time.Second // a group that handles nothing for this long is stuck
	ahead      = 7.0              // seconds: schedule sends a URL 5 s before it may start, and a little passes
	politeMost = 65.0             // seconds: schedule is 5 s ahead, fetch holds a URL for 60 s at most
	visible    = 0.05             // records per second; less is no movement
	differs    = 1.02             // the least ratio of two rates that differ
	drainSoon  = 3600.0           // seconds
)

// evidence holds the facts that judge uses: the group's edge and rates, the group for which it
// waits, the frontier and the requests.
type evidence struct {
	group    topics.Group
	edge     *Edge
	over     time.Duration // how long rates were measured
	blocked  *Edge         // the group for which it waits
	frontier *Frontier
	requests *Requests
}

// judge returns the state of a group and a sentence that says why.
func judge(ev evidence) (State, string) {
	e := ev.edge
	switch {
	case len(e.Partitions) == 0:
		return Unknown, "lag is unknown: Kafka did not answer in time"
	case ev.group.Name == "fetch" && ev.requests != nil && ev.requests.OfflineSince != "":
		return Stuck, "offline since " + ev.requests.OfflineSince + ": no host can be reached; goes on when a probe succeeds"
	case e.Records == 0:
		return ev.nothingLeft()
	case ev.blocked != nil && ev.group.Pauses:
		return Waiting, "waits for " + ev.blocked.Group + ", which has all it may have"
	case ev.polite():
		return Polite, fmt.Sprintf("on schedule: %d URLs wait for their host's delay", e.Records)
	case e.Out == nil:
		return Measuring, "behind; measuring its speed"
	case *e.Out < visible && ev.over >= patience:
		return Stuck, fmt.Sprintf("stands still: nothing done in %d s", int(ev.over.Seconds()))
	case e.Seconds <= prompt:
		return KeepingUp, "keeps up"
	case *e.In > *e.Out*differs:
		return Falling, ev.why()
	case *e.Out > *e.In*differs, e.Drain != nil && *e.Drain < drainSoon:
		return CatchingUp, "catches up"
	}
	return Steady, "is behind, and neither gains nor loses"
}

func (ev evidence) nothingLeft() (State, string) {
	e := ev.edge
	switch {
	case ev.blocked != nil:
		return KeepingUp, "keeps up; starts nothing new until " + ev.blocked.Group + " has caught up"
	case e.Out != nil && *e.Out >= visible:
		return KeepingUp, "keeps up"
	case ev.group.Name == "schedule" && ev.frontier != nil && ev.frontier.Full:
		return Idle, "idle: the page limit is reached"
	}
	return Idle, "idle"
}

// polite reports whether fetch is behind only because of hosts that must not be asked more often:
// no host is ready, and the oldest URL is no older than schedule's lead time (ahead); or, if hosts
// are blocked or slow and another request could be made, than the time for which fetch may hold a
// URL (politeMost).
func (ev evidence) polite() bool {
	f := ev.frontier
	if ev.group.Name != "fetch" || f == nil || f.HostsReady > 0 {
		return false
	}
	return ev.edge.Seconds <= ahead || (f.HostsWaiting > 0 || ev.requests.free()) && ev.edge.Seconds <= politeMost
}

// why returns what makes a slow group slow.
func (ev evidence) why() string {
	more := fmt.Sprintf("falls behind by %.3g a second", *ev.edge.In-*ev.edge.Out)
	f, r := ev.frontier, ev.requests
	switch {
	case ev.group.Name != "fetch":
	case r != nil && r.Most > 0 && !r.free():
		return fmt.Sprintf("%s: all %d requests are in flight (--requests)", more, r.Most)
	case f != nil && f.HostsReady > 0:
		return fmt.Sprintf("%s: %d hosts are ready and wait for a worker", more, f.HostsReady)
	}
	return more + ": more comes in than it can do"
}

// States lists all states.
func States() []State {
	return []State{Idle, KeepingUp, Polite, CatchingUp, Steady, Waiting, Falling, Stuck, Measuring, Unknown}
}
