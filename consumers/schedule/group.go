package schedule

import (
	"fmt"
	"sync"
	"sync/atomic"

	"millrace/schema"
	"millrace/streams"
)

// Name is the consumer group's name.
const Name = "schedule"

// Group is the frontier of one process: the Tasks of the partitions that it is
// assigned, and what they have in common.
type Group struct {
	opts   Options
	deps   Deps
	pages  *pages
	paused atomic.Bool

	mu        sync.Mutex
	tasks     map[*task]Status
	uncounted map[*task]bool // assigned, and their pages are not counted yet
}

// New returns a group with no partition yet.
func New(opts Options, deps Deps) (*Group, error) {
	if err := opts.Validate(); err != nil {
		return nil, fmt.Errorf("schedule: %w", err)
	}
	if err := deps.validate(); err != nil {
		return nil, err
	}
	return &Group{opts: opts, deps: deps, pages: newPages(opts.MaxPages), tasks: map[*task]Status{}, uncounted: map[*task]bool{}}, nil
}

// Task returns the frontier of a partition: the start function of streams.Run.
func (g *Group) Task(p *streams.Partition) streams.Task[*schema.Discovered] {
	t := newTask(g, p)
	g.mu.Lock()
	g.uncounted[t] = true
	g.mu.Unlock()
	return t
}

// counted reports whether the pages of all partitions here are counted. Partitions
// recover side by side: one that is ready must not emit what another one has fetched
// already (MaxPages).
func (g *Group) counted(t *task, whole bool) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if whole {
		delete(g.uncounted, t)
	}
	return len(g.uncounted) == 0
}

// forget takes a task out that has ended.
func (g *Group) forget(t *task) {
	g.mu.Lock()
	delete(g.uncounted, t)
	g.mu.Unlock()
	g.leave(t)
}

// Pause stops or resumes emission; records are handled all the same.
func (g *Group) Pause(on bool) { g.paused.Store(on) }

// share is a partition's part of what the process may keep.
func (g *Group) share(n int) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return max(1, n/max(1, len(g.tasks)))
}

// join counts a task in; leave takes it and its flights out again.
func (g *Group) join(t *task) {
	g.mu.Lock()
	g.tasks[t] = Status{}
	g.mu.Unlock()
	g.pages.correct(t)
}

func (g *Group) leave(t *task) {
	g.mu.Lock()
	delete(g.tasks, t)
	g.mu.Unlock()
	g.pages.leave(t)
	if t.emission.flights != nil {
		t.emission.flights = newFlights()
	}
}
