package index

import (
	"context"
	"fmt"

	"millrace/streams"
)

// Pass implements streams.Passer: the shard is complete without a record that is no document.
func (t *task) Pass(r streams.Raw) {
	if r.Offset >= t.offset {
		t.pending.next, t.pending.time = r.Offset+1, r.Time
	}
}

// settlePassed writes the position if it moved without a change.
func (t *task) settlePassed(ctx context.Context) error {
	if t.pending.next <= t.offset {
		return nil
	}
	if err := t.shards.Apply(ctx, t.p.ID(), Batch{Next: t.pending.next, Era: t.p.Era(), Time: t.pending.time}); err != nil {
		return fmt.Errorf("partition %d: %w", t.p.ID(), err)
	}
	t.offset = t.pending.next
	return nil
}
