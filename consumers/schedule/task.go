package schedule

import (
	"context"
	"errors"
	"time"

	"millrace/schema"
	"millrace/streams"
	"millrace/streams/state"
	"millrace/topics"
)

// task is the frontier of one partition. Its methods are called by one goroutine
// (streams.Task); only snapshot is shared.
//
// Every Handle first reads and decides, then changes memory, stages writes and
// sends: only the first part can fail, so there is nothing to undo but what
// was staged.
type task struct {
	group *Group
	opts  *Options
	p     *streams.Partition
	batch *state.Batch
	past  past

	scheduled  streams.Emitter[*schema.Scheduled]
	extracted  streams.Emitter[*schema.Extracted]
	discovered streams.Emitter[*schema.Discovered]

	hosts   map[schema.Host]*host
	loaded  map[*host]struct{} // those with a row
	dirty   []*host
	front   frontier
	flights map[schema.RowKey]*flight
	ages    []flightAge      // in order of emission
	young   [paces][]*flight // those that count as backlog
	wheel   wheel
	recent  *recent
	filter  *filter
	sites   siteCounts

	now     int64 // ms: of the last Tick or record
	owner   uint64
	asked   bool  // the record that tells the end of recovery was sent
	ready   bool  // and came: everything before this assignment was handled
	began   int64 // its timestamp
	looked  int64
	backlog int64 // entries of queues not looked at
	totals  totals

	before  state.Savepoint
	invalid error // what the store would refuse
	drops   map[string]int
}

// input is what a record brings to every write it causes.
type input struct {
	ts  int64 // write timestamp
	now int64 // ms: when it was appended
	at  int64 // ms: when its sender learnt it
}

// Handle implements streams.Task.
func (t *task) Handle(ctx context.Context, r *streams.Record[*schema.Discovered]) error {
	t.before, t.invalid = t.batch.Savepoint(), nil
	clear(t.drops)
	if r.Tombstone {
		return streams.Poison("tombstone", "a record without a value")
	}
	in := input{ts: stamp(t.group.deps.Era, r.Offset), now: r.Time.UnixMilli(), at: r.Value.DiscoveredAt}
	if in.at <= 0 {
		in.at = in.now
	}
	t.now = max(t.now, millis(t.group.deps.Clock()))
	err := t.dispatch(ctx, in, r.Value)
	if err == nil {
		err = t.invalid
	}
	if errors.Is(err, state.ErrInvalid) { // it would be so for ever
		return streams.Poison("store", "%w", err)
	}
	if err != nil {
		return err
	}
	for reason, n := range t.drops {
		t.p.Drop(reason, n)
	}
	return nil
}

func (t *task) dispatch(ctx context.Context, in input, d *schema.Discovered) error {
	host := schema.Host(d.Host)
	if !visible(d.Host) || len(d.Host) > schema.MaxURLBytes {
		return streams.Poison("key", "host %.200q", d.Host)
	}
	switch b := d.Body.(type) {
	case *schema.Discovered_Links:
		return t.links(ctx, in, host, b.Links)
	case *schema.Discovered_Add:
		return t.add(ctx, in, host, b.Add)
	case *schema.Discovered_Outcome:
		return t.outcome(ctx, in, host, b.Outcome)
	case *schema.Discovered_Digest:
		return t.digest(ctx, in, host, b.Digest)
	case *schema.Discovered_Recheck:
		return t.recheck(ctx, in, host, b.Recheck)
	case *schema.Discovered_Forget:
		return t.forget(ctx, in, host, b.Forget)
	case *schema.Discovered_Tick:
		return t.tick(ctx, in, b.Tick)
	}
	return streams.Poison("enum", "a record with an unknown body")
}

// Undo implements streams.Task.
func (t *task) Undo() { t.batch.Rollback(t.before) }

// Settle implements streams.Task.
func (t *task) Settle(ctx context.Context) error {
	if err := t.save(); err != nil {
		return err
	}
	if err := t.batch.Commit(ctx); err != nil {
		return err
	}
	t.evict()
	return nil
}

// Tick implements streams.Task: the first one asks to hear when all that was
// appended before this assignment is handled; later ones emit.
func (t *task) Tick(ctx context.Context, now time.Time) error {
	t.before = t.batch.Savepoint()
	t.now = millis(t.group.deps.Clock())
	defer t.publish()
	if !t.ready {
		if !t.asked {
			t.asked = true
			t.startMoving()
		}
		return nil
	}
	if err := t.turnWheel(ctx); err != nil {
		return err
	}
	t.mature()
	t.front.wake(t.now)
	return t.emit(ctx)
}

// Revoke implements streams.Task: nothing of it is in flight outside the loop.
func (t *task) Revoke(context.Context, bool) { t.group.leave(t) }

// put stages a mutation.
func (t *task) put(group int, m state.Mutation) {
	if err := t.batch.Put(group, m); err != nil && t.invalid == nil {
		t.invalid = err
	}
}

// drop counts what ends here, once the record is handled.
func (t *task) drop(reason string, n int) {
	if n > 0 {
		t.drops[reason] += n
	}
}

var _ streams.Task[*schema.Discovered] = (*task)(nil)

// newTask returns the frontier of a partition.
func newTask(g *Group, p *streams.Partition) *task {
	t := &task{
		group: g, opts: &g.opts, p: p, batch: state.NewBatch(g.deps.Store), past: log{p},
		scheduled:  streams.NewEmitter(p, "schedule", topics.Scheduled()),
		extracted:  streams.NewEmitter(p, "schedule", topics.Extracted()),
		discovered: streams.NewEmitter(p, "schedule", topics.Discovered()),
		hosts:      map[schema.Host]*host{},
		loaded:     map[*host]struct{}{},
		flights:    map[schema.RowKey]*flight{},
		recent:     newRecent(g.opts.SeenCache),
		filter:     newFilter(uint(g.opts.FilterKeys)/uint(max(p.Count(), 1)), g.opts.FilterRate),
		drops:      map[string]int{},
	}
	return t
}
