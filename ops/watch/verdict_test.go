package watch

import (
	"strings"
	"testing"
	"time"

	"millrace/streams"
	"millrace/topics"
)

func TestVerdicts(t *testing.T) {
	rate := func(v float64) *float64 { return &v }
	politeFrontier := &Frontier{HostsWaiting: 2000}
	for _, c := range []struct {
		name     string
		group    string
		records  int64
		seconds  float64
		in, out  *float64
		blocked  string
		frontier *Frontier
		requests *Requests
		state    State
		words    string
	}{
		{name: "nothing to do", group: "dedupe", in: rate(0), out: rate(0), state: Idle, words: "idle"},
		{name: "all done at once", group: "dedupe", in: rate(9), out: rate(9), state: KeepingUp},
		{name: "a little behind", group: "dedupe", records: 9, seconds: 1, in: rate(9), out: rate(8), state: KeepingUp},
		{name: "schedule holds back", group: "schedule", blocked: "fetch", in: rate(1), out: rate(1), state: KeepingUp, words: "until fetch"},
		{name: "page limit", group: "schedule", frontier: &Frontier{Full: true}, state: Idle, words: "limit"},
		{name: "behind for politeness", group: "fetch", records: 300, seconds: 40, in: rate(5), out: rate(1), frontier: politeFrontier, state: Polite, words: "300 URLs wait"},
		{name: "too old for politeness", group: "fetch", records: 300, seconds: 400, in: rate(5), out: rate(1), frontier: politeFrontier, state: Falling},
		{name: "behind for lack of workers", group: "fetch", records: 300, seconds: 40, in: rate(5), out: rate(1), frontier: &Frontier{HostsReady: 70, HostsWaiting: 9}, state: Falling, words: "70 hosts are ready"},
		{name: "behind since hosts answer slowly", group: "fetch", records: 300, seconds: 40, in: rate(5), out: rate(1), frontier: &Frontier{}, requests: &Requests{InFlight: 30, Most: 256}, state: Polite, words: "host's delay"},
		{name: "behind for lack of requests", group: "fetch", records: 300, seconds: 40, in: rate(5), out: rate(1), frontier: &Frontier{}, requests: &Requests{InFlight: 256, Most: 256}, state: Falling, words: "all 256 requests are in flight"},
		{name: "no network", group: "fetch", in: rate(0), out: rate(0), frontier: &Frontier{}, requests: &Requests{Most: 256, OfflineSince: "2026-01-01T00:00:00Z"}, state: Stuck, words: "offline since 2026-01-01"},
		{name: "another group is politeness-blind", group: "extract", records: 300, seconds: 40, in: rate(5), out: rate(1), frontier: politeFrontier, state: Falling, words: "falls behind by 4 a second"},
		{name: "held by the next", group: "extract", blocked: "dedupe", records: 300, seconds: 40, in: rate(5), out: rate(0), state: Waiting, words: "waits for dedupe"},
		{name: "nothing moves", group: "extract", records: 300, seconds: 40, in: rate(5), out: rate(0), state: Stuck, words: "30 s"},
		{name: "gets better", group: "index", records: 300, seconds: 40, in: rate(5), out: rate(9), state: CatchingUp},
		{name: "stays", group: "index", records: 300, seconds: 40, in: rate(5), out: rate(5), state: Steady},
		{name: "too early to say", group: "index", records: 300, seconds: 40, state: Measuring},
	} {
		g, err := topics.GroupNamed(c.group)
		if err != nil {
			t.Fatal(err)
		}
		e := &Edge{GroupLag: streams.GroupLag{Group: c.group, Records: c.records, Seconds: c.seconds, Partitions: make([]streams.PartitionLag, 1)}, In: c.in, Out: c.out}
		ev := evidence{group: g, edge: e, over: 30 * time.Second, frontier: c.frontier, requests: c.requests}
		if c.blocked != "" {
			ev.blocked = &Edge{GroupLag: streams.GroupLag{Group: c.blocked}}
		}
		state, words := judge(ev)
		if state != c.state || !strings.Contains(words, c.words) {
			t.Errorf("%s: %s, %q; want %s, %q", c.name, state, words, c.state, c.words)
		}
	}
}

// A writer is blocked by the reader that its process says it waits for. Of another process the
// reader's lag tells: above the most records, or above the floor for longer than the bound.
func TestBlockedByTheReadersBound(t *testing.T) {
	g, err := topics.GroupNamed("fetch")
	if err != nil {
		t.Fatal(err)
	}
	bound := topics.Pages().Bound
	held := []streams.Held{{Topic: topics.Pages().Name, Reader: "extract", Unread: 9, Bound: 8}}
	for _, c := range []struct {
		name    string
		records int64
		seconds float64
		held    []streams.Held
		want    bool
	}{
		{"nothing unread", 0, 0, nil, false},
		{"its process says so", 0, 0, held, true},
		{"the most", bound.Records, 0, nil, false},
		{"more than the most", bound.Records + 1, 0, nil, true},
		{"the floor, for long", bound.Floor, 60, nil, false},
		{"more than the floor, for long", bound.Floor + 1, 60, nil, true},
		{"more than the floor, of late", bound.Floor + 1, 1, nil, false},
	} {
		r := Report{Groups: []Edge{{GroupLag: streams.GroupLag{Group: "extract", Partitions: []streams.PartitionLag{{}, {Records: c.records, Seconds: c.seconds}}}},
			{GroupLag: streams.GroupLag{Group: "feeds"}}, {GroupLag: streams.GroupLag{Group: "sitemaps"}}}}
		if got := r.blocked(g, c.held) != nil; got != c.want {
			t.Errorf("%s: blocked %v", c.name, got)
		}
	}
}

func TestAGroupThatNobodyRunsIsNamed(t *testing.T) {
	r := Report{
		Members: []Member{{ID: "a", Groups: []string{"fetch"}}},
		Groups:  []Edge{{GroupLag: streams.GroupLag{Group: "fetch", Records: 3}}, {GroupLag: streams.GroupLag{Group: "dedupe", Records: 3}}, {GroupLag: streams.GroupLag{Group: "index"}}},
	}
	r.nameAbsent()
	if r.Groups[0].State != "" || r.Groups[2].State != "" || r.Groups[1].Verdict != "no process is in this group: start one with millrace consume dedupe" {
		t.Errorf("%+v", r.Groups)
	}
}
