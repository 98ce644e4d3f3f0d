package streams

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"

	"millrace/topics"
)

// A hanging transaction is one that a partition holds open although its coordinator has ended it:
// readers of what is committed stop before it, and a group whose offset it holds gets no answer.
// Worse, the next transaction of the same producer in this partition takes it in: what was aborted
// is committed with it, and what was committed is aborted. Nothing at the brokers prevents either.
// Kafka makes them: a broker that was killed and starts again leaves a partition out, with the line
// "these partitions are likely deleted already and hence can be skipped", if it is to write the end
// of a transaction before it has heard who leads the partition (seen with 4.3). KIP-664 describes
// the requests that find and end them.
//
// A member looks for its own before a new client of it begins transactions (fence), and before the
// next transaction after a connection ended (begin). Those of members that do not come back are
// found by whoever else is in the group (watch): they hang for about a minute. Each ends as its
// coordinator says, which still knows the last transaction of an ID.
//
// Not covered: the coordinator dies in the milliseconds between acknowledging a commit and writing
// it to the partitions, forgets one when it starts again, and the records that the member was
// sending to it at that moment, in its next transaction, are aborted. Then both are taken back.
type hanging struct {
	topic       string
	partition   int32
	producer    int64
	epoch       int16
	coordinator int32 // epoch of the transaction's coordinator
	first       int64 // offset of the transaction's first record
}

// offsetsTopic is where Kafka keeps the offsets of groups.
const offsetsTopic = "__consumer_offsets"

// open returns the transactions that the partitions of some topics, and the groups' offsets, hold
// open now, of those that could be asked; why others may not be asked; and why others could not.
func (l *Log) open(ctx context.Context, names []string) (out []hanging, denied, failed error) {
	for _, topic := range append(slices.Clone(names), offsetsTopic) { // one by one: a denial ends the request
		var set kadm.TopicsSet
		set.Add(topic)
		found, err := l.adm.DescribeProducers(ctx, set)
		if err == nil && len(found[topic].Partitions) == 0 && topic != offsetsTopic { // those are made when they are needed
			err = kerr.LeaderNotAvailable // a broker that has just started does not know it yet
		}
		for _, p := range found[topic].Partitions {
			err = errors.Join(err, p.Err)
		}
		switch {
		case Denied(err):
			denied = fmt.Errorf("describe producers of %s: %w", topic, err)
		case err != nil:
			failed = fmt.Errorf("describe producers of %s: %w", topic, err)
		}
		found.EachProducer(func(p kadm.DescribedProducer) {
			if p.CurrentTxnStartOffset >= 0 {
				out = append(out, hanging{p.Topic, p.Partition, p.ProducerID, p.ProducerEpoch, p.CoordinatorEpoch, p.CurrentTxnStartOffset})
			}
		})
	}
	return out, denied, failed
}

// owner returns what the coordinator says of a producer's transactions; nil: it knows none.
func (l *Log) owner(ctx context.Context, producer int64) (*kadm.DescribedTransaction, error) {
	listed, err := l.adm.ListTransactions(ctx, []int64{producer}, nil)
	if err != nil {
		return nil, fmt.Errorf("list transactions: %w", err)
	}
	ids := listed.TransactionalIDs()
	if len(ids) == 0 {
		return nil, nil
	}
	return l.lastOf(ctx, ids[0])
}

// lastOf returns what the coordinator says of the last transaction of an ID; nil: it knows none.
func (l *Log) lastOf(ctx context.Context, id string) (*kadm.DescribedTransaction, error) {
	described, err := l.adm.DescribeTransactions(ctx, id)
	if err != nil {
		return nil, fmt.Errorf("describe transaction %s: %w", id, err)
	}
	d, err := described.On(id, nil)
	if err == nil {
		err = d.Err
	}
	if errors.Is(err, kerr.TransactionalIDNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("describe transaction %s: %w", id, err)
	}
	return &d, nil
}

// endedOf is lastOf, after the coordinator has written the ends that it was writing.
func (l *Log) endedOf(ctx context.Context, id string) (*kadm.DescribedTransaction, error) {
	for {
		d, err := l.lastOf(ctx, id)
		if err != nil || d == nil || !strings.HasPrefix(d.State, "Prepare") {
			return d, err
		}
		if err := sleep(ctx, 50*time.Millisecond); err != nil {
			return nil, fmt.Errorf("transaction %s is being ended: %w", id, err)
		}
	}
}

// verdict says what becomes of a transaction that was open twice, longer apart than a transaction
// may last: left alone, if it is another program's or its coordinator still ends it, or ended.
func (h hanging) verdict(group string, said *kadm.DescribedTransaction) (end, commit bool) {
	if said == nil { // forgotten, a week later: only millrace writes its topics, but everybody commits
		ours := h.topic != offsetsTopic
		return ours, ours
	}
	if !strings.HasPrefix(said.TxnID, topics.TransactionPrefix(group)) {
		return false, false
	}
	if said.Topics.Lookup(h.topic, h.partition) {
		return false, false // open, or about to be ended
	}
	return true, h.committed(said)
}

