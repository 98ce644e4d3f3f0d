package streams

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"millrace/topics"
)

// Run is a member of group g until ctx ends: it gives every partition that it is
// assigned a Task from start, and leaves the group in order. It returns nil then,
// or the error that made going on impossible.
func Run[M topics.Message](ctx context.Context, cfg Config, g topics.Group, t topics.Topic[M], start func(*Partition) Task[M]) error {
	r := &runner[M]{
		cfg: cfg, spec: g, topic: t, start: start,
		log:   cfg.Logger.With("group", g.Name),
		parts: map[int32]*work[M]{}, counts: map[string]int32{}, fetched: map[int32]Progress{},
	}
	if err := r.open(ctx); err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return fmt.Errorf("group %s: %w", g.Name, err)
	}
	err := r.loop(ctx)
	r.close()
	if err != nil {
		return fmt.Errorf("group %s: %w", g.Name, err)
	}
	return nil
}

// runner is one member of a group.
type runner[M topics.Message] struct {
	cfg   Config
	spec  topics.Group
	topic topics.Topic[M]
	start func(*Partition) Task[M]
	log   *slog.Logger

	cl     *kgo.Client
	txn    *kgo.GroupTransactSession // nil without transactions
	reader *Log
	beat   heartbeat
	wait   *backlog
	hands  hands
	pace   pace
	stop   context.CancelFunc // of the goroutines beside the loop
	side   sync.WaitGroup

	mu         sync.Mutex // held by a round, and by the callbacks of a rebalance
	parts      map[int32]*work[M]
	fetched    map[int32]Progress // progress as fetched, until its partition is recovered
	counts     map[string]int32   // partitions by topic
	lastCommit time.Time
	lastMarks  time.Time
	begun      bool // a transaction is open

	leaving atomic.Bool // Run is about to return
}

// loop runs rounds until ctx ends. What is in hand then is finished.
func (r *runner[M]) loop(ctx context.Context) error {
	work, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(r.cfg.StopWithin, cancel) })()
	for ctx.Err() == nil {
		records, err := r.poll(ctx)
		if err == nil {
			err = r.round(work, records)
		}
		r.cl.AllowRebalance()
		if err != nil && !errors.Is(err, context.Canceled) {
			return err
		}
	}
	return nil
}

// poll waits for records, at most until the next Tick. While the group must wait
// for another one it takes none.
func (r *runner[M]) poll(ctx context.Context) (kgo.Fetches, error) {
	ctx, cancel := context.WithTimeout(ctx, r.pace.tick(r.cfg.TickEvery, r.spec.Timed))
	defer cancel()
	r.wait.pause(r.cl, r.owned())
	r.pace.gather(ctx)
	fetches := r.cl.PollRecords(ctx, r.roundSize())
	if fetches.IsClientClosed() {
		return nil, kgo.ErrClientClosed
	}
	var changed error
	fetches.EachError(func(topic string, p int32, err error) {
		changed = errors.Join(changed, logChanged(err))
		if !errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, context.Canceled) {
			r.log.Warn("fetch failed, trying again", "topic", topic, "partition", p, "error", err)
		}
	})
	return fetches, changed
}

// owned lists the partitions of this member.
func (r *runner[M]) owned() []int32 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Collect(maps.Keys(r.parts))
}

func (r *runner[M]) roundSize() int {
	if n := r.spec.Round; n > 0 {
		return min(n, r.cfg.MaxRecords)
	}
	return r.cfg.MaxRecords
}

// round does one round over all partitions: handle, append, await, settle, commit.
func (r *runner[M]) round(ctx context.Context, fetches kgo.Fetches) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	taken := 0
	batch := map[int32][]*kgo.Record{}
	fetches.EachPartition(func(p kgo.FetchTopicPartition) {
		if len(p.Records) > 0 {
			batch[p.Partition] = p.Records
			taken += len(p.Records)
		}
	})
	r.pace.round(taken, r.roundSize())
	if taken > 0 {
		r.cfg.Meter.count(r.spec.Name, "rounds", "", 1)
	}
	if err := r.reserve(ctx, batch); err != nil {
		return err
	}
	if err := r.each(func(w *work[M]) error { return w.handle(ctx, batch[w.id]) }); err != nil {
		return err
	}
	if err := r.append(ctx, taken > 0); err != nil {
		return err
	}
	if err := r.each(func(w *work[M]) error { return w.settle(ctx) }); err != nil {
		return err
	}
	return r.commitRound(ctx)
}

// each calls fn for all partitions at the same time.
func (r *runner[M]) each(fn func(*work[M]) error) error {
	works := slices.Collect(maps.Values(r.parts))
	errs := make([]error, len(works))
	r.hands.each(len(works), func(i int) { errs[i] = fn(works[i]) })
	return errors.Join(errs...)
}

// append sends what the round staged and waits for the acknowledgements.
func (r *runner[M]) append(ctx context.Context, taken bool) error {
	var staged []Send
	for _, w := range r.parts {
		staged = append(staged, w.staged...)
		w.staged = nil
	}
	if r.txn != nil && (taken || len(staged) > 0) {
		if err := r.txn.Begin(); err != nil {
			return fmt.Errorf("begin transaction: %w", err)
		}
		r.begun = true
	}
	acks := make(chan error, len(staged))
	for _, s := range staged {
		r.produce(ctx, s, func(err error) { acks <- err })
	}
	var failed error
	for range staged {
		failed = errors.Join(failed, <-acks)
	}
	if failed != nil {
		return fmt.Errorf("append: %w", failed)
	}
	return nil
}

// produce appends one record and counts it.
func (r *runner[M]) produce(ctx context.Context, s Send, done func(error)) {
	rec := &kgo.Record{Topic: s.Topic, Partition: s.Partition, Key: []byte(s.Key), Value: s.Value}
	if s.Partition == AnyPartition {
		rec.Partition = topics.Partition(s.Route, r.counts[s.Topic])
	}
	if len(s.Headers) > 0 {
		rec.Headers = make([]kgo.RecordHeader, len(s.Headers))
	}
	for i, h := range s.Headers {
		rec.Headers[i] = kgo.RecordHeader(h)
	}
	r.cl.Produce(ctx, rec, func(_ *kgo.Record, err error) {
		if err == nil {
			r.cfg.Meter.sent(r.spec.Name, s.Topic, len(s.Value))
		}
		done(err)
	})
}
