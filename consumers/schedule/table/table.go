// Package table knows how the group schedule keeps its state: the keys of its
// tables and how rows are encoded and read.
//
// Goals: one place that spells keys, for the group and for those who ask it
// (schedule.Count, schedule.Explain).
//
// How it works: functions build keys; Read decodes one row, URLs the rows of a
// host's URLs wherever they stand.
//
// Promises: a key is a function of its arguments. On failure the store's error is
// returned as it is; a row that does not decode is an error that names it.
//
// Limits: a host's URLs are spread over tiers of 16^k buckets; a lookup asks every
// tier in use.
package table

import (
	"context"
	"errors"
	"fmt"

	"millrace/schema"
	"millrace/streams/state"
)

// Groups of writes, in the order in which they become durable. A crash between
// two of them loses nothing: a URL is in a queue before its host's row counts it,
// and counted before its own row marks it seen; a slot of the wheel is forgotten
// after its rows are in queues.
const (
	GroupQueues = iota // todo, later, site_host, the first row of a shard
	GroupHosts
	GroupURLs
	GroupShards // and counts
)

// Message is a row's state.
type Message interface {
	SizeVT() int
	MarshalToSizedBufferVT([]byte) (int, error)
	UnmarshalVT([]byte) error
}

// Encode returns a row's state as a cell.
func Encode(m Message) state.Value {
	b := make([]byte, m.SizeVT())
	n, err := m.MarshalToSizedBufferVT(b)
	if err != nil { // only for a buffer that is too small, and it is not
		return state.Value{}
	}
	return state.Bytes(b[len(b)-n:])
}

// Read reads and decodes one row; false = there is none.
func Read(ctx context.Context, s Reader, t *schema.Table, key state.Key, into Message) (bool, error) {
	cells, err := s.Get(ctx, t, key)
	if errors.Is(err, state.ErrNotFound) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if err := into.UnmarshalVT(cells[0].Bytes()); err != nil {
		return false, fmt.Errorf("%s %v: %w", t.Name, key, err)
	}
	return true, nil
}

// Reader is the reading half of a Store or a Batch.
type Reader interface {
	Get(context.Context, *schema.Table, state.Key) (state.Cells, error)
	GetMany(context.Context, *schema.Table, state.Key, []state.Value) ([]state.Row, error)
	Slice(context.Context, *schema.Table, state.Key, []state.Value, int) ([]state.Row, error)
}

// Host is the key of a host's row.
func Host(h schema.Host) state.Key {
	return state.Key{state.Num(int64(schema.Shard(h))), state.Str(string(h))}
}

// Patterns is the key of what a host's URLs brought.
func Patterns(h schema.Host) state.Key { return state.Key{state.Str(string(h))} }

// Shard is the key of a shard's row, and the partition of its hosts.
func Shard(shard int) state.Key { return state.Key{state.Num(int64(shard))} }

// Counts is the key of a partition's CountsRow.
func Counts(partition int32) state.Key { return Shard(schema.Shards + int(partition)) }

// Todo is a chunk of a host's queue of one class.
func Todo(h schema.Host, class int, chunk int64) state.Key {
	return state.Key{state.Str(string(h)), state.Num(int64(class)), state.Num(chunk)}
}

// Later is a day of a shard's time wheel.
func Later(shard int, day int64) state.Key {
	return state.Key{state.Num(int64(shard)), state.Num(day)}
}

// URLs is a bucket of a host's URLs.
func URLs(h schema.Host, at Place) state.Key {
	return state.Key{state.Str(string(h)), state.Num(int64(at.Tier)), state.Num(at.Bucket)}
}

// Normal gives a host's row all its queues, counters and budgets.
func Normal(row *schema.HostRow, classes, budgets int) *schema.HostRow {
	for len(row.Queues) < classes {
		row.Queues = append(row.Queues, &schema.Queue{})
	}
	for len(row.Statuses) < len(schema.UrlRow_Status_name) {
		row.Statuses = append(row.Statuses, 0)
	}
	for len(row.Strangers) < budgets {
		row.Strangers = append(row.Strangers, &schema.Budget{})
	}
	return row
}
