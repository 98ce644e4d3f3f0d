// Package table is the storage layout of the group schedule: the keys of its tables, and how rows
// are encoded and read.
//
// # Goals
//
// One place that builds keys, for the group and for those who read its tables from outside
// (schedule.Count, schedule.Explain, package survey).
//
// # How it works
//
// Functions build keys. Read decodes one row; EachURL reads the rows of some of a host's URLs.
//
// # Promises
//
// A key depends only on the function's arguments.
//
// # On failure
//
// The store's error is returned as it is. A row that does not decode is an error that names the
// row.
//
// # Limits
//
// A host's URLs are spread over tiers of 16^k buckets. A lookup asks every tier in use.
package table

import (
	"context"
	"errors"
	"fmt"

	"millrace/schema"
	"millrace/streams/state"
)

// Groups of writes, in the order in which they become durable. A crash between two of them loses
// nothing: a URL is in a queue before its host's row counts it, and counted before its own row
// marks it as known; a slot of the calendar is closed after its rows are in queues.
const (
	GroupQueues = iota // todo, later, site_host, the first row of a shard
	GroupHosts
	GroupURLs
	GroupShards // and counts
)

// Message is a row that can be encoded and decoded (vtprotobuf).
type Message interface {
	SizeVT() int
	MarshalToSizedBufferVT([]byte) (int, error)
	UnmarshalVT([]byte) error
}

// Encode returns a row as the value of one cell.
func Encode(m Message) state.Value {
	b := make([]byte, m.SizeVT())
	n, err := m.MarshalToSizedBufferVT(b)
	if err != nil { // only for a buffer that is too small, which it is not
		return state.Value{}
	}
	return state.Bytes(b[len(b)-n:])
}

// Read reads and decodes one row. It returns false if there is none.
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

// Patterns is the key of a host's PatternsRow.
func Patterns(h schema.Host) state.Key { return state.Key{state.Str(string(h))} }

// Shard is the key of a shard's row in the table shard, and the partition of the table host with
// that shard's hosts.
func Shard(shard int) state.Key { return state.Key{state.Num(int64(shard))} }

// Counts is the key of a partition's CountsRow. These rows are stored after those of the shards.
func Counts(partition int32) state.Key { return Shard(schema.Shards + int(partition)) }

// Todo is the partition with one chunk of a host's queue of one class.
func Todo(h schema.Host, class int, chunk int64) state.Key {
	return state.Key{state.Str(string(h)), state.Num(int64(class)), state.Num(chunk)}
}

// Later is the partition with one day of a shard's time wheel.
func Later(shard int, day int64) state.Key {
	return state.Key{state.Num(int64(shard)), state.Num(day)}
}

// URLs is the partition with one bucket of a host's URLs.
func URLs(h schema.Host, at Place) state.Key {
	return state.Key{state.Str(string(h)), state.Num(int64(at.Tier)), state.Num(at.Bucket)}
}

// Normal fills the lists of a host's row up to the number of classes, statuses and budgets in use,
// and returns the row.
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
