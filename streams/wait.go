package streams

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"millrace/topics"
)

// backlogEvery is how often a waiting group asks how far behind its reader is.
const backlogEvery = 500 * time.Millisecond

// backlog knows whether the group that this one waits for is behind its bound.
type backlog struct {
	log  *Log
	spec topics.Group
	over atomic.Bool
	mean atomic.Int64 // mean size of a record sent to the edge, in bytes
	n    atomic.Int64 // records sent to the edge
}

// behind reports whether the bound was passed when it was last looked at.
func (b *backlog) behind() bool { return b.over.Load() }

// sent keeps the mean record size: a moving average over about 64 records.
func (b *backlog) sent(topic string, size int) {
	if topic == b.spec.Waits {
		m := b.mean.Load()
		b.mean.Store(m + (int64(size)-m)/64)
		b.n.Add(1)
	}
}

// watch looks every backlogEvery until ctx ends, unless nothing was sent since the
// bound was seen to hold. What cannot be read does not stop the group.
func (b *backlog) watch(ctx context.Context, log *slog.Logger) {
	tick := time.NewTicker(backlogEvery)
	defer tick.Stop()
	seen := int64(-1)
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		n := b.n.Load()
		if n == seen && !b.behind() {
			continue
		}
		over, err := b.look(ctx)
		if err != nil {
			if ctx.Err() == nil {
				log.Debug("backlog not known", "of", b.spec.WaitsFor, "error", err)
			}
			continue
		}
		seen = n
		if b.over.Swap(over) != over {
			log.Info("backpressure", "waiting", over, "for", b.spec.WaitsFor, "topic", b.spec.Waits)
		}
	}
}

func (b *backlog) look(ctx context.Context) (bool, error) {
	lags, err := b.log.behind(ctx, b.spec.WaitsFor, b.spec.Waits)
	if err != nil {
		return false, err
	}
	spec, err := topics.Named(b.spec.Waits)
	if err != nil {
		return false, err
	}
	for _, lag := range lags {
		if spec.Bound.Records > 0 && lag > spec.Bound.Records ||
			spec.Bound.Bytes > 0 && lag*b.mean.Load() > spec.Bound.Bytes {
			return true, nil
		}
	}
	return false, nil
}

// behind returns the records that a group has not done, by partition. A
// partition without a commit counts from its beginning.
func (l *Log) behind(ctx context.Context, group, topic string) (map[int32]int64, error) {
	done, err := l.Committed(ctx, group, topic)
	if err != nil {
		return nil, err
	}
	ends, err := l.ends(ctx, topic)
	if err != nil {
		return nil, err
	}
	out := map[int32]int64{}
	for p, end := range ends {
		from, ok := done[p]
		if !ok {
			if from.Offset, err = l.Start(ctx, topic, p); err != nil {
				return nil, err
			}
		}
		out[p] = max(0, end-from.Offset-from.Ahead())
	}
	return out, nil
}
