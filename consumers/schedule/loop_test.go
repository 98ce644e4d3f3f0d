package schedule

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"testing"
	"time"

	"millrace/consumers/schedule/table"
	"millrace/schema"
	"millrace/streams"
	"millrace/streams/state"
	"millrace/streams/streamstest"
	"millrace/topics"
)

// errCrash stands for a crash of the process during a round.
var errCrash = errors.New("crash")

// world is a log, a store, a clock, and the one partition that the frontier under
// test owns. It does what streams' loop does, effect by effect, and can stop
// between any two.
type world struct {
	t      testing.TB
	opts   Options
	clock  time.Time
	late   time.Duration // how far the broker's clock is ahead of ours
	id, n  int32
	raised int64 // eras

	store *crashing
	group *Schedule
	task  *task
	link  *streamstest.Recorder

	in        []*streams.Record[*schema.Discovered]
	committed int
	out       []*schema.Scheduled // urls.scheduled
	done      map[int]bool        // offsets of it that fetch has finished
	docs      []*schema.Extracted
	away      []*schema.Discovered // sent to other partitions
	drops     map[string]int
	looks     int    // readings of the unread part of urls.scheduled
	twice     string // a URL that was emitted while it was in flight
	effects   int    // until the next crash; < 0 = none
	order     *rand.Rand
	rested    time.Time // when the last round ended, and
	rests     time.Time // what the task said then: before it a round without records sends nothing
}

// crashing writes row by row, each of which is one effect: inside a group in an
// order of its own.
type crashing struct {
	state.Store
	w *world
}

