package streams

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"millrace/topics"
)

// open connects, learns the partition counts, and joins the group.
func (r *runner[M]) open(ctx context.Context) error {
	reader, err := NewLog(r.cfg.Kafka)
	if err != nil {
		return err
	}
	r.reader = reader
	for _, t := range append([]string{r.topic.Name, topics.DeadLetters().Name}, r.spec.Writes...) {
		if r.counts[t], err = reader.Partitions(ctx, t); err != nil {
			reader.Close()
			return err
		}
	}
	if r.wait, err = newBacklog(reader, r.cfg, r.spec); err != nil {
		reader.Close()
		return err
	}
	if err := r.join(); err != nil {
		reader.Close()
		return err
	}
	side, stop := context.WithCancel(context.Background())
	r.stop = stop
	if r.wait.watches() {
		r.side.Go(func() { r.wait.watch(side, r.log) })
	}
	return nil
}

// join makes the client, with or without transactions.
func (r *runner[M]) join() error {
	opts := []kgo.Opt{
		kgo.ConsumerGroup(r.spec.Name),
		kgo.ConsumeTopics(r.topic.Name),
		kgo.ConsumeStartOffset(kgo.NewOffset().AtStart()),
		kgo.ConsumeResetOffset(kgo.NoResetOffset()),
		kgo.Balancers(kgo.CooperativeStickyBalancer()),
		kgo.BlockRebalanceOnPoll(),
		kgo.DisableAutoCommit(),
		kgo.SessionTimeout(r.cfg.Session),
		kgo.HeartbeatInterval(min(time.Second, r.cfg.Session/5)),
		kgo.RebalanceTimeout(time.Minute),
		kgo.FetchMaxWait(250 * time.Millisecond),
		kgo.OnOffsetsFetched(r.onFetched),
		kgo.AdjustFetchOffsetsFn(r.onAssigned),
		kgo.OnPartitionsRevoked(r.onRevoked),
		kgo.OnPartitionsLost(r.onLost),
		kgo.WithHooks(&r.beat),
	}
	if r.spec.Packed {
		opts = append(opts, kgo.ProducerBatchCompression(kgo.NoCompression()))
	}
	if r.cfg.Static {
		opts = append(opts, kgo.InstanceID(r.cfg.Member+"-"+r.spec.Name))
	}
	if r.cfg.Kafka.Transactions {
		opts = append(opts, kgo.FetchIsolationLevel(kgo.ReadCommitted()), kgo.KeepControlRecords())
	}
	if r.cfg.Kafka.Transactions && r.spec.Delivery == topics.Transactional {
		return r.joinTransactional(opts)
	}
	cl, err := r.cfg.Kafka.client(opts...)
	r.cl = cl
	return err
}

func (r *runner[M]) joinTransactional(opts []kgo.Opt) error {
	// A fresh id per client: nothing of an earlier one is ever continued, its
	// open transaction ends by this timeout.
	id := fmt.Sprintf("millrace-%s-%s-%d", r.spec.Name, r.cfg.Member, time.Now().UnixNano())
	opts = append(opts, kgo.TransactionalID(id), kgo.TransactionTimeout(10*time.Second))
	txn, err := kgo.NewGroupTransactSession(r.cfg.Kafka.options(opts...)...)
	if err != nil {
		return fmt.Errorf("kafka client: %w", err)
	}
	r.txn, r.cl = txn, txn.Client()
	return nil
}

// onFetched keeps the bitmaps of the commits for onAssigned.
func (r *runner[M]) onFetched(_ context.Context, _ *kgo.Client, resp *kmsg.OffsetFetchResponse) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	keep := func(partition int32, offset int64, metadata *string) {
		if offset < 0 || metadata == nil {
			return
		}
		p, err := ParseProgress(offset, *metadata)
		if err != nil {
			r.log.Warn("commit without its bitmap: some work is repeated", "partition", partition, "error", err)
		}
		r.fetched[partition] = p
	}
	for _, t := range resp.Topics {
		for _, p := range t.Partitions {
			keep(p.Partition, p.Offset, p.Metadata)
		}
	}
	for _, g := range resp.Groups {
		for _, t := range g.Topics {
			for _, p := range t.Partitions {
				keep(p.Partition, p.Offset, p.Metadata)
			}
		}
	}
	return nil
}

// onAssigned starts a Task for every new partition and says where it begins.
func (r *runner[M]) onAssigned(ctx context.Context, offsets map[string]map[int32]kgo.Offset) (map[string]map[int32]kgo.Offset, error) {
	at, err := r.identify(ctx, offsets[r.topic.Name])
	if err != nil {
		return nil, err
	}
	for p := range offsets[r.topic.Name] {
		w, begin, err := r.recover(ctx, p, at[p])
		if err != nil {
			return nil, err
		}
		offsets[r.topic.Name][p] = kgo.NewOffset().At(begin)
		r.mu.Lock()
		r.parts[p] = w
		r.mu.Unlock()
		r.log.Info("partition assigned", "partition", p, "offset", w.track.progress().Offset)
	}
	return offsets, nil
}

