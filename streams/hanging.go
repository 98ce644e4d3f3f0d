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

// A hanging transaction is one that a partition holds open although its coordinator knows nothing
// more of it: readers of what is committed stop before it, and a group whose offset it holds gets
// no answer. Nothing at the brokers ends it. Kafka makes them: a broker that was killed and starts
// again leaves a partition out, with the line "these partitions are likely deleted already and
// hence can be skipped", if it is to write the end of a transaction before it has heard who leads
// the partition (seen with 4.3). KIP-664 describes the requests that find and end them.
//
// Each member of a group with transactions looks for those of its group and ends them, as
// kafka-transactions.sh does by hand.
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

// open returns the transactions that the partitions of some topics hold open now, of those that
// could be asked, and why others could not.
func (l *Log) open(ctx context.Context, names []string) ([]hanging, error) {
	var set kadm.TopicsSet
	set.Add(names[0])
	for _, n := range names[1:] {
		set.Add(n)
	}
	found, err := l.adm.DescribeProducers(ctx, set)
	if err != nil {
		return nil, fmt.Errorf("describe producers: %w", err)
	}
	var out []hanging
	var failed error
	for _, t := range found {
		for _, p := range t.Partitions {
			failed = errors.Join(failed, p.Err)
		}
	}
	found.EachProducer(func(p kadm.DescribedProducer) {
		if p.CurrentTxnStartOffset >= 0 {
			out = append(out, hanging{p.Topic, p.Partition, p.ProducerID, p.ProducerEpoch, p.CoordinatorEpoch, p.CurrentTxnStartOffset})
		}
	})
	return out, failed
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
	described, err := l.adm.DescribeTransactions(ctx, ids[0])
	if err != nil {
		return nil, fmt.Errorf("describe transaction %s: %w", ids[0], err)
	}
	d, err := described.On(ids[0], nil)
	if err == nil {
		err = d.Err
	}
	if err != nil {
		return nil, fmt.Errorf("describe transaction %s: %w", ids[0], err)
	}
	return &d, nil
}

// verdict says what becomes of a transaction that was open twice, longer apart than a transaction
// may last: left alone, if it is another program's or its coordinator still ends it, or ended. It
// ends as the coordinator says, if that speaks of this transaction and not of a later one. Else its
// records become visible, and its offsets do not: what was done is done again, which changes
// nothing, and nothing is lost.
func (h hanging) verdict(group string, said *kadm.DescribedTransaction) (end, commit bool) {
	commit = h.topic != offsetsTopic
	if said == nil { // forgotten, a week later: only millrace writes its topics, but everybody commits
		return commit, commit
	}
	if !strings.HasPrefix(said.TxnID, topics.TransactionPrefix(group)) {
		return false, false
	}
	if said.Topics.Lookup(h.topic, h.partition) {
		return false, false // open, or about to be ended
	}
	// Kafka 4 raises the epoch with each end (KIP-890), and once more for one that timed out.
	switch ahead := said.ProducerEpoch - h.epoch; {
	case said.State == "CompleteCommit" && ahead >= 0 && ahead <= 1:
		return true, true
	case said.State == "CompleteAbort" && ahead >= 0 && ahead <= 2:
		return true, false
	}
	return true, commit
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

// watch looks for hanging transactions of the group until ctx ends, and ends them. One hangs if it
// is open for three times as long as a transaction may last, by this process's own clock.
func (t *transactions[M]) watch(ctx context.Context) {
	names := append([]string{offsetsTopic, topics.DeadLetters().Name}, t.spec.Writes...)
	since, told := map[hanging]time.Time{}, false
	tick := time.NewTicker(2 * t.endWithin())
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		open, err := t.reader.open(ctx, names)
		if Denied(err) && !told {
			told = true
			t.log.Info("a transaction that Kafka forgets would not be seen: that takes the rights to read these topics", "topics", names, "error", err)
		}
		for h := range since {
			if !slices.Contains(open, h) {
				delete(since, h)
			}
		}
		for _, h := range open {
			if since[h].IsZero() {
				since[h] = time.Now()
			} else if time.Since(since[h]) > 3*t.endWithin() {
				t.settleHanging(ctx, h)
			}
		}
	}
}

// settleHanging ends a transaction, unless it is another program's or will be ended.
func (t *transactions[M]) settleHanging(ctx context.Context, h hanging) {
	said, err := t.reader.owner(ctx, h.producer)
	if err == nil {
		end, commit := h.verdict(t.spec.Name, said)
		if !end {
			return
		}
		if err = t.reader.end(ctx, h, commit); err == nil {
			t.cfg.Meter.count(t.spec.Name, "hanging", h.topic, 1)
			t.log.Warn("the brokers had left a transaction open for ever: ended it", "topic", h.topic, "partition", h.partition,
				"producer", h.producer, "offset", h.first, "committed", commit)
			return
		}
	}
	if ctx.Err() == nil {
		t.log.Error("the brokers have left a transaction open for ever, and it could not be ended: whoever reads this partition waits; "+
			"an administrator of Kafka ends it with kafka-transactions.sh abort", "topic", h.topic, "partition", h.partition,
			"producer", h.producer, "offset", h.first, "error", err)
	}
}
