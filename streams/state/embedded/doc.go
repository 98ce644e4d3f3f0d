// Package embedded is a state.Store for one process: a directory, on Pebble.
//
// # Goals
//
// `millrace run` needs no database beside it, and keeps the promises of one.
//
// # How it works
//
// A row is one Pebble key: the table's name, then the order-preserving encoding of its key values,
// so a partition is one range in clustering order. Its value is a record of timestamps and cells,
// and every write is a merge operand: Pebble's merger keeps the newest value of each cell, in
// whatever order the writes arrive. So a write reads nothing.
//
// # Promises
//
// Those of package state, and more: all groups of one Write become durable together, with one
// fsync.
//
// # On failure
//
// A damaged file, a full disk, a directory that may not be read or written, or that another process
// uses, is an error of Open. Later a write to a full disk, or to a directory that may not be
// written any more, waits until it can, if WaitForRoom was called, and reads go on. When Pebble
// cannot write its log for another reason, or nobody waits, the process logs the error and exits
// with status 1, because the state in memory may differ from the disk; a restart continues at the
// last durable write.
//
// # Limits
//
// Tombstones of deleted rows and dropped partitions stay for ever, as small records, because an
// older write could arrive at any time. A column is stored by its position in its table: new ones
// may only be added at the end.
package embedded
