package schedule

import (
	"context"
	"fmt"
	"math/rand/v2"

	"millrace/consumers/schedule/calendar"
	"millrace/consumers/schedule/hosts"
	"millrace/consumers/schedule/table"
	"millrace/schema"
	"millrace/streams"
	"millrace/streams/state"
	"millrace/topics"
)

// phase is the state of a task between assignment and revocation.
type phase uint8

const (
	recovering phase = iota // records from before the assignment are handled; nothing is sent to fetch
	ready                   // URLs are sent to fetch
	leaving                 // revoked
)

// recovery takes a task from recovering to ready. The outcome of a URL that seems to be in flight
// may be in the log already. So the task sends a record to itself: when that record comes, all
// records before it are handled.
type recovery struct {
	phase phase
	owner uint64 // random: tells this owner's record from those of earlier owners
	asked bool
}

// ask returns true once: then the record is to be sent.
func (r *recovery) ask() (owner uint64, ask bool) {
	ask = r.phase == recovering && !r.asked
	r.asked = true
	return r.owner, ask
}

// reached handles the arrival of such a record and reports whether it ended the recovery.
func (r *recovery) reached(owner uint64) bool {
	if r.phase != recovering || owner != r.owner {
		return false
	}
	r.phase = ready
	return true
}

// Recover implements streams.Task. It reads the state of the calendar, the counts, and the URLs in
// flight. The rows of hosts are read later, a part with each Tick.
func (t *task) Recover(ctx context.Context) (int64, error) {
	t.reset()
	l := t.ledger
	l.now = t.group.deps.Clock().UnixMilli()
	t.recovery = &recovery{owner: rand.Uint64()}
	store := t.group.deps.Store
	if err := l.wheel.Read(ctx, store); err != nil {
		return 0, fmt.Errorf("time wheel: %w", err)
	}
	if err := l.counts.read(ctx, store, t.p.ID()); err != nil {
		return 0, fmt.Errorf("counts: %w", err)
	}
	if err := t.emission.recover(ctx); err != nil {
		return 0, fmt.Errorf("what is in flight: %w", err)
	}
	t.group.join(t)
	t.publish()
	return streams.Committed, nil
}

// Limits of one Tick: hosts and shards that it reads.
const (
	tickHosts  = 2000
	tickShards = 256
)

// hydrate reads the hosts of the next shards. Hosts with work join the turns at once; all hosts are
// recounted. After the last shard it ends the recount.
func (t *task) hydrate(ctx context.Context) error {
	l := t.ledger
	c := l.counts
	if c.whole {
		return nil
	}
	l.hosts.Save() // so that the rows that are read include what is in memory
	for rows, shards := 0, 0; rows < tickHosts && shards < tickShards; {
		if c.shard >= l.wheel.Shards() {
			c.end()
			t.group.pages.correct(t)
			return nil
		}
		before := c.shard
		n, err := t.hydrateSome(ctx)
		if err != nil {
			return fmt.Errorf("hosts from shard %d on: %w", l.wheel.Shard(before), err)
		}
		rows, shards = rows+n, shards+c.shard-before
	}
	return nil
}

// Most shards of a crawl of few hosts are empty: shardsAtOnce are read together, of each at most
// fewHosts. After a shard with more of them, the shards are read one by one.
const (
	shardsAtOnce = 64
	fewHosts     = 32
)

// hydrateSome reads up to stepRows hosts of the current shard, or all of the next shards if they
// have few, and returns how many.
func (t *task) hydrateSome(ctx context.Context) (int, error) {
	l := t.ledger
	c := l.counts
	if !c.many && c.upTo == "" {
		return t.hydrateFew(ctx)
	}
	var from []state.Value
	if c.upTo != "" {
		from = []state.Value{state.Str(string(c.upTo) + "\x00")}
	}
	rows, err := l.batch.Slice(ctx, schema.HostTable, table.Shard(l.wheel.Shard(c.shard)), from, stepRows)
	if err != nil {
		return 0, err
	}
	return len(rows), t.recount(rows, stepRows)
}

// hydrateFew reads the first hosts of the next shards, up to the first shard with many.
func (t *task) hydrateFew(ctx context.Context) (int, error) {
	l := t.ledger
	c := l.counts
	var list []state.Key
	for i := c.shard; i < min(c.shard+shardsAtOnce, l.wheel.Shards()); i++ {
		list = append(list, table.Shard(l.wheel.Shard(i)))
	}
	found, err := l.batch.Slices(ctx, schema.HostTable, list, fewHosts)
	if err != nil {
		return 0, err
	}
	n := 0
	for _, rows := range found {
		n += len(rows)
		c.many = len(rows) == fewHosts
		if err := t.recount(rows, fewHosts); err != nil || c.many {
			return n, err
		}
	}
	return n, nil
}

// recount admits and recounts hosts of the current shard. If they are fewer than asked for, they
// are its last.
func (t *task) recount(rows []state.Row, asked int) error {
	l := t.ledger
	for _, r := range rows {
		name, row, err := hosts.Decode(r)
		if err != nil {
			return err
		}
		l.hosts.Admit(name, row, l.now)
		if known := l.hosts.Peek(name); known != nil {
			row = known
		}
		l.counts.recount(name, row)
		t.group.pages.before(row)
	}
	if len(rows) < asked {
		l.counts.nextShard()
	}
	return nil
}

// past reads the log for a recovery.
type past interface {
	// unread calls fn for the records of partitions of urls.scheduled that fetch has
	// not finished.
	unread(ctx context.Context, partitions []int32, fn func(*schema.Scheduled)) error
}

// brokers implements past with the log of the brokers.
type brokers struct{ p *streams.Partition }

func (b brokers) unread(ctx context.Context, partitions []int32, fn func(*schema.Scheduled)) error {
	name := topics.Scheduled().Name
	done, err := b.p.Log().Committed(ctx, "fetch", name)
	if err != nil {
		return err
	}
	ends, err := b.p.Log().Ends(ctx, name)
	if err != nil {
		return err
	}
	for _, p := range partitions {
		if done[p].Offset >= ends[p] {
			continue // nothing is unread: this saves the round trips of Read
		}
		err = streams.Read(ctx, b.p.Log(), topics.Scheduled(), p, done[p].Offset, ends[p],
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

var _ calendar.Batch = (*sink)(nil)
