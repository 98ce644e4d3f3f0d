package streams

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"

	"millrace/topics"
)

// round does one round over all partitions that are ready: handle, append, await,
// settle, commit. A partition whose Task fails is put back and waits; the others go
// on. An error ends the session.
func (r *runner[M]) round(ctx context.Context, fetches kgo.Fetches) error {
	r.progress.Lock()
	defer r.progress.Unlock()
	works, err := r.ready()
	if err != nil {
		return err
	}
	if r.txn != nil && r.lostTxn.Swap(false) {
		return r.resetTransactions(ctx, works)
	}
	batches, taken, err := r.sort(fetches)
	if err != nil {
		return err
	}
	r.pace.round(taken, r.roundSize())
	if taken > 0 {
		r.cfg.Meter.count(r.spec.Name, "rounds", "", 1)
	}
	until := time.Now().Add(r.cfg.Session / 3)
	if err := r.reserve(ctx, works, batches); err != nil {
		return err
	}
	r.each(works, func(w *work[M]) { w.handle(ctx, batches[w.id], until) })
	if err := r.append(ctx, works, taken > 0); err != nil {
		return err
	}
	if err := r.settle(ctx, works); err != nil {
		return err
	}
	if err := r.commitRound(ctx, works); err != nil {
		return err
	}
	r.putBack(works)
	return nil
}

// sort returns the records by partition. What was fetched with an error is logged,
// or is the error that ends the session.
func (r *runner[M]) sort(fetches kgo.Fetches) (batches map[int32][]*kgo.Record, taken int, err error) {
	fetches.EachError(func(topic string, p int32, e error) {
		var large *kgo.ErrDecompressTooLarge
		switch {
		case errors.Is(e, context.DeadlineExceeded), errors.Is(e, context.Canceled), errors.Is(e, errUnpackLater):
		case errors.As(e, &large):
			err = errors.Join(err, r.skipBatch(large))
		case logChanged(e) != nil:
			err = errors.Join(err, &finalError{logChanged(e)})
		case refused(e):
			err = errors.Join(err, e)
		default:
			r.log.Warn("fetch failed, trying again", "topic", topic, "partition", p, "error", e)
		}
	})
	batches = map[int32][]*kgo.Record{}
	fetches.EachPartition(func(p kgo.FetchTopicPartition) {
		if len(p.Records) > 0 {
			batches[p.Partition] = p.Records
			taken += len(p.Records)
		}
	})
	return batches, taken, err
}

// each calls fn for all partitions at the same time.
func (r *runner[M]) each(works []*work[M], fn func(*work[M])) {
	r.workers.each(len(works), func(i int) { fn(works[i]) })
}

// settle lets every Task write its state. A Task that cannot waits; with
// transactions its outputs must not be committed, so the session ends.
func (r *runner[M]) settle(ctx context.Context, works []*work[M]) error {
	r.each(works, func(w *work[M]) { w.settle(ctx) })
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if r.txn == nil {
		return nil
	}
	for _, w := range works {
		if w.unsettled != nil {
			return fmt.Errorf("partition %d: its state could not be written within its transaction: %w", w.id, w.unsettled)
		}
	}
	return nil
}

// putBack makes the client fetch again what was not handled, and pauses the
// partitions that wait.
func (r *runner[M]) putBack(works []*work[M]) {
	offsets := map[int32]kgo.EpochOffset{}
	for _, w := range works {
		if w.again >= 0 {
			offsets[w.id] = kgo.EpochOffset{Epoch: -1, Offset: w.again}
			w.again = -1
		}
	}
	r.seek(offsets)
	now := time.Now()
	for _, w := range works {
		r.places.pause(r.cl, r.topic.Name, w.id, w.waits(now))
	}
}

// seek makes the client go on at other offsets.
func (r *runner[M]) seek(offsets map[int32]kgo.EpochOffset) {
	if len(offsets) > 0 {
		r.cl.SetOffsets(map[string]map[int32]kgo.EpochOffset{r.topic.Name: offsets})
	}
}

// append sends what the round staged and waits for the acknowledgements.
func (r *runner[M]) append(ctx context.Context, works []*work[M], taken bool) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	var staged []Send
	for _, w := range works {
		staged = append(staged, w.staged...)
		w.staged = nil
	}
	if r.txn != nil && (taken || len(staged) > 0) {
		if err := r.txn.Begin(); err != nil {
			return fmt.Errorf("begin transaction: %w", err)
		}
		r.commits.begun = true
	}
	acks := make(chan error, len(staged))
	for _, s := range staged {
		r.produce(ctx, s, func(err error) { acks <- err })
	}
	var failed error
	for range staged {
		select {
		case err := <-acks:
			failed = errors.Join(failed, err)
		case <-ctx.Done():
			return fmt.Errorf("append: %w", context.Cause(ctx))
		}
	}
	if failed != nil {
		return fmt.Errorf("append: %w", errors.Join(r.guard.failure(), failed))
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

// refused reports whether the brokers refuse this member for a reason that a fresh
// client would meet again: an operator must act.
func refused(err error) bool {
	var counted *countError
	if errors.As(err, &counted) {
		return true
	}
	for _, e := range []error{
		kerr.TopicAuthorizationFailed, kerr.GroupAuthorizationFailed, kerr.ClusterAuthorizationFailed,
		kerr.TransactionalIDAuthorizationFailed, kerr.SaslAuthenticationFailed, kerr.UnsupportedSaslMechanism,
		kerr.IllegalSaslState, kerr.SecurityDisabled, kerr.FencedInstanceID, kerr.InvalidGroupID,
		kerr.InconsistentGroupProtocol, kerr.GroupMaxSizeReached, kerr.UnsupportedVersion,
		kerr.InvalidTransactionTimeout, kerr.MessageTooLarge, kerr.RecordListTooLarge,
	} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}
