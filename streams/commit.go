package streams

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// committer is the commit at work: at most one at a time, beside the loop, because
// the client holds a commit back while its group rebalances.
type committer struct {
	last  time.Time     // when the last one began
	done  chan struct{} // closed when it has its answer; nil before the first
	abort context.CancelFunc
	begun bool // a transaction is open
}

// busy reports whether a commit has no answer yet.
func (c *committer) busy() bool {
	if c.done == nil {
		return false
	}
	select {
	case <-c.done:
		return false
	default:
		return true
	}
}

// finish waits for the commit at work, at most lastCommit.
func (c *committer) finish() {
	if !c.busy() {
		return
	}
	timer := time.NewTimer(lastCommit)
	defer timer.Stop()
	select {
	case <-c.done:
	case <-timer.C:
		c.cancel()
	}
}

// cancel gives the commit at work up.
func (c *committer) cancel() {
	if c.busy() {
		c.abort()
		<-c.done
	}
}

// savedProgress is what of a partition's progress the brokers have acknowledged.
type savedProgress struct {
	offset   int64
	metadata string
}

// saved is set by the answer to a commit, beside the loop.
type saved struct {
	mu sync.Mutex
	p  savedProgress
}

func (s *saved) get() savedProgress {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.p
}

func (s *saved) set(p savedProgress) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.p = p
}

// commitRound makes the round's progress last: with the outputs in one
// transaction, or, every CommitEvery, as an offset commit. One that is refused is
// repeated: progress counts as saved only by the brokers' answer.
func (r *runner[M]) commitRound(ctx context.Context, works []*work[M]) error {
	if err := r.refreshMarks(ctx, works); err != nil {
		return err
	}
	if r.txn != nil {
		return r.endTransaction(ctx, works)
	}
	if time.Since(r.commits.last) < r.cfg.CommitEvery || r.commits.busy() {
		return nil
	}
	r.commits.last = time.Now()
	p := r.unsaved(works)
	if len(p) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(r.sideBy, r.cfg.Session)
	done := make(chan struct{})
	r.commits.done, r.commits.abort = done, cancel
	r.side.Go(func() {
		defer close(done)
		defer cancel()
		r.commit(ctx, p)
	})
	return nil
}

// unsaved returns the progress that the brokers have not acknowledged.
func (r *runner[M]) unsaved(works []*work[M]) map[*work[M]]savedProgress {
	out := map[*work[M]]savedProgress{}
	for _, w := range works {
		if !w.ready {
			continue
		}
		p := w.track.progress()
		s := savedProgress{p.Offset, p.Metadata()}
		if s != w.saved.get() {
			out[w] = s
		}
	}
	return out
}

// commit commits progress and waits for the answer. A commit that fails is
// repeated by the loop; if the partition goes before, its new owner repeats work.
func (r *runner[M]) commit(ctx context.Context, progress map[*work[M]]savedProgress) {
	if len(progress) == 0 {
		return
	}
	offsets := map[int32]kgo.EpochOffset{}
	metadata := map[int32]string{}
	for w, p := range progress {
		offsets[w.id], metadata[w.id] = kgo.EpochOffset{Epoch: -1, Offset: p.offset}, p.metadata
	}
	r.cfg.Meter.count(r.spec.Name, "commits", "", 1)
	ctx = kgo.PreCommitFnContext(ctx, func(req *kmsg.OffsetCommitRequest) error {
		for i := range req.Topics {
			for j := range req.Topics[i].Partitions {
				p := &req.Topics[i].Partitions[j]
				m := metadata[p.Partition]
				p.Metadata = &m
			}
		}
		return nil
	})
	acked := map[int32]bool{}
	r.cl.CommitOffsetsSync(ctx, map[string]map[int32]kgo.EpochOffset{r.topic.Name: offsets},
		func(_ *kgo.Client, _ *kmsg.OffsetCommitRequest, resp *kmsg.OffsetCommitResponse, err error) {
			acked = r.acknowledged(resp, err)
		})
	for w, p := range progress {
		if acked[w.id] {
			w.saved.set(p)
		}
	}
}

