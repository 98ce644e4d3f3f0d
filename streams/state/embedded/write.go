package embedded

import (
	"context"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"

	"millrace/schema"
	"millrace/streams/state"
)

// Write implements state.Store. All groups become durable at once, which is
// more than their order and saves a sync for each.
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

// operand is the record that says what m says and nothing else.
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

// Drop implements state.Store. A marker under the partition's own key keeps
// older rows dead that arrive later. The rows are deleted as a range, unless
// one of them is newer than the drop (the call of a stale owner): then the marker
// alone hides what it must.
func (s *Store) Drop(ctx context.Context, t *schema.Table, partition state.Key, ts int64) error {
	if err := state.CheckDrop(t, partition, ts); err != nil {
		return err
	}
	if err := s.begin(ctx); err != nil {
		return err
	}
	defer s.end()
	s.drops.Lock()
	defer s.drops.Unlock()
	if err := s.drop(ctx, t, partition, ts); err != nil {
		return fmt.Errorf("drop from %s %v: %w", t.Name, partition, err)
	}
	return nil
}

func (s *Store) drop(ctx context.Context, t *schema.Table, partition state.Key, ts int64) error {
	r, err := s.reader(ctx, t, partition)
	if err != nil {
		return err
	}
	newer, err := r.newerThan(ctx, ts)
	if err = r.close(err); err != nil {
		return err
	}
	b := s.db.NewBatch()
	defer b.Close()
	if !newer {
		err = b.DeleteRange(r.prefix, after(r.prefix), nil)
	}
	marker := record{deleted: max(ts, r.drop)}
	return errors.Join(err, b.Merge(r.prefix, marker.append(nil), nil), b.Commit(pebble.Sync))
}

// newerThan reports whether any row was set or deleted after ts.
func (r *reader) newerThan(ctx context.Context, ts int64) (bool, error) {
	seen := 0
	for ok := r.it.SeekGE(append(r.prefix[:len(r.prefix):len(r.prefix)], 0)); ok; ok = r.it.Next() {
		if seen++; seen%checkEvery == 0 && ctx.Err() != nil {
			return false, ctx.Err()
		}
		if err := r.load(); err != nil {
			return false, err
		}
		if max(r.rec.live, r.rec.deleted) > ts {
			return true, nil
		}
	}
	return false, r.it.Error()
}
