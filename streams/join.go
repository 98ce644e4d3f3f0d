package streams

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kgo"

	"millrace/topics"
)

// open connects, reads the partition counts, joins the group, and starts the goroutines beside the
// loop.
func (r *runner[M]) open(ctx context.Context) error {
	reader, err := NewLog(r.cfg.Kafka)
	if err != nil {
		return err
	}
	r.reader = reader
	r.side.ctx, r.side.stop = context.WithCancel(context.Background())
	if err = r.agreeOnSession(ctx); err == nil {
		err = r.count(ctx)
	}
	if err == nil {
		r.wait, err = newBacklog(reader, r.cfg, r.spec)
	}
	if err == nil {
		err = r.join()
	}
	if err != nil {
		r.side.stop()
		reader.Close()
		return err
	}
	if err := r.txns.fence(ctx); err != nil {
		r.close(true)
		return err
	}
	if r.wait.watches() {
		r.side.Go(func() { r.wait.watch(r.side.ctx, r.log) })
	}
	if r.txns.used() {
		r.side.Go(func() { r.txns.watch(r.side.ctx) })
	}
	r.side.Go(func() { r.guard.watch(r.side.ctx) })
	return nil
}

// join makes the client, with or without transactions. The client then joins the group.
func (r *runner[M]) join() (err error) {
	defer close(r.joined)
	if r.unpack, err = newUnpacker(); err != nil {
		return err
	}
	opts := append(r.options(), r.tasks.callbacks()...)
	opts = append(opts, kgo.WithDecompressor(r.unpack))
	if !r.cfg.Kafka.Transactions || r.spec.Delivery != topics.Transactional {
		r.cl, err = r.cfg.Kafka.client(opts...)
		return err
	}
	opts = append(opts, kgo.TransactionalID(r.txns.id), kgo.TransactionTimeout(r.txns.endWithin()), kgo.WithHooks(&r.txns.broke))
	if r.txns.session, err = kgo.NewGroupTransactSession(r.cfg.Kafka.options(opts...)...); err != nil {
		return fmt.Errorf("kafka client: %w", err)
	}
	r.cl = r.txns.session.Client()
	return nil
}

// close leaves the group, which revokes all partitions, and ends what open started. A member that
// failed drops its Tasks first: their partitions may have new owners already.
func (r *runner[M]) close(failed bool) {
	r.tasks.leaving.Store(true)
	within := r.cfg.StopWithin + lastCommit
	if failed {
		within = lastCommit
		r.drop()
	}
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	r.cl.AllowRebalance()
	id, _ := r.cl.GroupMetadata()
	err := r.cl.LeaveGroupContext(ctx)
	if r.cfg.Static && r.cfg.ConsumerProtocol {
		err = r.stepOut(ctx, id)
	}
	if err != nil {
		r.log.Debug("group not left in order: it expels this member when its session ends", "error", err)
	}
	r.cl.Close()
	r.cl.AllowRebalance() // a leave that timed out may still wait for the poll to allow it
	r.tasks.progress.Lock()
	r.tasks.lose(r.tasks.all()) // those whose revocation the client did not report
	r.tasks.progress.Unlock()
	r.workers.close()
	r.side.stop()
	r.side.Wait()
	r.reader.Close()
}

// drop ends all Tasks as lost, then aborts the open transaction. For the abort it holds no lock:
// the client runs its rebalance callbacks under the lock that ending a transaction needs, and they
// wait for progress.
func (r *runner[M]) drop() {
	r.tasks.dropAll()
	r.txns.abort()
}
