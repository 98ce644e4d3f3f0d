package streams

import (
	"context"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// commitRound makes the round's progress last: with the outputs in one
// transaction, or, every CommitEvery, as an offset commit.
func (r *runner[M]) commitRound(ctx context.Context) error {
	if err := r.refreshMarks(ctx); err != nil {
		return err
	}
	if r.txn != nil {
		return r.endTransaction(ctx)
	}
	if time.Since(r.lastCommit) < r.cfg.CommitEvery {
		return nil
	}
	r.lastCommit = time.Now()
	works := make([]*work[M], 0, len(r.parts))
	for _, w := range r.parts {
		works = append(works, w)
	}
	r.commit(ctx, works)
	return nil
}

// endTransaction commits the outputs and offsets of the round together. A
// transaction that a rebalance aborted is no error: its records come again, and
// repeats change nothing.
func (r *runner[M]) endTransaction(ctx context.Context) error {
	if !r.begun {
		return nil
	}
	r.begun = false
	committed, err := r.txn.End(kgo.PreTxnCommitFnContext(ctx, r.tellEras), kgo.TryCommit)
	if err != nil {
		return fmt.Errorf("end transaction: %w", err)
	}
	what := "commits"
	if !committed {
		what = "aborted"
	}
	r.cfg.Meter.count(r.spec.Name, what, "", 1)
	return nil
}

// tellEras adds to the offsets of a transaction the eras that they belong to.
func (r *runner[M]) tellEras(req *kmsg.TxnOffsetCommitRequest) error {
	for i := range req.Topics {
		for j := range req.Topics[i].Partitions {
			p := &req.Topics[i].Partitions[j]
			if w := r.parts[p.Partition]; w != nil {
				m := Progress{Era: w.mark.Era}.Metadata()
				p.Metadata = &m
			}
		}
	}
	return nil
}

// commit commits the progress of partitions where there is some. A commit that
// fails repeats work later, nothing else.
func (r *runner[M]) commit(ctx context.Context, works []*work[M]) {
	offsets := map[int32]kgo.EpochOffset{}
	metadata := map[int32]string{}
	for _, w := range works {
		p := w.track.progress()
		if p.Offset == w.saved && len(p.done) == 0 {
			continue
		}
		offsets[w.id] = kgo.EpochOffset{Epoch: -1, Offset: p.Offset}
		metadata[w.id] = p.Metadata()
		w.saved = p.Offset
	}
	if len(offsets) == 0 {
		return
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
	r.cl.CommitOffsetsSync(ctx, map[string]map[int32]kgo.EpochOffset{r.topic.Name: offsets}, r.onCommit)
}

func (r *runner[M]) onCommit(_ *kgo.Client, _ *kmsg.OffsetCommitRequest, resp *kmsg.OffsetCommitResponse, err error) {
	if err != nil {
		r.log.Warn("commit failed: some work will be repeated", "error", err)
		return
	}
	for _, t := range resp.Topics {
		for _, p := range t.Partitions {
			if p.ErrorCode != 0 {
				r.log.Warn("commit refused: some work will be repeated", "partition", p.Partition, "code", p.ErrorCode)
			}
		}
	}
}
