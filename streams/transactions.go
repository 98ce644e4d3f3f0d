package streams

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"millrace/topics"
)

// transactions are those of a member whose group has them: the outputs and the offsets of a
// round in one.
type transactions[M topics.Message] struct {
	*member
	session *kgo.GroupTransactSession // nil: the group has none
	begun   bool                      // one is open
	went    atomic.Bool               // partitions went: the session must be reset
}

// used reports whether the group has transactions.
func (t *transactions[M]) used() bool { return t.session != nil }

// fence aborts what an earlier client of this member left open, now and not when it
// times out: readers and the group's own offsets would wait for it.
func (t *transactions[M]) fence(ctx context.Context) error {
	if !t.used() {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, t.cfg.Session)
	defer cancel()
	if _, _, err := t.cl.ProducerID(ctx); err != nil {
		return fmt.Errorf("begin transactions: %w", err)
	}
	return nil
}

// begin opens a transaction for what is appended next.
func (t *transactions[M]) begin() error {
	if err := t.session.Begin(); err != nil {
		return fmt.Errorf("begin transaction: %w", err)
	}
	t.begun = true
	return nil
}

// abort gives the open transaction up, when the client is not used any more.
func (t *transactions[M]) abort() {
	if !t.used() || !t.begun {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), lastCommit)
	defer cancel()
	if _, err := t.session.End(ctx, kgo.TryAbort); err != nil {
		t.log.Debug("transaction not aborted: the next client of this member does it", "error", err)
	}
}

// endWithin bounds the end of a transaction: the brokers abort it after as long.
func (t *transactions[M]) endWithin() time.Duration { return min(10*time.Second, t.cfg.Session) }

// end commits the outputs and offsets of the round together. A transaction that a rebalance
// aborted is no error: its records come again, and repeats change nothing. After an error the
// client is not used any more.
func (t *transactions[M]) end(ctx context.Context, works []*work[M]) error {
	if !t.begun {
		return nil
	}
	t.begun = false
	ctx, cancel := context.WithTimeout(ctx, t.endWithin())
	defer cancel()
	progress := map[int32]Progress{}
	for _, w := range works {
		progress[w.id] = w.track.progress()
	}
	committed, err := t.session.End(withOffsets(ctx, progress), kgo.TryCommit)
	if err != nil {
		return fmt.Errorf("end transaction: %w", errors.Join(context.Cause(ctx), err))
	}
	if !committed {
		t.cfg.Meter.count(t.spec.Name, "aborted", "", 1)
		t.restart(works)
		return nil
	}
	t.cfg.Meter.count(t.spec.Name, "commits", "", 1)
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

// reset makes the session of transactions usable after partitions went: until it has ended
// once, it tells of no further revocation and commits nothing. What was fetched comes again.
func (t *transactions[M]) reset(ctx context.Context, works []*work[M]) error {
	ctx, cancel := context.WithTimeout(ctx, t.endWithin())
	defer cancel()
	if _, err := t.session.End(ctx, kgo.TryAbort); err != nil {
		return fmt.Errorf("reset transactions: %w", errors.Join(context.Cause(ctx), err))
	}
	t.restart(works)
	return nil
}

// restart makes the client fetch again from what is committed.
func (t *transactions[M]) restart(works []*work[M]) {
	offsets := map[int32]kgo.EpochOffset{}
	for _, w := range works {
		at := max(w.recovery.begin, w.saved.get().offset)
		w.track, w.again = newTracker(Progress{Offset: at, Era: w.mark.Era}), -1
		offsets[w.id] = kgo.EpochOffset{Epoch: -1, Offset: at}
	}
	t.seek(offsets)
}
