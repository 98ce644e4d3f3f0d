package schedule

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"millrace/consumers/schedule/table"
	"millrace/schema"
	"millrace/streams"
)

// Group is the consumer group's name.
const Group = "schedule"

// Schedule is the frontier of one process: the Tasks of its assigned partitions and what they
// share.
type Schedule struct {
	opts   Options
	deps   Deps
	pages  *pages
	sites  siteCounts
	sums   sites
	paused atomic.Bool

	mu        sync.Mutex
	tasks     map[*task]Status
	uncounted map[*task]bool // assigned, but the pages of their hosts are not counted yet
}

// New returns a group without partitions. It reports invalid options and missing dependencies.
func New(opts Options, deps Deps) (*Schedule, error) {
	if err := opts.Validate(); err != nil {
		return nil, fmt.Errorf("schedule: %w", err)
	}
	if err := deps.validate(); err != nil {
		return nil, err
	}
	return &Schedule{opts: opts, deps: deps, pages: newPages(opts.MaxPages), tasks: map[*task]Status{}, uncounted: map[*task]bool{}}, nil
}

// Task returns the frontier of one partition. It is the start function for streams.Run.
func (g *Schedule) Task(p *streams.Partition) streams.Task[*schema.Discovered] {
	t := newTask(g, p)
	g.mu.Lock()
	g.uncounted[t] = true
	g.mu.Unlock()
	return t
}

// counted reports whether the pages of all partitions of this process are counted; whole says that
// those of t are. Partitions recover side by side, and with MaxPages one that is ready must wait
// until the pages of the others are known.
func (g *Schedule) counted(t *task, whole bool) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if whole {
		delete(g.uncounted, t)
	}
	return len(g.uncounted) == 0
}

// lookElsewhere reads how many pages the partitions of other processes have fetched, with MaxPages
// and at most every two seconds.
func (g *Schedule) lookElsewhere(ctx context.Context, count int32, now int64) error {
	if !g.pages.old(now) {
		return nil
	}
	mine := map[int32]bool{}
	g.mu.Lock()
	for t := range g.tasks {
		mine[t.p.ID()] = true
	}
	g.mu.Unlock()
	x := elsewhere{part: float64(len(mine)) / float64(count), known: true, read: now}
	for p := range count {
		if mine[p] {
			continue
		}
		row := &schema.CountsRow{}
		if _, err := table.Read(ctx, g.deps.Store, schema.ShardTable, table.Counts(p), row); err != nil {
			return fmt.Errorf("pages of partition %d: %w", p, err)
		}
		x.pages += row.Pages
	}
	g.pages.know(x)
	return nil
}

// forget removes a task that has ended.
func (g *Schedule) forget(t *task) {
	g.mu.Lock()
	delete(g.uncounted, t)
	g.mu.Unlock()
	g.leave(t)
}

// Pause stops or resumes sending to fetch. Records are handled all the same.
func (g *Schedule) Pause(on bool) { g.paused.Store(on) }

// share divides a limit of the process among its partitions; at least 1.
func (g *Schedule) share(n int) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return max(1, n/max(1, len(g.tasks)))
}

// join adds a task and its stored count of pages; leave removes the task with its pages and
// flights.
func (g *Schedule) join(t *task) {
	g.mu.Lock()
	g.tasks[t] = Status{}
	g.mu.Unlock()
	g.pages.correct(t)
	g.pages.know(elsewhere{})
	g.partitions(t.p.Count())
}

// partitions tells sums which partitions this process has.
func (g *Schedule) partitions(count int32) {
	mine := map[int32]bool{}
	g.mu.Lock()
	for t := range g.tasks {
		mine[t.p.ID()] = true
	}
	g.mu.Unlock()
	g.sums.owns(mine, count)
}

func (g *Schedule) leave(t *task) {
	g.mu.Lock()
	delete(g.tasks, t)
	g.mu.Unlock()
	g.pages.leave(t)
	g.pages.know(elsewhere{})
	if t.emission.flights != nil {
		for _, f := range t.emission.flights.by {
			if f.placed {
				g.sums.fly(schema.Site(f.host.Row.Site), -1)
			}
		}
		t.emission.flights = newFlights()
	}
	g.partitions(t.p.Count())
}
