package ranks

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"millrace/consumers/ranks/push"
	"millrace/schema"
	"millrace/streams"
	"millrace/topics"
)

// Group is the group's name in topics.Groups.
const Group = "ranks"

// Options of the group.
type Options struct {
	Walk    int64         // links walked in a round, at most
	Quiet   time.Duration // time without a record after which values are made exact
	Exact   time.Duration // time between two exact computations while records come
	Every   time.Duration // time between two publications of values while records come
	Precise time.Duration // while records come, exact values are not published again before this time per record of the last publication: bounds their rate
	Tell    int           // records published in a round, at most
	Top     int           // number of the highest pages, and of hosts, whose exact value is published
	Differ  float64       // the others are published when their value changes by this share
}

// DefaultOptions returns the defaults.
func DefaultOptions() Options {
	return Options{Walk: 1 << 20, Quiet: 500 * time.Millisecond, Exact: 30 * time.Second, Every: 10 * time.Second, Precise: 200 * time.Millisecond, Tell: 500, Top: 10_000, Differ: 0.1}
}

// Validate returns an error for options out of range.
func (o Options) Validate() error {
	if o.Walk < 1 || o.Quiet <= 0 || o.Exact <= 0 || o.Every <= 0 || o.Tell < 1 || o.Top < 0 || o.Differ <= 0 {
		return errors.New("ranks: options must be positive")
	}
	return nil
}

// Deps are the group's dependencies; all are needed.
type Deps struct {
	Graph  Graph
	Logger *slog.Logger
}

// Graph reads the link graph, whose rows belong to the group links.
type Graph interface {
	// Each calls fn with the row of every page.
	Each(ctx context.Context, fn func(*schema.PageLinksRow)) error
	// Page returns the row of the page with an id, which has its row key; nil if there is none yet.
	Page(ctx context.Context, id uint64) (*schema.PageLinksRow, error)
}

// Ranks is the group in one process.
type Ranks struct {
	opts Options
	deps Deps

	rests  atomic.Bool // Finish was called: publish exact values at once
	mu     sync.Mutex
	status Status
}

// Status is the state of the group in this process.
type Status struct {
	Running bool  `json:"running"` // it has the partition, and has read the graph
	Pages   int   `json:"pages"`
	Links   int   `json:"links"`
	Hosts   int   `json:"hosts"`
	Settled bool  `json:"settled"` // values are exact and published
	Walked  int64 `json:"walked"`  // links walked since the start
}

// New returns the group, or an error for wrong options or missing dependencies.
func New(o Options, d Deps) (*Ranks, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if d.Graph == nil || d.Logger == nil {
		return nil, errors.New("ranks: Deps need a graph and a logger")
	}
	return &Ranks{opts: o, deps: d}, nil
}

// Task returns the Task of the only partition: the start function of streams.Run.
func (g *Ranks) Task(p *streams.Partition) streams.Task[*schema.OutLinks] {
	return &task{group: g, part: p, out: emitters{streams.NewEmitter(p, Group, topics.Ranks())}}
}

// emitters are the group's outputs; a send to any other topic does not compile.
type emitters struct {
	ranks streams.Emitter[*schema.Rank]
}

// Status returns the state after the last round.
func (g *Ranks) Status() Status {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.status
}

// Finish asks that exact values are published as soon as no records come any more. Status().Settled
// is true when they are. The next record cancels it.
func (g *Ranks) Finish() { g.rests.Store(true) }

func (g *Ranks) note(s Status) {
	g.mu.Lock()
	g.status = s
	g.mu.Unlock()
}

// Base is the rank of a page or host without a record on the topic ranks.
const Base = 1 - push.Damping
