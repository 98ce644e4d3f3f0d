// Package plan turns a seed into everything that a simulated run is given: the web, the
// processes, and the list of faults with their times. A plan is data: it is printed with a
// failure, shortened, and run again.
package plan

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"
)

// Kind is a kind of fault.
type Kind string

// The kinds of faults.
const (
	Kill       Kind = "kill"        // a process is gone at once, and starts again after For
	Lose       Kind = "lose"        // the same, and its disk is gone too
	Leave      Kind = "leave"       // a process ends in order, and starts again after For
	Join       Kind = "join"        // one more process
	Freeze     Kind = "freeze"      // brokers and store do not answer a process, then all answers come at once
	Cut        Kind = "cut"         // all connections of a process to the brokers break once
	StoreFails Kind = "store-fails" // every second call of the store fails, some after they were half done
	StoreSlow  Kind = "store-slow"  // calls of the store take seconds
	DiskFull   Kind = "disk-full"   // the store takes no writes
	Refuse     Kind = "refuse"      // the broker refuses the next requests of a kind
	Unanswered Kind = "unanswered"  // the broker does what it is asked, and the answer is lost
	Hangup     Kind = "hang-up"     // the broker ends the connection and does not do what it is asked
	Expel      Kind = "expel"       // the coordinator does not know a group's member any more
	Clock      Kind = "clock"       // the clock of a process jumps by N seconds, and back after For
	Outage     Kind = "outage"      // a process cannot reach the web
	Stall      Kind = "stall"       // a page never answers, for a while
	Busy       Kind = "busy"        // a page answers 503, for a while
	Unreadable Kind = "unreadable"  // a record that nobody can read
	Recreate   Kind = "recreate"    // all processes end, a topic is deleted and made again, all start
	Sabotage   Kind = "sabotage"    // the invariants are broken on purpose, before they are checked
)

// Fault is one thing that goes wrong.
type Fault struct {
	At      time.Duration `json:"at"` // after the start of the phase
	Phase   int           `json:"phase"`
	Kind    Kind          `json:"kind"`
	Process int           `json:"process"`
	For     time.Duration `json:"for,omitempty"`
	What    string        `json:"what,omitempty"` // request and error, group, topic
	N       int           `json:"n,omitempty"`    // how often, or which
}

// String tells a fault in a line.
func (f Fault) String() string {
	return fmt.Sprintf("phase %d %8s %-11s process %d for %s %s %d", f.Phase, f.At, f.Kind, f.Process, f.For, f.What, f.N)
}

// Plan is all that a run is given.
type Plan struct {
	Seed       uint64        `json:"seed"`
	Hosts      int           `json:"hosts"`
	PerSite    int           `json:"per_site"`
	Pages      int           `json:"pages"` // of a host
	Depth      int           `json:"depth"` // links from a seed at most; 0: any number
	Partitions int           `json:"partitions"`
	Processes  int           `json:"processes"`
	Static     bool          `json:"static"` // members with names that stay
	Delay      time.Duration `json:"delay"`
	Latency    time.Duration `json:"latency"` // of the web
	Faults     []Fault       `json:"faults"`
}

// String tells the plan.
func (p Plan) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "seed %d: %d hosts of %d pages, delay %s, latency %s; depth %d; %d processes, %d partitions, static %v\n",
		p.Seed, p.Hosts, p.Pages, p.Delay, p.Latency, p.Depth, p.Processes, p.Partitions, p.Static)
	for _, f := range p.Faults {
		fmt.Fprintf(&b, "  %s\n", f)
	}
	return b.String()
}

// Phases is how many times faults are followed by a check: the crawl, then what vanished.
const Phases = 2

// New draws a plan.
func New(seed uint64) Plan { return Of(seed, Kinds()) }

// Of draws a plan with faults of these kinds alone.
func Of(seed uint64, kinds []Kind) Plan {
	r := rand.New(rand.NewPCG(seed, 0x5eed))
	p := Plan{
		Seed: seed, Hosts: 2 + r.IntN(8), PerSite: 1 + r.IntN(3), Pages: 4 + r.IntN(16),
		Partitions: 1 << r.IntN(3), Processes: 1 + r.IntN(3), Static: r.IntN(3) == 0,
		Delay:   time.Duration(100+r.IntN(900)) * time.Millisecond,
		Latency: time.Duration(r.IntN(300)) * time.Millisecond,
	}
	if seed%4 == 3 {
		p.Depth = 1 + int(seed/4%3)
	}
	kinds = some(r, slices.Clone(kinds))
	for range 1 + r.IntN(12) {
		p.Faults = append(p.Faults, draw(r, p, kinds[r.IntN(len(kinds))]))
	}
	slices.SortStableFunc(p.Faults, func(a, b Fault) int {
		return cmp.Or(cmp.Compare(a.Phase, b.Phase), cmp.Compare(a.At, b.At))
	})
	return p
}

