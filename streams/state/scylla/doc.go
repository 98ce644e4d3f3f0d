// Package scylla is a state.Store in a keyspace of ScyllaDB or Apache Cassandra. It is the only
// package that speaks CQL, and it uses only what both servers have.
//
// # Goals
//
// Any number of processes share one state, on either of the two servers.
//
// # How it works
//
// Every set and delete carries its timestamp. The groups of a Write are sent one after the other;
// in a group, the rows of a table are sent as unlogged batches, several at once: many of one
// partition, or a few of several small ones. GetAll and Slices ask for several partitions at a
// time. What calls of many goroutines ask of one table at the same moment goes together, reads by
// key and small writes: while an answer is awaited the others wait, 10 ms at most (lane.go). All
// requests are idempotent, so the driver repeats them when a connection breaks.
//
// # Promises
//
// Those of package state.
//
// # On failure
//
// A request that the servers refuse for good is state.ErrInvalid, a missing right or a wrong login
// state.ErrDenied. All other errors (time-outs, too few replicas, no connection) are transient: see
// state.Retrying.
//
// # Limits
//
// Durable means acknowledged with Options.Consistency. By default a server syncs its commit log
// only every one to ten seconds, and loses later writes when it is killed (seen on Cassandra 5 with
// one replica): run three replicas, or set commitlog_sync to batch. Provision does not change a
// table or keyspace that exists; the operator must ALTER a replication factor or compaction.
// ScyllaDB refuses timestamps more than three days ahead of its clock, so eras are at most 100. Two
// data centres need Options.LocalDC.
package scylla
