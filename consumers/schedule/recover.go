package schedule

import (
	"context"
	"fmt"
	"math/rand/v2"

	"millrace/schema"
	"millrace/streams"
	"millrace/streams/state"
	"millrace/topics"
)

// past reads what a recovery needs of the log.
type past interface {
	// unread calls fn for the records of a partition of urls.scheduled that
	// fetch has not finished.
	unread(ctx context.Context, partitions []int32, fn func(*schema.Scheduled)) error
}

// log is the past as the brokers have it.
type log struct{ p *streams.Partition }

func (l log) unread(ctx context.Context, partitions []int32, fn func(*schema.Scheduled)) error {
	name := topics.Scheduled().Name
	done, err := l.p.Log().Committed(ctx, "fetch", name)
	if err != nil {
		return err
	}
	for _, p := range partitions {
		end, err := l.p.Log().End(ctx, name, p)
		if err != nil {
			return err
		}
		err = streams.Read(ctx, l.p.Log(), topics.Scheduled(), p, done[p].Offset, end,
			func(r *streams.Record[*schema.Scheduled]) error {
				if !r.Tombstone && !done[p].IsDone(r.Offset) {
					fn(r.Value)
				}
				return nil
			})
		if err != nil {
			return err
		}
	}
	return nil
}

// Recover implements streams.Task. It reads the host rows of the partition's
// shards and what is in flight. Emission begins when all that was appended to
// urls.discovered before is handled (task.Tick, task.tick), because the outcome
// of what looks in flight may be there: fetch commits after its outcome.
func (t *task) Recover(ctx context.Context) (int64, error) {
	t.reset()
	t.now = millis(t.group.deps.Clock())
	for i := range t.wheel.rows {
		if err := t.hydrate(ctx, i); err != nil {
			return 0, fmt.Errorf("shard %d: %w", t.shardOf(i), err)
		}
	}
	if err := t.recoverFlights(ctx); err != nil {
		return 0, fmt.Errorf("what is in flight: %w", err)
	}
	for _, h := range t.hosts {
		t.front.place(h.lane, t.now)
	}
	t.group.join(t)
	t.publish()
	return streams.Committed, nil
}

// reset begins anew, so that a Recover that failed can be repeated.
func (t *task) reset() {
	t.group.leave(t)
	dests := 1
	if t.opts.PoliteBy == BySite {
		dests = int(t.p.Count())
	}
	t.front = frontier{sites: map[string]*lane{}, delay: t.opts.Delay.Milliseconds(), window: int64(t.opts.Window)}
	t.front.waiting.byTime = true
	for range dests {
		t.front.dests = append(t.front.dests, &dest{})
	}
	t.wheel = wheel{rows: make([]*schema.ShardRow, (schema.Shards-int(t.p.ID())+int(t.p.Count())-1)/int(t.p.Count()))}
	clear(t.hosts)
	clear(t.loaded)
	t.ages, t.young, t.dirty, t.backlog, t.totals = nil, [paces][]*flight{}, nil, 0, totals{}
	t.owner = rand.Uint64()
}

// hydrate reads one shard: its wheel, and its hosts, of which only those with
// work are kept, without their rows.
func (t *task) hydrate(ctx context.Context, i int) error {
	shard := t.shardOf(i)
	row := &schema.ShardRow{}
	found, err := fetchRow(ctx, t.batch, schema.ShardTable, shardKey(shard), row)
	if err != nil {
		return err
	}
	if found {
		t.wheel.rows[i] = row
	}
	from := []state.Value(nil)
	for {
		rows, err := t.group.deps.Store.Slice(ctx, schema.HostTable, shardKey(shard), from, stepRows)
		if err != nil {
			return err
		}
		for _, r := range rows {
			if err := t.admitHost(r); err != nil {
				return err
			}
		}
		if len(rows) < stepRows {
			return nil
		}
		from = []state.Value{state.Str(rows[len(rows)-1].Key[1].Str() + "\x00")}
	}
}

// admitHost counts a host and keeps it if it has work.
func (t *task) admitHost(r state.Row) error {
	row := &schema.HostRow{}
	if err := row.UnmarshalVT(r.Cells[0].Bytes()); err != nil {
		return fmt.Errorf("host %s: %w", r.Key[1].Str(), err)
	}
	normal(row)
	t.totals.addHost(row)
	h := &host{name: schema.Host(r.Key[1].Str())}
	for c, q := range row.Queues {
		if q.Head < q.Tail {
			h.unread |= 1 << c
			t.backlog += q.Tail - q.Head
		}
	}
	if h.unread == 0 {
		return nil
	}
	h.lane = t.front.lane(h, row, t.opts.PoliteBy, t.p.Count())
	t.hosts[h.name] = h
	return nil
}

// recoverFlights finds what is in flight: unread by fetch, and without an outcome
// in its row.
func (t *task) recoverFlights(ctx context.Context) error {
	var list []*schema.Scheduled
	err := t.readUnread(ctx, func(s *schema.Scheduled) { list = append(list, s) })
	if err != nil {
		return err
	}
	for _, s := range list {
		key := schema.RowKey(s.RowKey)
		h, u, err := t.one(ctx, key.Host(), s.RowKey)
		if err != nil {
			return err
		}
		if u != nil && u.row.Rev >= s.Rev {
			continue
		}
		if f := t.flights[key]; f != nil {
			f.rev = max(f.rev, s.Rev)
			continue
		}
		t.group.flying.Add(1)
		t.fly(key, &flight{host: h, path: key.Path(), rev: s.Rev, at: t.now})
	}
	return nil
}

// unread returns the highest rev that fetch has not finished, by URL.
func (t *task) unread(ctx context.Context) (map[schema.RowKey]int64, error) {
	out := map[schema.RowKey]int64{}
	err := t.readUnread(ctx, func(s *schema.Scheduled) {
		key := schema.RowKey(s.RowKey)
		out[key] = max(out[key], s.Rev)
	})
	return out, err
}

// readUnread calls fn for the unread URLs of this partition's hosts. With hosts
// as keys they are in one partition of urls.scheduled, else in any.
func (t *task) readUnread(ctx context.Context, fn func(*schema.Scheduled)) error {
	partitions := []int32{t.p.ID()}
	if t.opts.PoliteBy != ByHost {
		partitions = nil
		for p := range t.p.Count() {
			partitions = append(partitions, p)
		}
	}
	return t.past.unread(ctx, partitions, func(s *schema.Scheduled) {
		host := schema.RowKey(s.RowKey).Host()
		if schema.Partition(string(host), t.p.Count()) == t.p.ID() {
			fn(s)
		}
	})
}