// some takes a part of the kinds, so that a run has several faults of few kinds: more is
// found than when every run has a little of everything.
func some(r *rand.Rand, kinds []Kind) []Kind {
	r.Shuffle(len(kinds), func(i, j int) { kinds[i], kinds[j] = kinds[j], kinds[i] })
	return kinds[:min(len(kinds), 1+r.IntN(5))]
}

// Kinds lists the kinds that plans are made of.
func Kinds() []Kind {
	return []Kind{
		Kill, Lose, Leave, Join, Freeze, Cut, StoreFails, StoreSlow, DiskFull, Refuse, Unanswered,
		Hangup, Expel, Clock, Outage, Stall, Busy, Unreadable, Recreate,
	}
}

// crawling is within which time of a phase faults begin.
const crawling = 12 * time.Second

func draw(r *rand.Rand, p Plan, k Kind) Fault {
	f := Fault{
		Kind: k, Phase: r.IntN(Phases), At: time.Duration(r.Int64N(int64(crawling))),
		Process: r.IntN(p.Processes), N: r.IntN(1 << 16),
	}
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	upTo := func(most time.Duration) time.Duration { return time.Duration(1 + r.Int64N(int64(most))) }
	switch k {
	case Kill, Lose, Leave:
		f.For = upTo(20 * time.Second)
	case Freeze:
		f.For = upTo(60 * time.Second)
	case StoreFails, StoreSlow, DiskFull, Stall, Busy, Outage:
		f.For = upTo(20 * time.Second)
	case Clock:
		f.For = upTo(30 * time.Second)
		if f.N = 1 + r.IntN(26*60*60); r.IntN(2) == 0 { // seconds
			f.N = -f.N
		}
	case Refuse:
		f.What = pick(refusals()...)
		f.N = 1 + r.IntN(3)
	case Unanswered:
		f.What = pick(requests()...) + pick(" broken", " silent")
		f.N, f.For = 1+r.IntN(3), upTo(20*time.Second)
	case Hangup:
		f.What = pick(requests()...)
		f.N = 1 + r.IntN(3)
	case Expel:
		f.What = pick("schedule", "fetch", "feeds", "sitemaps", "extract", "documents", "dedupe", "index", "links", "ranks", "near")
	case Unreadable:
		f.What = pick("urls.discovered", "urls.scheduled", "pages.fetched", "feeds.fetched", "files.fetched", "docs.extracted")
	case Recreate:
		f.What = pick("urls.discovered", "urls.scheduled", "pages.fetched", "feeds.fetched", "files.fetched", "docs.extracted", "docs.unique")
	}
	return f
}

// requests are the kinds of requests that processes send to brokers.
func requests() []string {
	return []string{
		"Produce", "Fetch", "ListOffsets", "Metadata", "OffsetCommit", "OffsetFetch", "FindCoordinator", "JoinGroup", "Heartbeat",
		"LeaveGroup", "SyncGroup", "ApiVersions", "InitProducerID", "AddPartitionsToTxn", "AddOffsetsToTxn", "EndTxn", "TxnOffsetCommit",
	}
}

// refusals are requests and the errors that a broker may answer them with.
func refusals() []string {
	return []string{
		"OffsetCommit REBALANCE_IN_PROGRESS", "OffsetCommit UNKNOWN_MEMBER_ID", "OffsetCommit COORDINATOR_LOAD_IN_PROGRESS",
		"OffsetCommit NOT_COORDINATOR", "TxnOffsetCommit REBALANCE_IN_PROGRESS", "TxnOffsetCommit COORDINATOR_LOAD_IN_PROGRESS",
		"TxnOffsetCommit UNKNOWN_MEMBER_ID", "EndTxn CONCURRENT_TRANSACTIONS", "EndTxn COORDINATOR_LOAD_IN_PROGRESS",
		"EndTxn INVALID_PRODUCER_EPOCH", "Produce NOT_LEADER_FOR_PARTITION", "Produce REQUEST_TIMED_OUT", "Produce UNKNOWN_SERVER_ERROR",
		"AddPartitionsToTxn CONCURRENT_TRANSACTIONS", "AddOffsetsToTxn COORDINATOR_NOT_AVAILABLE", "InitProducerID COORDINATOR_NOT_AVAILABLE",
		"Fetch NOT_LEADER_FOR_PARTITION", "Fetch UNKNOWN_SERVER_ERROR", "OffsetFetch COORDINATOR_LOAD_IN_PROGRESS", "OffsetFetch UNSTABLE_OFFSET_COMMIT",
		"JoinGroup COORDINATOR_NOT_AVAILABLE", "SyncGroup REBALANCE_IN_PROGRESS", "Heartbeat COORDINATOR_NOT_AVAILABLE",
		"ListOffsets NOT_LEADER_FOR_PARTITION", "FindCoordinator COORDINATOR_NOT_AVAILABLE",
	}
}
