package ranks

import (
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"millrace/consumers/ranks/push"
	"millrace/schema"
	"millrace/streams"
	"millrace/streams/state"
	"millrace/topics"
)

// Group is the group's name on the map.
const Group = "ranks"

// Options of the group.
type Options struct {
	Walk    int64         // links walked in a round, at most
	Quiet   time.Duration // without a record, before values are made exact
	Exact   time.Duration // between two times that they are made exact while records come
	Every   time.Duration // between two times that values are told while records come
	Precise time.Duration // between two times that exact values are told, for each record of the first: bounds their number
	Tell    int           // records told in a round, at most
	Top     int           // of so many pages and hosts the exact value is told
	Differ  float64       // of the others, when the value changes by this share
}

// DefaultOptions returns the start values.
func DefaultOptions() Options {
	return Options{Walk: 1 << 20, Quiet: 500 * time.Millisecond, Exact: 30 * time.Second, Every: 10 * time.Second, Precise: 200 * time.Millisecond, Tell: 500, Top: 10_000, Differ: 0.1}
}

// Validate reports what cannot work.
func (o Options) Validate() error {
	if o.Walk < 1 || o.Quiet <= 0 || o.Exact <= 0 || o.Every <= 0 || o.Tell < 1 || o.Top < 0 || o.Differ <= 0 {
		return errors.New("ranks: options must be positive")
	}
	return nil
}

// Deps are what the group works with.
type Deps struct {
	Store  state.Store
	Logger *slog.Logger
}

// Ranks is the group in one process.
type Ranks struct {
	opts Options
	deps Deps

	rests  atomic.Bool // exact values are waited for
	mu     sync.Mutex
	status Status
}

// Status is where the group stands in this process.
type Status struct {
	Running bool  `json:"running"` // it has the partition, and the graph
	Pages   int   `json:"pages"`
	Links   int   `json:"links"`
	Hosts   int   `json:"hosts"`
	Settled bool  `json:"settled"` // values are exact, and told
	Walked  int64 `json:"walked"`  // links, since the start
}

// New returns the group, or says what cannot work.
func New(o Options, d Deps) (*Ranks, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	if d.Store == nil || d.Logger == nil {
		return nil, errors.New("ranks: Deps need a store and a logger")
	}
	return &Ranks{opts: o, deps: d}, nil
}

// Task returns the Task of the only partition: the start function of streams.Run.
func (g *Ranks) Task(p *streams.Partition) streams.Task[*schema.OutLinks] {
	return &task{group: g, part: p, out: emitters{streams.NewEmitter(p, Group, topics.Ranks())}}
}

// emitters are the group's outputs; another does not compile.
type emitters struct {
	ranks streams.Emitter[*schema.Rank]
}

// Status returns where the group stands.
func (g *Ranks) Status() Status {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.status
}

// Finish asks that exact values are told as soon as nothing comes any more: Status().Settled.
func (g *Ranks) Finish() { g.rests.Store(true) }

func (g *Ranks) note(s Status) {
	g.mu.Lock()
	g.status = s
	g.mu.Unlock()
}

// Base is the value of what has no record on the topic ranks.
const Base = 1 - push.Damping