func (r *runner[M]) recover(ctx context.Context, p int32, from standing) (*work[M], int64, error) {
	w := &work[M]{r: r, id: p, mark: from.mark}
	w.part = NewPartition(p, r.counts[r.topic.Name], w)
	w.task = r.start(w.part)
	begin := Committed
	err := w.try(ctx, func() (err error) {
		begin, err = w.task.Recover(ctx)
		return err
	})
	if err != nil {
		return nil, 0, fmt.Errorf("recover partition %d: %w", p, err)
	}
	at := from.begin
	if begin != Committed {
		at = begin
	}
	if at < 0 {
		if at, err = r.reader.Start(ctx, r.topic.Name, p); err != nil {
			return nil, 0, err
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	progress, ok := r.fetched[p]
	delete(r.fetched, p)
	if !ok || progress.Offset != at {
		progress = Progress{Offset: at}
	}
	progress.Era = from.mark.Era
	w.track, w.resumed, w.saved = newTracker(progress), progress, at
	if from.raised || from.lost > 0 {
		w.saved = -1 // commit at once: the old commit names another log
	}
	return w, at, nil
}

// onRevoked ends the Tasks of partitions that go to another member, in order:
// work in hand, then the last commit.
func (r *runner[M]) onRevoked(ctx context.Context, _ *kgo.Client, gone map[string][]int32) {
	r.mu.Lock()
	defer r.mu.Unlock()
	patience, cancel := context.WithTimeout(ctx, r.patience())
	defer cancel()
	leaving := r.take(gone)
	for _, w := range leaving {
		w.task.Revoke(patience, false)
		w.revoked.Store(true)
	}
	r.endMarks(patience, leaving)
	if r.txn == nil { // what the Tasks left of their time is not the commit's
		last, cancel := context.WithTimeout(ctx, lastCommit)
		defer cancel()
		r.commit(last, leaving)
	}
}

// lastCommit is how long the commit at the end of a partition may take.
const lastCommit = 2 * time.Second

// patience is how long a Task may take to end: to a rebalance that others wait
// for, or to the end of this process that its user waits for.
func (r *runner[M]) patience() time.Duration {
	if r.leaving.Load() {
		return r.cfg.StopWithin
	}
	return 10 * time.Second
}

// onLost ends the Tasks of partitions that another member may own by now.
func (r *runner[M]) onLost(ctx context.Context, _ *kgo.Client, gone map[string][]int32) {
	r.mu.Lock()
	defer r.mu.Unlock()
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	for _, w := range r.take(gone) {
		w.revoked.Store(true)
		w.task.Revoke(ctx, true)
		r.log.Warn("partition lost", "partition", w.id)
	}
}

func (r *runner[M]) take(gone map[string][]int32) []*work[M] {
	var out []*work[M]
	for _, p := range gone[r.topic.Name] {
		if w := r.parts[p]; w != nil {
			out = append(out, w)
			delete(r.parts, p)
		}
	}
	return out
}

// close leaves the group, which revokes everything, and ends what open began.
func (r *runner[M]) close() {
	r.leaving.Store(true)
	r.cl.CloseAllowingRebalance()
	r.hands.close()
	r.stop()
	r.side.Wait()
	r.reader.Close()
}

// heartbeat remembers when the group's coordinator last answered.
type heartbeat struct{ last atomic.Int64 } // monotonic nanoseconds since start

// Keys of the Kafka requests that show membership: JoinGroup, Heartbeat,
// SyncGroup, ConsumerGroupHeartbeat.
const (
	keyJoin, keyBeat, keySync, keyBeat848 = 11, 12, 14, 68
)

// OnBrokerE2E implements kgo.HookBrokerE2E. A beat counts from when it was sent:
// its answer may have waited while this process was stopped.
func (h *heartbeat) OnBrokerE2E(_ kgo.BrokerMetadata, key int16, e2e kgo.BrokerE2E) {
	switch key {
	case keyJoin, keyBeat, keySync, keyBeat848:
		if e2e.Err() == nil {
			h.last.Store(sinceStart() - int64(e2e.DurationE2E()))
		}
	}
}

func (h *heartbeat) within(d time.Duration) bool {
	last := h.last.Load()
	return last != 0 && sinceStart()-last < int64(d)
}

var started = time.Now()

// sinceStart is a monotonic clock: it goes on while the process is stopped.
func sinceStart() int64 { return int64(time.Since(started)) }
