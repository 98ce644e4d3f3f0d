// Package members keeps the list of the processes of a cluster, in table member: each writes its
// own row again and again while it lives, and all read them. Counts keeps their counters.
//
// # Goals
//
// Searching and the dashboard go on at full speed while the store is away.
//
// # How it works
//
// List answers from memory. If that is older than Options.Every, one read begins, which all callers
// of that time share: they wait for it, at most Options.Wait. If it fails or takes longer, the last
// list stands, and nobody waits for the store again before Options.Every has passed.
//
// # Promises
//
// Who stopped in order is off the list for whoever reads it next; who was killed, after
// Options.Stale. List never waits longer than Options.Wait.
//
// # On failure
//
// A row that cannot be written is a line in the log and is written with the next turn. A list that
// cannot be read is a line in the log with the age of the one that stands; Age tells it too.
//
// # Limits
//
// Alive is decided by the writer's clock; clocks may differ by less than Stale.
package members

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"millrace/schema"
	"millrace/streams/state"
)

// Options of a Roster.
type Options struct {
	Every time.Duration // a row is written so often, and a list is believed so long
	Stale time.Duration // an older row is nobody's
	Wait  time.Duration // for the store, at most
}

// DefaultOptions returns the start values.
func DefaultOptions() Options {
	return Options{Every: 2 * time.Second, Stale: 30 * time.Second, Wait: time.Second}
}

// Validate reports what cannot work.
func (o Options) Validate() error {
	if o.Every <= 0 || o.Wait <= 0 || o.Stale < 3*o.Every {
		return errors.New("members: Every and Wait must be positive, Stale three times Every at least")
	}
	return nil
}

// maxMembers bounds the list.
const maxMembers = 10_000

// process is the kind of row that stands for a process.
const process = "process"

// Roster reads the list, and keeps one row.
type Roster struct {
	o     Options
	store state.Store
	log   *slog.Logger

	mu      sync.Mutex // never held while the store is asked
	list    []*schema.MemberRow
	read    time.Time     // when list was read; zero = never
	tried   time.Time     // when the last read ended, with or without success
	reading chan struct{} // closed when the read under way ends; nil = none is
}

// New returns a roster over a store.
func New(o Options, store state.Store, log *slog.Logger) (*Roster, error) {
	if err := o.Validate(); err != nil {
		return nil, err
	}
	return &Roster{o: o, store: store, log: log}, nil
}

// Keep writes a process's row until ctx ends, and deletes it then. own returns the
// row as it is now; its id must stay.
func (r *Roster) Keep(ctx context.Context, own func() *schema.MemberRow) {
	began := time.Now().UnixMilli()
	tick := time.NewTicker(r.o.Every)
	defer tick.Stop()
	for {
		row := own()
		row.StartedAt, row.SeenAt = began, time.Now().UnixMilli()
		r.write(ctx, row, false)
		select {
		case <-tick.C:
		case <-ctx.Done():
			r.write(context.WithoutCancel(ctx), row, true)
			return
		}
	}
}

func (r *Roster) write(ctx context.Context, own *schema.MemberRow, remove bool) {
	ctx, cancel := context.WithTimeout(ctx, r.o.Wait)
	defer cancel()
	m := state.Mutation{Table: schema.Member, Key: state.Key{state.Str(process), state.Str(own.Id)}, TS: time.Now().UnixMicro(), Delete: remove}
	if !remove {
		row, err := own.MarshalVT()
		if err != nil {
			r.log.Error("member's row not written", "member", own.Id, "error", err)
			return
		}
		m.Cells = state.Cells{state.Bytes(row)}
	}
	if err := r.store.Write(ctx, []state.Mutation{m}); err != nil && ctx.Err() != context.Canceled {
		r.log.Warn("member's row not written", "member", own.Id, "error", err)
	}
}

// List returns the processes that are there, as they stood at most Every ago; older ones if the
// store cannot be read.
func (r *Roster) List(ctx context.Context) []*schema.MemberRow {
	if done := r.refresh(); done != nil {
		late := time.NewTimer(r.o.Wait)
		defer late.Stop()
		select {
		case <-done:
		case <-late.C:
		case <-ctx.Done():
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.list
}

// Age is how old the list is; false if it was never read.
func (r *Roster) Age() (time.Duration, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return time.Since(r.read), !r.read.IsZero()
}

// refresh begins a read if the list is old and none is under way. It returns what to wait for; nil
// if the list is good enough, or if a read failed only a moment ago.
func (r *Roster) refresh() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.reading == nil && (r.tried.IsZero() || time.Since(r.tried) >= r.o.Every) {
		r.reading = make(chan struct{})
		go r.readList(r.reading)
	}
	return r.reading
}

// readList reads the list once. It does not belong to one caller: what one gives up others wait
// for. It ends within Wait.
func (r *Roster) readList(done chan struct{}) {
	ctx, cancel := context.WithTimeout(context.Background(), r.o.Wait)
	defer cancel()
	rows, err := r.store.Slice(ctx, schema.Member, state.Key{state.Str(process)}, nil, maxMembers)
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case err == nil:
		r.list, r.read = r.alive(rows), time.Now()
	case r.read.IsZero():
		r.log.Warn("list of members not read: none is known yet", "error", err)
	default:
		r.log.Warn("list of members not read, the last one stands", "age", time.Since(r.read), "error", err)
	}
	r.tried, r.reading = time.Now(), nil
	close(done)
}

func (r *Roster) alive(rows []state.Row) []*schema.MemberRow {
	var out []*schema.MemberRow
	since := time.Now().Add(-r.o.Stale).UnixMilli()
	for _, row := range rows {
		m := &schema.MemberRow{}
		if err := m.UnmarshalVT(row.Cells[0].Bytes()); err != nil {
			r.log.Warn("member's row not understood", "member", row.Key[1].Str(), "error", err)
			continue
		}
		if m.SeenAt > since {
			out = append(out, m)
		}
	}
	return out
}
