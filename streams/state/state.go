// Package state is the contract for the state that millrace keeps outside the log: the rows of the
// CQL tables in schema.Tables. Consumer groups write them (one table, one writing group), and they
// are read by primary key only.
//
// # Goals
//
// A group's state can be written again from the log, in any store that keeps rows, and a write that
// comes late never wins.
//
// # How it works
//
// There are two implementations, state/embedded (Pebble, for one process) and state/scylla (CQL for
// ScyllaDB and Apache Cassandra); statetest holds the one conformance suite that both pass. Over
// either of them, Retrying repeats calls that fail with a transient error, and Batch lets one round
// of records read what it writes.
//
// # Promises
//
//   - A Write is a list of groups. Group i+1 begins when group i is durable (survives kill -9).
//     Inside a group there is no order.
//   - Every write carries a timestamp, (era << 44 | offset of the record being handled), so it is
//     deterministic, and the write of an owner that was replaced loses: of two writes of one row
//     the higher timestamp wins, in whatever order they arrive. At equal timestamps a delete beats
//     a set, and of two sets the one with the bytewise larger value wins, cell by cell.
//   - Drop deletes a whole partition: rows with a timestamp at or below the drop's stay deleted,
//     also those that arrive later.
//
// # On failure
//
// Every call returns an error of a kind in errors.go. After a failed Write any prefix of its
// groups, and any part of the group under way, may be durable. Repeating it is safe.
//
// # Limits
//
// There are no transactions, no conditional writes, no counters and no TTL: a row has one writer,
// and the log orders its writes.
package state

import (
	"context"

	"millrace/schema"
)

// Store keeps rows. It is safe for concurrent use.
type Store interface {
	// Get returns the cells of one row, or ErrNotFound.
	Get(ctx context.Context, t *schema.Table, key Key) (Cells, error)

	// GetMany returns the rows of one partition whose last clustering column is
	// in last; key holds the other columns. Missing rows are missing in the
	// answer, which is in clustering order. At most MaxKeys keys.
	GetMany(ctx context.Context, t *schema.Table, key Key, last []Value) ([]Row, error)

	// Slice returns up to limit rows of one partition in clustering order, from
	// the clustering values in from (inclusive; a prefix of them, or none for
	// the beginning).
	Slice(ctx context.Context, t *schema.Table, partition Key, from []Value, limit int) ([]Row, error)

	// Write applies the groups in order.
	Write(ctx context.Context, groups ...[]Mutation) error

	// Drop deletes a whole partition as of timestamp ts.
	Drop(ctx context.Context, t *schema.Table, partition Key, ts int64) error

	// Close closes the store. Calls after it return ErrClosed.
	Close() error
}

// Dropping is a partition to drop, as of timestamp TS.
type Dropping struct {
	Table     *schema.Table
	Partition Key
	TS        int64
}

// DropAll drops partitions: in one call if the store has a method DropAll, else one after the
// other. After an error any of them may be dropped; repeating it is safe.
func DropAll(ctx context.Context, s Store, list []Dropping) error {
	if all, ok := s.(interface {
		DropAll(context.Context, []Dropping) error
	}); ok && len(list) > 0 {
		return all.DropAll(ctx, list)
	}
	for _, d := range list {
		if err := s.Drop(ctx, d.Table, d.Partition, d.TS); err != nil {
			return err
		}
	}
	return nil
}

// MaxKeys is the largest number of keys of one GetMany: ScyllaDB's default
// limit for IN lists.
const MaxKeys = 100

// Key holds the values of the partition columns and then of the clustering
// columns, in the table's order. Where a method takes a partition, only the
// former. A partition key of one text or blob is never empty.
type Key []Value

// Cells holds the values of the columns outside the key, in the table's order.
// An unset cell is the zero Value.
type Cells []Value

// Row is a row as read.
type Row struct {
	Key   Key
	Cells Cells
	TS    int64 // timestamp of the newest of its cells; 0 if none is set
}

// Mutation sets the cells of one row, or deletes the row. A set creates the row even if it sets no
// cell.
type Mutation struct {
	Table  *schema.Table
	Key    Key
	Cells  Cells // one for each column; unset ones keep their value. A delete has none
	TS     int64 // 1 or more
	Delete bool
}
