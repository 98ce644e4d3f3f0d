package streams

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
)

// round does one round over all partitions that are ready: handle, append, await, settle, commit. A
// partition whose Task fails is put back and waits; the others go on. An error ends the client's
// session.
func (r *runner[M]) round(ctx context.Context, fetches kgo.Fetches) error {
	r.tasks.progress.Lock()
	defer r.tasks.progress.Unlock()
	r.pace.rests = time.Time{}
	works, err := r.tasks.ready()
	if err != nil {
		return err
	}
	if r.txns.used() && r.txns.went.Swap(false) {
		return r.txns.reset(ctx, works)
	}
	batches, taken, err := r.sort(fetches)
	if err != nil {
		return err
	}
	if err := r.marks.reserve(ctx, works, batches); err != nil {
		return err
	}
	if r.looksAhead() {
		batches, taken = r.choose(works, batches)
	}
	r.pace.round(taken, r.roundSize())
	if taken > 0 {
		r.cfg.Meter.count(r.spec.Name, "rounds", "", 1)
	}
	until := time.Now().Add(r.cfg.Session / 3)
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
	r.lookAhead(works)
	r.pace.rests = r.restsUntil(works, time.Now())
	return nil
}

// sort returns the fetched records by partition. Errors of the fetch are logged and the client
// fetches again, but for those that end the session: the log changed, or the brokers refuse this
// member.
func (r *runner[M]) sort(fetches kgo.Fetches) (batches map[int32][]*kgo.Record, taken int, err error) {
	batches = map[int32][]*kgo.Record{}
	fetches.EachPartition(func(p kgo.FetchTopicPartition) {
		if len(p.Records) > 0 {
			batches[p.Partition] = p.Records
			taken += len(p.Records)
		}
	})
	fetches.EachError(func(topic string, p int32, e error) {
		var large *kgo.ErrDecompressTooLarge
		switch {
		case errors.Is(e, context.DeadlineExceeded), errors.Is(e, context.Canceled), errors.Is(e, errUnpackLater):
		case errors.As(e, &large) && r.looksAhead() && len(batches[p]) > 0: // it comes again, after these were handled
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
	return batches, taken, err
}

// each calls fn for all partitions at the same time.
func (r *runner[M]) each(works []*work[M], fn func(*work[M])) {
	r.workers.each(len(works), func(i int) { fn(works[i]) })
}

// settle lets every Task write its state. If a Task fails, its partition waits and Settle is called
// again in a later round. With transactions the round's outputs must then not be committed, so the
// session ends.
func (r *runner[M]) settle(ctx context.Context, works []*work[M]) error {
	r.each(works, func(w *work[M]) { w.settle(ctx) })
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if !r.txns.used() {
		return nil
	}
	for _, w := range works {
		if w.unsettled != nil {
			return fmt.Errorf("partition %d: its state could not be written within its transaction: %w", w.id, w.unsettled)
		}
	}
	return nil
}

// putBack makes the client fetch again the records that were not handled, and pauses the partitions
// that wait.
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
		r.tasks.pause(w.id, w.waits(now))
	}
}

// append sends the records that the round staged and waits for the acknowledgements, in a
// transaction if the group uses them.
func (r *runner[M]) append(ctx context.Context, works []*work[M], taken bool) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	var staged []Send
	for _, w := range works {
		staged = append(staged, w.staged...)
		w.staged = nil
	}
	if r.txns.used() && (taken || len(staged) > 0) {
		if err := r.txns.begin(ctx); err != nil {
			return err
		}
	}
	return r.send(ctx, staged)
}

// commitRound commits the round's progress: in one transaction with the outputs, or by an offset
// commit.
func (r *runner[M]) commitRound(ctx context.Context, works []*work[M]) error {
	if err := r.marks.refresh(ctx, works); err != nil {
		return err
	}
	if r.txns.used() {
		return r.txns.end(ctx, works)
	}
	r.commits.start(works)
	return nil
}

// refused reports whether an error would come again with a fresh client, so that an operator must
// act: a right, the login, a setting of the group or of a topic, or another number of partitions.
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