// acknowledged returns the partitions whose commit the brokers have taken.
func (r *runner[M]) acknowledged(resp *kmsg.OffsetCommitResponse, err error) map[int32]bool {
	out := map[int32]bool{}
	if err != nil {
		r.refusedCommit(-1, err)
		return out
	}
	for _, t := range resp.Topics {
		for _, p := range t.Partitions {
			if err := kerr.ErrorForCode(p.ErrorCode); err != nil {
				r.refusedCommit(p.Partition, err)
				continue
			}
			out[p.Partition] = true
		}
	}
	return out
}

func (r *runner[M]) refusedCommit(partition int32, err error) {
	r.cfg.Meter.count(r.spec.Name, "refused_commits", "", 1)
	r.log.Warn("commit refused: it is repeated", "partition", partition, "error", err)
	if refused(err) {
		r.guard.fail(err)
	}
}

// endWithin bounds the end of a transaction: the brokers abort it after as long.
func (r *runner[M]) endWithin() time.Duration { return min(10*time.Second, r.cfg.Session) }

// endTransaction commits the outputs and offsets of the round together. A
// transaction that a rebalance aborted is no error: its records come again, and
// repeats change nothing. After an error the client is not used any more.
func (r *runner[M]) endTransaction(ctx context.Context, works []*work[M]) error {
	if !r.commits.begun {
		return nil
	}
	r.commits.begun = false
	ctx, cancel := context.WithTimeout(ctx, r.endWithin())
	defer cancel()
	progress := map[int32]Progress{}
	for _, w := range works {
		progress[w.id] = w.track.progress()
	}
	committed, err := r.txn.End(withOffsets(ctx, progress), kgo.TryCommit)
	if err != nil {
		return fmt.Errorf("end transaction: %w", errors.Join(context.Cause(ctx), err))
	}
	if !committed {
		r.cfg.Meter.count(r.spec.Name, "aborted", "", 1)
		r.restart(works)
		return nil
	}
	r.cfg.Meter.count(r.spec.Name, "commits", "", 1)
	for _, w := range works {
		w.saved.set(savedProgress{progress[w.id].Offset, progress[w.id].Metadata()})
	}
	return nil
}

// withOffsets makes a transaction commit what is done, and the era of the log, where
// the client would commit all that it has handed out.
func withOffsets(ctx context.Context, progress map[int32]Progress) context.Context {
	return kgo.PreTxnCommitFnContext(ctx, func(req *kmsg.TxnOffsetCommitRequest) error {
		for i := range req.Topics {
			for j := range req.Topics[i].Partitions {
				p := &req.Topics[i].Partitions[j]
				at, ok := progress[p.Partition]
				if !ok {
					return fmt.Errorf("partition %d is not in this round", p.Partition)
				}
				m := at.Metadata()
				p.Offset, p.Metadata = min(p.Offset, at.Offset), &m
			}
		}
		return nil
	})
}

// resetTransactions makes the session of transactions usable after partitions went:
// until it has ended once, it tells of no further revocation and commits nothing.
// What was fetched comes again.
func (r *runner[M]) resetTransactions(ctx context.Context, works []*work[M]) error {
	ctx, cancel := context.WithTimeout(ctx, r.endWithin())
	defer cancel()
	if _, err := r.txn.End(ctx, kgo.TryAbort); err != nil {
		return fmt.Errorf("reset transactions: %w", errors.Join(context.Cause(ctx), err))
	}
	r.restart(works)
	return nil
}

// restart makes the client fetch again from what is committed.
func (r *runner[M]) restart(works []*work[M]) {
	offsets := map[int32]kgo.EpochOffset{}
	for _, w := range works {
		at := max(w.recovery.begin, w.saved.get().offset)
		w.track, w.again = newTracker(Progress{Offset: at, Era: w.mark.Era}), -1
		offsets[w.id] = kgo.EpochOffset{Epoch: -1, Offset: at}
	}
	r.seek(offsets)
}
