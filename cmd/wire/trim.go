package wire

import (
	"context"
	"errors"

	"millrace/consumers/index"
	"millrace/topics"
)

// trimmer implements dedupe.Trimmer: dedupe cleans docs.unique on the built-in broker.
type trimmer struct{ s *groups }

var errRebuilding = errors.New("an index is being rebuilt from docs.unique")

// Floor implements dedupe.Trimmer: the offset that every group and the index of this process have
// passed. It is 0, so that nothing is deleted, while a rebuild runs and while the index has no
// shard of the partition yet.
//
// With no-index neither the group index nor a shard of an earlier run counts: a shard that the log
// has left behind begins anew when the index is wanted again, and cleaning keeps every live
// document.
func (t trimmer) Floor(ctx context.Context, partition int32) (int64, error) {
	if t.s.rebuild.atWork() {
		return 0, nil
	}
	if t.s.Config.NoIndex {
		floors, err := t.s.Reader.Floor(ctx, topics.Unique().Name, index.Group)
		return floors[partition], err
	}
	floors, err := t.s.Reader.Floor(ctx, topics.Unique().Name)
	if err != nil {
		return 0, err
	}
	for _, shard := range t.s.shards.Status() {
		if shard.Partition == partition {
			return min(floors[partition], shard.Offset), nil
		}
	}
	return 0, nil
}

// DeleteBefore implements dedupe.Trimmer. While a rebuild runs it deletes nothing and returns an
// error.
func (t trimmer) DeleteBefore(ctx context.Context, partition int32, offset int64) error {
	r := &t.s.rebuild
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.state.Running {
		return errRebuilding
	}
	return t.s.Reader.DeleteCopied(ctx, topics.Unique().Name, partition, offset)
}
