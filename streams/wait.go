package streams

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"millrace/topics"
)

const (
	// backlogEvery is the time between two measurements of the readers of a group's output.
	backlogEvery = 250 * time.Millisecond
	// sentWithin is how long after its last record a partition counts as writing to a partition of
	// an edge.
	sentWithin = time.Minute
)

// backlog measures how far behind the readers of a group's edges are. An edge is a topic of
// topics.Group.Waits. A partition of the group waits while a partition of an edge that it wrote to
// within sentWithin has more unread records than the bound; the other partitions go on.
type backlog struct {
	log   *Log
	meter *Meter
	spec  topics.Group
	hold  func() bool // Config.Hold; nil: never
	ease  func() bool // Config.Ease; nil: never
	edges map[string]*edge
	minds *edge // the input of the group that it eases for (topics.Group.Eases); nil: none
	sends atomic.Int64
	wake  chan struct{} // has a token when something was sent since watch began to wait for it
}

// edge is one topic of topics.Group.Waits, with the groups that read it.
type edge struct {
	readers []*speedometer
	mean    atomic.Int64 // mean size of a record sent to it, in bytes

	mu   sync.Mutex
	sent map[[2]int32]time.Time // time of the last record, by {partition of the group, partition of the edge}
	over map[int32]Held         // partitions above their bound
	last map[int32]Held         // all partitions, as the last look found them: the least room of all readers
	more map[int32]int64        // records sent to each since then
}

func newBacklog(l *Log, cfg Config, g topics.Group) (*backlog, error) {
	b := &backlog{log: l, meter: cfg.Meter, spec: g, hold: cfg.Hold, ease: cfg.Ease, edges: map[string]*edge{},
		wake: make(chan struct{}, 1)}
	for _, t := range g.Waits {
		spec, err := topics.Named(t)
		if err != nil {
			return nil, err
		}
		e := &edge{sent: map[[2]int32]time.Time{}, over: map[int32]Held{}, more: map[int32]int64{}}
		for _, r := range topics.Readers(t) {
			e.readers = append(e.readers, &speedometer{group: r.Name, topic: spec})
		}
		b.edges[t] = e
	}
	if g.Eases != "" {
		of, err := topics.GroupNamed(g.Eases)
		if err != nil {
			return nil, err
		}
		spec, err := topics.Named(of.Reads)
		if err != nil {
			return nil, err
		}
		spec.Bound = topics.EaseBound()
		b.minds = &edge{over: map[int32]Held{}, readers: []*speedometer{{group: of.Name, topic: spec}}}
	}
	return b, nil
}

// watches reports whether the group has edges.
func (b *backlog) watches() bool { return len(b.edges) > 0 }

// eases reports whether a partition of the group must start only what is urgent: because of
// Config.Ease, or because the group that it eases for is behind in the partition of the same
// number.
func (b *backlog) eases(partition int32) bool {
	if b.minds == nil {
		return false
	}
	if b.ease != nil && b.ease() {
		return true
	}
	b.minds.mu.Lock()
	defer b.minds.mu.Unlock()
	_, over := b.minds.over[partition]
	return over
}

// holds reports whether a partition of the group waits: for any reader, or, in a Timed group,
// because of Config.Hold or because it eases.
func (b *backlog) holds(partition int32) bool {
	if b.full() || b.spec.Timed && b.eases(partition) {
		return true
	}
	for _, e := range b.edges {
		if e.holds(partition) {
			return true
		}
	}
	return false
}

// full reports whether a Timed group must start nothing at all, because of Config.Hold.
func (b *backlog) full() bool { return b.spec.Timed && b.hold != nil && b.hold() }

// holdsOn reports whether a partition of the group waits for the readers of one topic.
func (b *backlog) holdsOn(partition int32, topic string) bool {
	e := b.edges[topic]
	return e != nil && e.holds(partition)
}

func (e *edge) holds(partition int32) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	for to := range e.over {
		if at, ok := e.sent[[2]int32{partition, to}]; ok && time.Since(at) < sentWithin {
			return true
		}
	}
	return false
}

// sent notes a record that a partition of the group sends to a partition of a topic. The mean size
// of records is a moving average over about 64 of them.
func (b *backlog) sent(from int32, topic string, to int32, size int) {
	e := b.edges[topic]
	if e == nil {
		return
	}
	m := e.mean.Load()
	if m == 0 {
		m = int64(size)
	}
	e.mean.Store(m + (int64(size)-m)/64)
	b.sends.Add(1)
	select {
	case b.wake <- struct{}{}:
	default:
	}
	e.mu.Lock()
	e.sent[[2]int32{from, to}] = time.Now()
	e.more[to]++
	if was, ok := e.last[to]; ok && was.Unread+e.more[to] > was.Bound { // more fits at the next look, if they were read
		was.Unread += e.more[to]
		e.over[to] = was
	}
	e.mu.Unlock()
}

// watch measures every backlogEvery until ctx ends. When no reader was over its bound at the last
// measurement and nothing was sent since, it waits for the next record that is sent. If a
// measurement fails, the last one stays in force and the group goes on.
func (b *backlog) watch(ctx context.Context, log *slog.Logger) {
	tick := time.NewTicker(backlogEvery)
	defer tick.Stop()
	seen := int64(-1)
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		n := b.sends.Load()
		if n == seen && len(b.held()) == 0 {
			select {
			case <-ctx.Done():
				return
			case <-b.wake: // a token may be older than seen: then it waits again
			}
			continue
		}
		if err := b.look(ctx, log); err != nil {
			if ctx.Err() == nil {
				log.Debug("backlog not known", "error", err)
			}
			continue
		}
		seen = n
	}
}

// look measures all edges, and logs when the number of partitions over their bound changes.
func (b *backlog) look(ctx context.Context, log *slog.Logger) error {
	before := len(b.held())
	for _, e := range b.all() {
		if err := e.look(ctx, b.log); err != nil {
			return err
		}
	}
	held := b.held()
	b.meter.hold(b.spec.Name, held)
	if len(held) != before {
		log.Info("backpressure", "partitions_over", len(held), "of", b.spec.Waits)
	}
	return nil
}

// all are the edges, and the input of the group that it eases for.
func (b *backlog) all() (out []*edge) {
	for _, e := range b.edges {
		out = append(out, e)
	}
	if b.minds != nil {
		out = append(out, b.minds)
	}
	return out
}

// look measures the readers of an edge, and notes which partitions are over their bound.
func (e *edge) look(ctx context.Context, log *Log) error {
	over, last := map[int32]Held{}, map[int32]Held{}
	for _, r := range e.readers {
		if err := r.look(ctx, log, float64(e.mean.Load())); err != nil {
			return err
		}
		for p, m := range r.parts {
			h := Held{r.topic.Name, p, r.group, m.unread, m.bound}
			if m.over() {
				over[p] = h
			}
			if was, ok := last[p]; !ok || m.bound-m.unread < was.Bound-was.Unread {
				last[p] = h
			}
		}
	}
	e.mu.Lock()
	e.over, e.last, e.more = over, last, map[int32]int64{}
	e.mu.Unlock()
	return nil
}

// held lists the partitions of edges that are over their bound.
func (b *backlog) held() []Held {
	var out []Held
	for _, e := range b.all() {
		e.mu.Lock()
		for _, h := range e.over {
			out = append(out, h)
		}
		e.mu.Unlock()
	}
	return out
}