func (c *crashing) Write(ctx context.Context, groups ...[]state.Mutation) error {
	if c.w.effects < 0 {
		return c.Store.Write(ctx, groups...)
	}
	for _, g := range groups {
		for _, i := range c.w.order.Perm(len(g)) {
			if err := c.w.effect(); err != nil {
				return err
			}
			if err := c.Store.Write(ctx, g[i:i+1]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *crashing) Drop(ctx context.Context, t *schema.Table, partition state.Key, ts int64) error {
	if err := c.w.effect(); err != nil {
		return err
	}
	return c.Store.Drop(ctx, t, partition, ts)
}

// DropAll drops one by one where a crash may come between, else at once.
func (c *crashing) DropAll(ctx context.Context, list []state.Dropping) error {
	if c.w.effects < 0 {
		return state.DropAll(ctx, c.Store, list)
	}
	for _, d := range list {
		if err := c.Drop(ctx, d.Table, d.Partition, d.TS); err != nil {
			return err
		}
	}
	return nil
}

func (w *world) effect() error {
	if w.effects == 0 {
		return errCrash
	}
	w.effects--
	return nil
}

// testPartitions is so large that each partition has only four shards and recovers quickly.
const testPartitions = 1024

func newWorld(t testing.TB, change func(*Options)) *world {
	t.Helper()
	return newWorldOn(t, newMemory(), testPartitions, change)
}

func newWorldOn(t testing.TB, store state.Store, partitions int32, change func(*Options)) *world {
	return newWorldOf(t, store, "com.example", partitions, change)
}

// newWorldOf returns a world that owns the partition of a host.
func newWorldOf(t testing.TB, store state.Store, host schema.Host, partitions int32, change func(*Options)) *world {
	t.Helper()
	w := &world{t: t, opts: DefaultOptions(), clock: time.UnixMilli(1_700_000_000_000).UTC(), n: partitions,
		id: schema.Partition(string(host), partitions), done: map[int]bool{}, drops: map[string]int{}, effects: -1,
		order: rand.New(rand.NewPCG(1, 2))}
	w.store = &crashing{store, w}
	w.opts.Traps = false // most tests send no digests; those of traps do (trap_test.go)
	if change != nil {
		change(&w.opts)
	}
	w.start()
	return w
}

// start starts the process: it recovers the partition.
func (w *world) start() {
	w.t.Helper()
	canon, err := schema.NewCanonicalizer(schema.DefaultCanonOptions())
	if err != nil {
		w.t.Fatal(err)
	}
	w.group, err = New(w.opts, Deps{Store: w.store, Canonicalizer: canon, Logger: slog.New(slog.DiscardHandler),
		Clock: func() time.Time { return w.clock }})
	if err != nil {
		w.t.Fatal(err)
	}
	w.link = &streamstest.Recorder{Raised: w.raised}
	w.task = w.group.Task(w.link.Partition(w.id, w.n)).(*task)
	w.task.emission.past = w
	if _, err := w.task.Recover(context.Background()); err != nil {
		w.t.Fatal(err)
	}
}

// unread implements past.
func (w *world) unread(_ context.Context, _ []int32, fn func(*schema.Scheduled)) error {
	w.looks++
	for i, s := range w.out {
		if !w.done[i] {
			fn(s)
		}
	}
	return nil
}

// append puts a message on urls.discovered.
func (w *world) append(m *schema.Discovered) {
	if m.DiscoveredAt == 0 {
		m.DiscoveredAt = w.clock.UnixMilli()
	}
	w.in = append(w.in, &streams.Record[*schema.Discovered]{
		Topic: topics.Discovered().Name, Partition: w.id, Offset: int64(len(w.in)), Time: w.clock.Add(w.late), Value: m})
}

// round handles up to n records, ticks, appends, settles, commits.
func (w *world) round(n int) error {
	ctx := context.Background()
	end := min(len(w.in), w.committed+n)
	if err := w.attempt(func() error { return w.task.Prepare(ctx, w.in[w.committed:end]) }); err != nil {
		w.t.Fatalf("prepare: %v", err)
	}
	for _, r := range w.in[w.committed:end] {
		if err := w.attempt(func() error { return w.task.Handle(ctx, r) }); err != nil {
			w.t.Fatalf("handle %d: %v", r.Offset, err)
		}
	}
	if err := w.attempt(func() error { return w.task.Tick(ctx, w.clock) }); err != nil {
		w.t.Fatal(err)
	}
	sends := w.link.Take()
	if len(sends) > 0 && end == w.committed && w.clock.Before(w.rests) && !w.clock.Before(w.rested) {
		w.t.Errorf("%s before the frontier would have been asked, it sends to %s", w.rests.Sub(w.clock), sends[0].Topic)
	}
	w.rests = time.Time{}
	for _, s := range sends {
		if err := w.effect(); err != nil {
			return err
		}
		w.deliver(s)
	}
	if err := w.task.Settle(ctx); err != nil {
		return err
	}
	w.rested, w.rests = w.clock, w.task.RestsUntil(w.clock)
	if err := w.effect(); err != nil {
		return err
	}
	w.committed = end
	return nil
}

// attempt counts a DeadLetterError as a dead letter, as the loop does.
func (w *world) attempt(fn func() error) error {
	err := fn()
	var p *streams.DeadLetterError
	if errors.As(err, &p) {
		w.task.Undo()
		w.drops["dead letter:"+p.Kind]++
		return nil
	}
	return err
}

func (w *world) deliver(s streams.Send) {
	switch s.Topic {
	case topics.Scheduled().Name:
		m := decode(w.t, s, topics.Scheduled())
		for _, i := range w.unfinished() {
			if w.out[i].RowKey == m.RowKey {
				w.twice = m.RowKey
			}
		}
		w.out = append(w.out, m)
	case topics.Extracted().Name:
		w.docs = append(w.docs, decode(w.t, s, topics.Extracted()))
	case topics.Discovered().Name:
		m := decode(w.t, s, topics.Discovered())
		if streamstest.PartitionOf(s, w.n) == w.id {
			w.append(m)
		} else {
			w.away = append(w.away, m)
		}
	}
}

func decode[M topics.Message](t testing.TB, s streams.Send, topic topics.Topic[M]) M {
	m := topic.New()
	if err := m.UnmarshalVT(s.Value); err != nil {
		t.Fatal(err)
	}
	return m
}

// run makes rounds until the log is read.
func (w *world) run() {
	w.t.Helper()
	for n := 0; ; n++ {
		if err := w.round(100); err != nil || n > 10_000 {
			w.t.Fatalf("after %d rounds: %v", n, err)
		}
		if w.committed == len(w.in) && w.task.recovery.phase == ready && w.task.ledger.counts.whole {
			if err := w.round(0); err != nil {
				w.t.Fatal(err)
			}
			if w.committed == len(w.in) {
				return
			}
		}
	}
}

// pass lets time go by, with a round every step.
func (w *world) pass(d, step time.Duration) {
	w.t.Helper()
	for end := w.clock.Add(d); w.clock.Before(end); {
		w.clock = w.clock.Add(min(step, end.Sub(w.clock)))
		w.run()
	}
}

// crash loses everything that is not in the log or the store.
func (w *world) crash() {
	w.effects, w.rests = -1, time.Time{}
	for reason, n := range w.link.Drops() {
		w.drops[reason] += n
	}
	w.start()
}

// finish gives an emitted URL its outcome; fetch commits afterwards.
func (w *world) finish(i int, change func(*schema.Outcome)) {
	s := w.out[i]
	o := &schema.Outcome{RowKey: s.RowKey, Rev: s.Rev, Result: schema.Outcome_OK, HttpStatus: 200,
		Class: s.Class, Kind: s.Kind, Depth: s.Depth, FetchedAt: w.clock.UnixMilli()}
	if change != nil {
		change(o)
	}
	w.append(&schema.Discovered{Host: string(schema.RowKey(s.RowKey).Host()),
		Body: &schema.Discovered_Outcome{Outcome: o}})
	w.done[i] = true
}

// unfinished returns the offsets of urls.scheduled without an outcome.
func (w *world) unfinished() []int {
	var out []int
	for i := range w.out {
		if !w.done[i] {
			out = append(out, i)
		}
	}
	return out
}

func (w *world) row(key string) *schema.UrlRow {
	w.t.Helper()
	k := schema.RowKey(key)
	for tier := range table.LastTier {
		row := &schema.UrlRow{}
		found, err := table.Read(context.Background(), w.store, schema.URLTable,
			append(table.URLs(k.Host(), table.PlaceOf(k.Path(), tier)), state.Str(k.Path())), row)
		if err != nil {
			w.t.Fatal(err)
		}
		if found {
			return row
		}
	}
	return nil
}

func linksTo(host schema.Host, paths ...string) *schema.Discovered {
	m := &schema.Links{SourceRowKey: string(host) + ":http/", SourceSite: string(schema.SiteOf(host.Name())), Depth: 1}
	for _, p := range paths {
		m.Links = append(m.Links, &schema.Link{Path: p, Kind: schema.Kind_PAGE})
	}
	return &schema.Discovered{Host: string(host), Body: &schema.Discovered_Links{Links: m}}
}
