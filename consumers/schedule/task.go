package schedule

import (
	"context"
	"errors"
	"time"

	"millrace/consumers/schedule/calendar"
	"millrace/consumers/schedule/hosts"
	"millrace/consumers/schedule/policy"
	"millrace/consumers/schedule/politeness"
	"millrace/consumers/schedule/seen"
	"millrace/schema"
	"millrace/streams"
	"millrace/streams/state"
	"millrace/topics"
)

// task is the frontier of one partition: it hands every record to its part. One goroutine calls its
// methods (streams.Task); only the published status is shared.
//
// Every Handle first reads and decides, then changes memory, stages writes and sends. Only the
// first part can fail, so only staged writes need an undo.
type task struct {
	group    *Schedule
	p        *streams.Partition
	ledger   *ledger
	intake   *intake   // new URLs
	answers  *answers  // outcomes and digests
	walks    *walks    // rechecks and forgets
	emission *emission // what goes to fetch
	recovery *recovery // from assignment to ready
	control  int64     // version of the applied rules

	before state.Savepoint
}

// input holds the values that all writes of a record share.
type input struct {
	ts  int64 // write timestamp
	now int64 // ms: when it was appended, by the broker's clock
	at  int64 // ms: when its sender learnt it

	rewritten bool // rewrite rules were applied already
}

// emitters are the topics that the group writes.
type emitters struct {
	scheduled  streams.Emitter[*schema.Scheduled]
	extracted  streams.Emitter[*schema.Extracted]
	discovered streams.Emitter[*schema.Discovered]
	found      streams.Emitter[*schema.Found]
}

// newTask returns the frontier of a partition.
func newTask(g *Schedule, p *streams.Partition) *task {
	out := &emitters{
		scheduled:  streams.NewEmitter(p, Group, topics.Scheduled()),
		extracted:  streams.NewEmitter(p, Group, topics.Extracted()),
		discovered: streams.NewEmitter(p, Group, topics.Discovered()),
		found:      streams.NewEmitter(p, Group, topics.Found()),
	}
	l := &ledger{batch: &sink{Batch: state.NewBatch(g.deps.Store)}, opts: &g.opts, out: out, sums: &g.sums,
		recent: seen.NewRecent(func() int { return g.share(g.opts.SeenCache) }),
		filter: seen.NewFilter(uint(g.opts.FilterKeys)/uint(max(p.Count(), 1)), g.opts.FilterRate)}
	t := &task{group: g, p: p, ledger: l}
	t.emission = &emission{ledger: l, group: g, task: t, p: p, past: brokers{p}}
	t.intake = &intake{ledger: l, group: g}
	t.answers = &answers{ledger: l, group: g, emission: t.emission}
	t.walks = &walks{ledger: l}
	t.recovery = &recovery{}
	t.reset()
	return t
}

// reset clears the task, so that a failed Recover can be repeated.
func (t *task) reset() {
	t.group.leave(t)
	l, o := t.ledger, t.ledger.opts
	l.front = politeness.New(politeness.Options{Delay: o.Delay, Window: o.Window, Least: o.InFlightLeast,
		Most: o.InFlightMost, BySite: o.PoliteBy == policy.BySite, ByIP: o.PoliteBy == policy.ByIP, Partitions: t.p.Count(), Slower: l.least})
	l.hosts = hosts.New(l.batch, l.front)
	l.hosts.Held = l.paused
	t.control = -1
	l.wheel = calendar.New(l.batch, l.alive, t.p.ID(), t.p.Count())
	l.counts = newCounts(l.wheel)
	t.emission.flights, t.emission.holds, t.emission.asking = newFlights(), newHolds(), asking{}
}

