package streams

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"

	"millrace/topics"
)

// transactions commits the outputs and the offsets of a round together, for groups with Delivery
// Transactional.
type transactions[M topics.Message] struct {
	*member
	id      string                    // transactional id
	session *kgo.GroupTransactSession // nil: the group uses no transactions
	begun   bool                      // a transaction is open
	went    atomic.Bool               // partitions were revoked or lost: the session must be reset
	broke   disconnects               // a connection ended since the last look for hanging transactions
	told    atomic.Bool               // the rights to look for them are missing
}

// disconnects notes that a connection to a broker ended.
type disconnects struct{ atomic.Bool }

// OnBrokerDisconnect implements kgo.HookBrokerDisconnect.
func (d *disconnects) OnBrokerDisconnect(kgo.BrokerMetadata, net.Conn) { d.Store(true) }

// used reports whether the group uses transactions.
func (t *transactions[M]) used() bool { return t.session != nil }

// fence aborts the transaction that an earlier client with the same transactional id left open, and
// ends what hangs of that client's. Otherwise readers, and the group's own offsets, would wait
// until it times out. What hangs is ended before the new client takes the id over, because the
// coordinator then forgets how the last transaction ended; one that only then is ended, after it.
func (t *transactions[M]) fence(ctx context.Context) error {
	if !t.used() {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, t.cfg.Session)
	defer cancel()
	said, err := t.reader.endedOf(ctx, t.id)
	if err != nil {
		return fmt.Errorf("begin transactions: %w", err)
	}
	ongoing := said != nil && said.State == "Ongoing"
	if said != nil && !ongoing {
		if err := t.settle(ctx, said.ProducerID, func(h hanging) bool { return h.committed(said) }); err != nil {
			return fmt.Errorf("begin transactions: %w", err)
		}
	}
	if _, _, err := t.cl.ProducerID(ctx); err != nil {
		return fmt.Errorf("begin transactions: %w", err)
	}
	if !ongoing {
		return nil
	}
	err = t.settle(ctx, said.ProducerID, func(h hanging) bool { return !said.Topics.Lookup(h.topic, h.partition) && h.committed(said) })
	if err != nil {
		return fmt.Errorf("begin transactions: %w", err)
	}
	return nil
}

// begin opens a transaction for what is appended next. If a connection ended since the last look,
// brokers may have died: then what hangs of the transactions before is ended first.
func (t *transactions[M]) begin(ctx context.Context) error {
	if t.broke.Swap(false) {
		if err := t.look(ctx); err != nil {
			return fmt.Errorf("begin transaction: %w", err)
		}
	}
	if err := t.session.Begin(); err != nil {
		return fmt.Errorf("begin transaction: %w", err)
	}
	t.begun = true
	return nil
}

// look ends what hangs of this client's transactions, of which none is open now.
func (t *transactions[M]) look(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, t.endWithin())
	defer cancel()
	said, err := t.reader.endedOf(ctx, t.id)
	if err != nil || said == nil {
		return err
	}
	if said.State == "Ongoing" {
		return errors.New("the transaction before is still open")
	}
	return t.settle(ctx, said.ProducerID, func(h hanging) bool { return h.committed(said) })
}

// abort aborts the open transaction of a client that is not used any more.
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

// endWithin is the longest time that ending a transaction may take. The brokers abort an open
// transaction after the same time.
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

// withOffsets makes a transaction commit progress: offsets of what is done, with bitmap and era as
// metadata. Without it the client would commit all records that it has handed out.
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

// reset makes kgo's transaction session usable after partitions were revoked or lost: until End was
// called once, the session reports no further revocation and commits nothing. The records that were
// fetched are fetched again.
func (t *transactions[M]) reset(ctx context.Context, works []*work[M]) error {
	ctx, cancel := context.WithTimeout(ctx, t.endWithin())
	defer cancel()
	if _, err := t.session.End(ctx, kgo.TryAbort); err != nil {
		return fmt.Errorf("reset transactions: %w", errors.Join(context.Cause(ctx), err))
	}
	t.restart(works)
	return nil
}

// restart makes the client fetch again from the committed offsets.
func (t *transactions[M]) restart(works []*work[M]) {
	offsets := map[int32]kgo.EpochOffset{}
	for _, w := range works {
		at := max(w.recovery.begin, w.saved.get().offset)
		w.track, w.again = newTracker(Progress{Offset: at, Era: w.mark.Era}), -1
		offsets[w.id] = kgo.EpochOffset{Epoch: -1, Offset: at}
	}
	t.seek(offsets)
}
