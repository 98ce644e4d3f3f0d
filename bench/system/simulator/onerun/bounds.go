package onerun

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"

	"github.com/twmb/franz-go/pkg/kadm"

	"millrace/schema"
	"millrace/streams/state"
	"millrace/topics"
)

// chunks are the partitions of tables that are dropped as a whole, as far as they are not yet.
type chunks struct {
	mu   sync.Mutex
	live map[string]map[string]bool // table, partition
}

func (c *chunks) wrote(groups [][]state.Mutation) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.live == nil {
		c.live = map[string]map[string]bool{}
	}
	for _, g := range groups {
		for _, m := range g {
			if !m.Table.Dropped || m.Delete {
				continue
			}
			if c.live[m.Table.Name] == nil {
				c.live[m.Table.Name] = map[string]bool{}
			}
			c.live[m.Table.Name][fmt.Sprint(m.Key[:len(m.Table.Partition)])] = true
		}
	}
}

func (c *chunks) dropped(t *schema.Table, partition state.Key) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.live[t.Name], fmt.Sprint(partition[:len(t.Partition)]))
}

// count says how many partitions of a table there are.
func (c *chunks) count(t *schema.Table) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.live[t.Name])
}

// Bounds at rest (I9).
const (
	// restGoroutines of a process: ten groups with a client each, their partitions, and what they
	// share.
	restGoroutines = 400
	// restEach is for each partition of each group.
	restEach = 6
	// classes of a host have a queue each, of which the last chunk may stay.
	classes = 8
)

// checkBounds: at rest goroutines, topics and store partitions are few, whatever happened (I9).
func (c *checks) checkBounds(ctx context.Context) error {
	live := 0
	for _, p := range c.procs {
		if p.life() != nil {
			live++
		}
	}
	n, most := runtime.NumGoroutine(), restGoroutines*(live+1)+restEach*c.plan.Partitions*len(topics.GroupNames())
	c.note("at rest: %d goroutines, %d todo, %d later", n, c.chunks.count(schema.Todo), c.chunks.count(schema.Later))
	if n > most {
		c.offend("I9: %d goroutines at rest, at most %d for %d processes", n, most, live)
	}
	list, err := kadm.NewClient(c.admin).ListTopics(ctx)
	if err != nil {
		return err
	}
	var want []string
	for _, t := range topics.All() {
		want = append(want, t.Name)
	}
	slices.Sort(want)
	if have := list.Names(); !slices.Equal(have, want) {
		c.offend("I9: the topics are %v, not %v", have, want)
	}
	if n, most := c.chunks.count(schema.Todo), classes*(c.plan.Hosts+1); n > most {
		c.offend("I9: %d chunks of queues are left at rest, at most %d for %d hosts", n, most, c.plan.Hosts)
	}
	return nil
}
