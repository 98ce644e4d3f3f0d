package streams

import (
	"context"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"

	"millrace/topics"
)

// open connects, learns the partition counts, and joins the group.
func (r *runner[M]) open(ctx context.Context) error {
	reader, err := NewLog(r.cfg.Kafka)
	if err != nil {
		return err
	}
	r.reader = reader
	r.sideBy, r.stop = context.WithCancel(context.Background())
	if err = r.count(ctx); err == nil {
		r.wait, err = newBacklog(reader, r.cfg, r.spec)
	}
	if err == nil {
		err = r.join()
	}
	if err != nil {
		r.stop()
		reader.Close()
		return err
	}
	if err := r.fence(ctx); err != nil {
		r.close(true)
		return err
	}
	if r.wait.watches() {
		r.side.Go(func() { r.wait.watch(r.sideBy, r.log) })
	}
	r.side.Go(func() { r.watch(r.sideBy) })
	return nil
}

// count learns the partition counts of the topics that the group works with. They
// must be those that the crawl was provisioned with.
func (r *runner[M]) count(ctx context.Context) error {
	for _, t := range append([]string{r.topic.Name, topics.DeadLetters().Name}, r.spec.Writes...) {
		n, err := r.reader.Partitions(ctx, t)
		if err != nil {
			return err
		}
		spec, err := topics.Named(t)
		if err != nil {
			return err
		}
		if want := r.cfg.Layout.Partitions(spec); r.cfg.Layout.PerHost > 0 && n != want {
			return &countError{topic: t, have: n, want: want}
		}
		r.counts[t] = n
	}
	return nil
}

// join makes the client, with or without transactions.
func (r *runner[M]) join() (err error) {
	defer close(r.joined)
	if r.unpack, err = newUnpacker(); err != nil {
		return err
	}
	opts := r.options()
	if !r.cfg.Kafka.Transactions || r.spec.Delivery != topics.Transactional {
		r.cl, err = r.cfg.Kafka.client(opts...)
		return err
	}
	opts = append(opts, kgo.TransactionalID(r.txnID), kgo.TransactionTimeout(r.endWithin()))
	if r.txn, err = kgo.NewGroupTransactSession(r.cfg.Kafka.options(opts...)...); err != nil {
		return fmt.Errorf("kafka client: %w", err)
	}
	r.cl = r.txn.Client()
	return nil
}

// fence aborts what an earlier client of this member left open, now and not when it
// times out: readers and the group's own offsets would wait for it.
func (r *runner[M]) fence(ctx context.Context) error {
	if r.txn == nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, r.cfg.Session)
	defer cancel()
	if _, _, err := r.cl.ProducerID(ctx); err != nil {
		return fmt.Errorf("begin transactions: %w", err)
	}
	return nil
}

func (r *runner[M]) options() []kgo.Opt {
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
		kgo.RequestTimeoutOverhead(min(10*time.Second, r.cfg.Session/2)), // a dead connection ends before the session
		kgo.RebalanceTimeout(r.rebalanceTimeout()),
		kgo.FetchMaxWait(250 * time.Millisecond),
		kgo.OnOffsetsFetched(r.onFetched),
		kgo.AdjustFetchOffsetsFn(r.onAssigned),
		kgo.OnPartitionsRevoked(r.onRevoked),
		kgo.OnPartitionsLost(r.onLost),
		kgo.OnPartitionsCallbackBlocked(func(context.Context, *kgo.Client) { r.waiting.Store(true) }),
		kgo.RecordPartitioner(counted{r.counts, &r.guard}),
		kgo.MetadataMaxAge(min(10*time.Second, r.cfg.Session)), // how late a grown topic is seen
		kgo.WithDecompressor(r.unpack),
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
	return opts
}

// close leaves the group, which revokes everything, and ends what open began. A
// member that failed first drops its Tasks: their partitions may have new owners.
func (r *runner[M]) close(failed bool) {
	r.leaving.Store(true)
	within := r.cfg.StopWithin + lastCommit
	if failed {
		within = lastCommit
		r.drop()
	}
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	r.cl.AllowRebalance()
	if err := r.cl.LeaveGroupContext(ctx); err != nil {
		r.log.Debug("group not left in order: it expels this member when its session ends", "error", err)
	}
	r.cl.Close()
	r.cl.AllowRebalance() // a leave that was given up waits for polls that no longer count
	r.progress.Lock()
	r.end(r.places.all(), true) // what the client told nobody about
	r.progress.Unlock()
	r.workers.close()
	r.stop()
	r.side.Wait()
	r.reader.Close()
}

// drop ends all Tasks as lost, and the transaction that is open.
func (r *runner[M]) drop() {
	r.progress.Lock()
	defer r.progress.Unlock()
	r.commits.cancel()
	r.end(r.places.all(), true)
	if r.txn == nil || !r.commits.begun {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), lastCommit)
	defer cancel()
	if _, err := r.txn.End(ctx, kgo.TryAbort); err != nil {
		r.log.Debug("transaction not aborted: the next client of this member does it", "error", err)
	}
}

// counted is a partitioner that takes the partition in the record, and none if the
// topic has another number of partitions than this member works with.
type counted struct {
	counts map[string]int32
	guard  *guard
}

// ForTopic implements kgo.Partitioner.
func (c counted) ForTopic(topic string) kgo.TopicPartitioner {
	return countedTopic{topic, c.counts[topic], c.guard}
}

type countedTopic struct {
	topic string
	want  int32
	guard *guard
}

// RequiresConsistency implements kgo.TopicPartitioner.
func (countedTopic) RequiresConsistency(*kgo.Record) bool { return true }

// Partition implements kgo.TopicPartitioner. -1 makes the client refuse the record.
func (c countedTopic) Partition(r *kgo.Record, n int) int {
	if int32(n) != c.want {
		c.guard.fail(&countError{topic: c.topic, have: int32(n), want: c.want})
		return -1
	}
	return int(r.Partition)
}
