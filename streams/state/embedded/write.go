package embedded

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"millrace/schema"
	"millrace/streams/state"
)

// Write implements state.Store. All groups become durable together with one sync, which is more
// than the contract asks and saves a sync per group.
func (s *Store) Write(ctx context.Context, groups ...[]state.Mutation) error {
	if err := state.CheckWrite(groups...); err != nil {
		return err
	}
	if err := s.begin(ctx); err != nil {
		return err
	}
	defer s.end()
	s.drops.RLock()
	defer s.drops.RUnlock()
	b := s.db.NewBatch()
	defer b.Close()
	if err := stage(b, groups); err != nil {
		return fmt.Errorf("write: %w", err)
	}
	if b.Empty() {
		return nil
	}
	if err := b.Commit(pebble.Sync); err != nil {
		return fmt.Errorf("write: %w", err)
	}
	return nil
}

func stage(b *pebble.Batch, groups [][]state.Mutation) error {
	var value []byte
	for _, group := range groups {
		for i := range group {
			m := &group[i]
			r := operand(m)
			value = r.append(value[:0])
			if err := b.Merge(key(m.Table, m.Key), value, nil); err != nil {
				return err
			}
		}
	}
	return nil
}

// operand returns the merge operand for m: a record with only m's effects.
func operand(m *state.Mutation) record {
	if m.Delete {
		return record{deleted: m.TS}
	}
	r := record{live: m.TS, cells: make([]cell, len(m.Cells))}
	for i, v := range m.Cells {
		if v.IsSet() {
			r.cells[i] = cell{ts: m.TS, value: storeValue(m.Table.Cells[i].Type, v)}
		}
	}
	return r
}

// Drop implements state.Store. It writes a marker under the partition's own key, which hides rows
// with an older timestamp, also those that arrive later. It also deletes the rows, unless one of
// them is newer than the drop (the call came from an owner that was replaced): then the marker
// alone hides the older ones.
func (s *Store) Drop(ctx context.Context, t *schema.Table, partition state.Key, ts int64) error {
	return s.DropAll(ctx, []state.Dropping{{Table: t, Partition: partition, TS: ts}})
}

// DropAll drops many partitions with one write and one sync (state.DropAll).
func (s *Store) DropAll(ctx context.Context, list []state.Dropping) error {
	for _, d := range list {
		if err := state.CheckDrop(d.Table, d.Partition, d.TS); err != nil {
			return err
		}
	}
	if err := s.begin(ctx); err != nil {
		return err
	}
	defer s.end()
	s.drops.Lock()
	defer s.drops.Unlock()
	b := s.db.NewBatch()
	defer b.Close()
	for _, d := range list {
		if err := s.stageDrop(ctx, b, d); err != nil {
			return fmt.Errorf("drop from %s %v: %w", d.Table.Name, d.Partition, err)
		}
	}
	if err := b.Commit(pebble.Sync); err != nil {
		return fmt.Errorf("drop: %w", err)
	}
	return nil
}

// maxDeletes is the most rows of a dropped partition that are deleted one by one; of more, the
// range is deleted. A range deletion slows every read near it until it is compacted away, so many
// small ones would make the whole store slow.
const maxDeletes = 256

func (s *Store) stageDrop(ctx context.Context, b *pebble.Batch, d state.Dropping) error {
	r, err := s.reader(ctx, d.Table, d.Partition)
	if err != nil {
		return err
	}
	rows, newer, err := r.upTo(ctx, d.TS)
	if err = r.close(err); err != nil {
		return err
	}
	switch {
	case newer:
	case len(rows) > maxDeletes:
		err = b.DeleteRange(r.prefix, after(r.prefix), nil)
	default:
		for _, row := range rows {
			err = errors.Join(err, b.Delete(row, nil))
		}
	}
	marker := record{deleted: max(d.TS, r.drop)}
	return errors.Join(err, b.Merge(r.prefix, marker.append(nil), nil))
}

// upTo returns the keys of the rows, at most maxDeletes+1 of them, and whether any row was set or
// deleted after ts.
func (r *reader) upTo(ctx context.Context, ts int64) (keys [][]byte, newer bool, err error) {
	seen := 0
	for ok := r.it.SeekGE(append(r.prefix[:len(r.prefix):len(r.prefix)], 0)); ok; ok = r.it.Next() {
		if seen++; seen%checkEvery == 0 && ctx.Err() != nil {
			return nil, false, ctx.Err()
		}
		if err := r.load(); err != nil {
			return nil, false, err
		}
		if max(r.rec.live, r.rec.deleted) > ts {
			return nil, true, nil
		}
		if len(keys) <= maxDeletes {
			keys = append(keys, bytes.Clone(r.it.Key()))
		}
	}
	return keys, false, r.it.Error()
}
