// Package scylla turns a keyspace of ScyllaDB or Apache Cassandra into a
// state.Store. It is the only package that speaks CQL, and it uses what both
// servers have and nothing else.
//
// Promises: those of package state. Every set and delete carries its timestamp.
// The groups of a Write go out one after the other; in a group, each partition's
// rows go as unlogged batches, several at once. All requests are idempotent, so
// the driver repeats them when a connection breaks.
//
// On failure: what the servers refuse for good is state.ErrInvalid, all else
// (time-outs, too few replicas, no connection) is transient: see state.Retrying.
//
// Caveats: durable means acknowledged by Options.Consistency. A server syncs its
// commit log every second or ten by default and, killed, forgets what came later
// (seen on Cassandra 5 with one replica): run three replicas, or set
// commitlog_sync to batch. Provision leaves a table or keyspace as it is that is
// there; a new replication factor or compaction is the operator's to ALTER.
// ScyllaDB refuses timestamps more than three days ahead of its clock, which an
// era up to 100 stays far below. Two data centres need Options.LocalDC.
package scylla
