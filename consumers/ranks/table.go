package ranks

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"millrace/schema"
	"millrace/streams"
	"millrace/topics"
)

// Table holds the ranks of pages in memory, beside the index: a search looks up its best few
// hundred hits. It follows the topic ranks. Safe for concurrent use.
type Table struct {
	mu     sync.RWMutex
	values map[uint64]float32 // by PageID
	mean   float64
}

// NewTable returns an empty table.
func NewTable() *Table { return &Table{values: map[uint64]float32{}} }

// Authority returns a page's rank above Base, as a multiple of the mean rank of all pages; 0 for a
// page without a record.
func (t *Table) Authority(rowKey string) float64 {
	id := schema.PageID(rowKey)
	t.mu.RLock()
	defer t.mu.RUnlock()
	if v := float64(t.values[id]); v > Base && t.mean > 0 {
		return (v - Base) / t.mean
	}
	return 0
}

// note stores a record of a page; records of hosts are ignored.
func (t *Table) note(r *schema.Rank) {
	if r.RowKey == "" {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.values[schema.PageID(r.RowKey)] = float32(r.Value)
	if r.Mean > 0 {
		t.mean = r.Mean
	} else if t.mean == 0 {
		t.mean = 2 * Base
	}
}

// followEvery is the time between two reads of the topic.
const followEvery = 2 * time.Second

// Follow reads the topic ranks every 2 s until ctx ends. The first of several failures in a row is
// logged.
func (t *Table) Follow(ctx context.Context, log *streams.Log, logger *slog.Logger) {
	var at position
	failed := false
	for {
		err := t.read(ctx, log, &at)
		if err != nil && ctx.Err() == nil && !failed {
			logger.Warn("ranks not read, trying again", "error", err)
		}
		failed = err != nil
		select {
		case <-ctx.Done():
			return
		case <-time.After(followEvery):
		}
	}
}

// ReadOnce reads the whole topic ranks once.
func (t *Table) ReadOnce(ctx context.Context, log *streams.Log) error {
	return t.read(ctx, log, &position{})
}

// position is how far a Table has read the topic.
type position struct {
	topic string // its id
	next  map[int32]int64
}

// read reads the new records. If the topic was made anew, it reads all of it; a partition that
// became shorter is read from its beginning.
func (t *Table) read(ctx context.Context, log *streams.Log, at *position) error {
	topic := topics.Ranks()
	id, err := log.TopicID(ctx, topic.Name)
	if err != nil {
		return err
	}
	ends, err := log.Ends(ctx, topic.Name)
	if err != nil {
		return err
	}
	if at.topic != id {
		*at = position{id, map[int32]int64{}}
	}
	for p, end := range ends {
		if at.next[p] > end {
			at.next[p] = 0
		}
		if at.next[p] == end {
			continue
		}
		err := streams.Read(ctx, log, topic, p, at.next[p], end, func(r *streams.Record[*schema.Rank]) error {
			if r.Value != nil {
				t.note(r.Value)
			}
			return nil
		})
		if err != nil {
			return err
		}
		at.next[p] = end
	}
	return nil
}
