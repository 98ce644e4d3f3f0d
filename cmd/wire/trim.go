package wire

import (
	"context"
	"errors"

	"millrace/topics"
)

// trimmer implements dedupe.Trimmer: dedupe cleans docs.unique on the built-in broker.
type trimmer struct{ s *groups }

var errRebuilding = errors.New("an index is being rebuilt from docs.unique")

// Floor implements dedupe.Trimmer: the offset that every group and the index of this process have
// passed. It is 0, so that nothing is deleted, while a rebuild runs and while the index has no
// shard of the partition yet. With no-index a missing shard does not count; but the group index
// still does (Log.Floor): without a commit of it the floor stays 0.
func (t trimmer) Floor(ctx context.Context, partition int32) (int64, error) {
	floors, err := t.s.Reader.Floor(ctx, topics.Unique().Name)
	if err != nil {
		return 0, err
	}
	floor, read := floors[partition], false
	for _, shard := range t.s.shards.Status() {
		if shard.Partition == partition {
			floor, read = min(floor, shard.Offset), true
		}
	}
	switch {
	case t.s.rebuild.atWork():
		return 0, nil
	case !read && !t.s.Config.NoIndex:
		return 0, nil
	}
	return floor, nil
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
	return t.s.Reader.DeleteRecords(ctx, topics.Unique().Name, partition, offset)
}