// Handle implements streams.Task.
func (t *task) Handle(ctx context.Context, r *streams.Record[*schema.Discovered]) error {
	l := t.ledger
	t.before, l.batch.invalid = l.batch.Savepoint(), nil
	if r.Tombstone {
		return streams.DeadLetter("tombstone", "a record without a value")
	}
	if ready := t.group.deps.Ready; ready != nil {
		if err := ready(ctx); err != nil {
			return err
		}
	}
	in := input{ts: int64(state.At(t.p.Era(), r.Offset)), now: r.Time.UnixMilli(), at: r.Value.DiscoveredAt, rewritten: r.Value.Rewritten > 0}
	if in.at <= 0 {
		in.at = in.now
	}
	l.now = max(l.now, t.group.deps.Clock().UnixMilli())
	err := t.dispatch(ctx, in, r.Value)
	if err == nil {
		err = l.batch.invalid
	}
	l.batch.invalid = nil
	drops, ruled := l.takeDrops()
	if errors.Is(err, state.ErrInvalid) { // a retry would fail too
		return streams.DeadLetter("store", "%w", err)
	}
	if err != nil {
		return err
	}
	for reason, n := range drops {
		if l.counts.drop(in.ts, reason, n); reason != knownLink && reason != probeMade {
			t.p.Drop(reason, n)
		}
	}
	l.counts.ruled(in.ts, ruled)
	return nil
}

func (t *task) dispatch(ctx context.Context, in input, d *schema.Discovered) error {
	host := schema.Host(d.Host)
	if !visible(d.Host) || len(d.Host) > schema.MaxURLBytes {
		return streams.DeadLetter("key", "host %.200q", d.Host)
	}
	switch b := d.Body.(type) {
	case *schema.Discovered_Links:
		return t.intake.links(ctx, in, host, b.Links)
	case *schema.Discovered_Add:
		return t.intake.add(ctx, in, host, b.Add)
	case *schema.Discovered_Outcome:
		return t.answers.outcome(ctx, in, host, b.Outcome)
	case *schema.Discovered_Digest:
		return t.answers.digest(ctx, in, host, b.Digest)
	case *schema.Discovered_Listed:
		return t.answers.listed(ctx, in, host, b.Listed)
	case *schema.Discovered_Recheck:
		return t.walks.recheck(ctx, in, host, b.Recheck)
	case *schema.Discovered_Forget:
		return t.walks.forget(ctx, in, host, b.Forget)
	case *schema.Discovered_Tick:
		return t.timer(ctx, in, b.Tick)
	}
	return streams.DeadLetter("enum", "a record with an unknown body")
}

// Undo implements streams.Task.
func (t *task) Undo() { t.ledger.batch.Rollback(t.before) }

// Settle implements streams.Task.
func (t *task) Settle(ctx context.Context) error {
	l := t.ledger
	l.hosts.Save()
	l.counts.save(l.batch, t.p.ID(), l.hosts.Backlog()+int64(t.emission.flights.len()))
	if l.batch.invalid != nil {
		return l.batch.invalid
	}
	if err := l.batch.Commit(ctx); err != nil {
		return err
	}
	l.hosts.Evict(t.group.share(t.group.opts.HostCache))
	return nil
}

// Tick implements streams.Task: it reads the next hosts, asks once for the end of recovery
// (recovery), and then sends URLs to fetch.
func (t *task) Tick(ctx context.Context, now time.Time) error {
	l := t.ledger
	t.before = l.batch.Savepoint()
	l.now = t.group.deps.Clock().UnixMilli()
	defer t.publish()
	if err := t.hydrate(ctx); err != nil {
		return err
	}
	if owner, ask := t.recovery.ask(); ask {
		t.sendTimer(schema.Tick_RECOVERED, &schema.WheelCursor{Owner: owner})
	}
	if t.recovery.phase != ready {
		return nil
	}
	if err := t.turnWheel(ctx); err != nil {
		return err
	}
	t.followRules()
	l.front.Mature(l.now)
	l.front.Wake(l.now)
	if counted := t.group.counted(t, l.counts.whole); t.group.opts.MaxPages > 0 && !counted {
		return nil // the number of fetched pages is unknown
	}
	if err := t.group.lookElsewhere(ctx, t.p.Count(), l.now); err != nil {
		return err
	}
	return t.emission.emit(ctx)
}

// Revoke implements streams.Task: no work runs outside the loop.
func (t *task) Revoke(context.Context, bool) {
	t.recovery.phase = leaving
	t.group.forget(t)
}

var _ streams.Task[*schema.Discovered] = (*task)(nil)