// committed reports how a transaction is to end that said does not hold open any more. If said
// speaks of a later one, nobody knows: then records become visible and offsets do not. So work is
// done again, which may repeat records, and nothing is lost.
func (h hanging) committed(said *kadm.DescribedTransaction) bool {
	// Kafka 4 raises the epoch with each end (KIP-890), and once more for one that timed out.
	switch ahead := said.ProducerEpoch - h.epoch; {
	case said.State == "CompleteCommit" && ahead >= 0 && ahead <= 1:
		return true
	case said.State == "CompleteAbort" && ahead >= 0 && ahead <= 2:
		return false
	case said.State == "Empty": // its next client has begun, which aborted it (fence)
		return false
	}
	return h.topic != offsetsTopic
}

// end writes the end of a transaction into its partition.
func (l *Log) end(ctx context.Context, h hanging, commit bool) error {
	var set kadm.TopicsSet
	set.Add(h.topic, h.partition)
	done, err := l.adm.WriteTxnMarkers(ctx, kadm.TxnMarkers{
		ProducerID: h.producer, ProducerEpoch: h.epoch, Commit: commit, CoordinatorEpoch: h.coordinator, Topics: set,
	})
	done.EachPartition(func(p kadm.TxnMarkersPartitionResponse) { err = errors.Join(err, p.Err) })
	if errors.Is(err, kerr.InvalidProducerEpoch) { // another member was first
		return nil
	}
	return err
}

// holds lists the topics in which the group's transactions are.
func (t *transactions[M]) holds() []string {
	return append([]string{topics.DeadLetters().Name}, t.spec.Writes...)
}

// settle ends what partitions hold open of a producer, which has no transaction now, each as
// committed says. Without the rights to look it says so, and goes on.
func (t *transactions[M]) settle(ctx context.Context, producer int64, committed func(hanging) bool) error {
	open, denied, err := t.reader.open(ctx, t.holds())
	if err != nil {
		return err
	}
	t.blind(denied)
	for _, h := range open {
		if h.producer != producer {
			continue
		}
		if err := t.finish(ctx, h, committed(h)); err != nil {
			return err
		}
	}
	return nil
}

// finish ends a hanging transaction. Without the right to it says so, and goes on.
func (t *transactions[M]) finish(ctx context.Context, h hanging, commit bool) error {
	err := t.reader.end(ctx, h, commit)
	switch {
	case err == nil:
		t.cfg.Meter.count(t.spec.Name, "hanging", h.topic, 1)
		t.log.Warn("the brokers had left a transaction open for ever: ended it", "topic", h.topic, "partition", h.partition,
			"producer", h.producer, "offset", h.first, "committed", commit)
	case Denied(err):
		t.stuck(h, err)
		return nil
	}
	return err
}

// blind says, once a client, that hanging transactions cannot be looked for, and why; nil: they
// can.
func (t *transactions[M]) blind(err error) {
	if err != nil && !t.told.Swap(true) {
		t.log.Info("a transaction that Kafka forgets would not be seen: that takes the rights to read these topics",
			"topics", t.holds(), "error", err)
	}
}

// stuck says that a hanging transaction could not be ended.
func (t *transactions[M]) stuck(h hanging, err error) {
	t.log.Error("the brokers have left a transaction open for ever, and it could not be ended: whoever reads this partition waits; "+
		"an administrator of Kafka ends it with kafka-transactions.sh abort", "topic", h.topic, "partition", h.partition,
		"producer", h.producer, "offset", h.first, "error", err)
}

// watch looks for hanging transactions of the group until ctx ends, and ends them. One hangs if it
// is open for three times as long as a transaction may last, by this process's own clock.
func (t *transactions[M]) watch(ctx context.Context) {
	since := map[hanging]time.Time{}
	tick := time.NewTicker(2 * t.endWithin())
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		open, denied, _ := t.reader.open(ctx, t.holds())
		t.blind(denied)
		for h := range since {
			if !slices.Contains(open, h) {
				delete(since, h)
			}
		}
		for _, h := range open {
			if since[h].IsZero() {
				since[h] = time.Now()
			} else if time.Since(since[h]) > 3*t.endWithin() {
				t.settleOther(ctx, h)
			}
		}
	}
}

// settleOther ends a transaction, unless it is another program's or will be ended.
func (t *transactions[M]) settleOther(ctx context.Context, h hanging) {
	said, err := t.reader.owner(ctx, h.producer)
	if err == nil {
		end, commit := h.verdict(t.spec.Name, said)
		if !end {
			return
		}
		err = t.finish(ctx, h, commit)
	}
	if err != nil && ctx.Err() == nil {
		t.stuck(h, err)
	}
}
