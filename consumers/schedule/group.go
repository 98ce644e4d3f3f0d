package schedule

import (
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"millrace/schema"
	"millrace/streams"
)

// Group is the frontier of one process: the Tasks of the partitions that it is
// assigned, and what they have in common.
type Group struct {
	opts   Options
	deps   Deps
	scorer scorer

	pages  atomic.Int64 // fetched by hosts of these partitions
	flying atomic.Int64 // URLs in flight
	paused atomic.Bool

	mu    sync.Mutex
	tasks map[*task]Status
}

// New returns a group with no partition yet.
func New(opts Options, deps Deps) (*Group, error) {
	if err := opts.Validate(); err != nil {
		return nil, fmt.Errorf("schedule: %w", err)
	}
	if err := deps.validate(); err != nil {
		return nil, err
	}
	return &Group{opts: opts, deps: deps, scorer: byDepth{}, tasks: map[*task]Status{}}, nil
}

// Task returns the frontier of a partition: the start function of streams.Run.
func (g *Group) Task(p *streams.Partition) streams.Task[*schema.Discovered] { return newTask(g, p) }

// Pause stops or resumes emission; records are handled all the same.
func (g *Group) Pause(on bool) { g.paused.Store(on) }

func (g *Group) stopped() bool { return g.paused.Load() || g.pagesLeft() <= 0 }

// pagesLeft is how many more URLs may be emitted before MaxPages is reached.
func (g *Group) pagesLeft() int {
	if g.opts.MaxPages == 0 {
		return math.MaxInt
	}
	return int(g.opts.MaxPages - g.pages.Load() - g.flying.Load())
}

// reserve takes a place among the URLs in flight, unless there are as many pages,
// fetched or on their way, as there may be.
func (g *Group) reserve() bool {
	n := g.flying.Add(1)
	if g.opts.MaxPages > 0 && g.pages.Load()+n > g.opts.MaxPages {
		g.flying.Add(-1)
		return false
	}
	return true
}

// join counts a task in; leave takes it and its flights out again.
func (g *Group) join(t *task) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.tasks[t] = Status{}
	g.pages.Add(t.totals.pages)
}

func (g *Group) leave(t *task) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, ok := g.tasks[t]; ok {
		delete(g.tasks, t)
		g.pages.Add(-t.totals.pages)
	}
	g.flying.Add(-int64(len(t.flights)))
	clear(t.flights)
}
