// Package embedded turns a directory into a state.Store for one process, on
// Pebble.
//
// A row is one Pebble key: the table's name, then the order-preserving form of
// its key values, so a partition is one range in clustering order. Its value is
// a record of timestamps and cells, and every write is a merge operand: Pebble's
// merger keeps the newest of everything cell by cell, whatever the order of
// arrival. So a write reads nothing.
//
// Promises: those of package state, and more: all groups of one Write become
// durable as one, with one fsync.
//
// On failure: a damaged file, a full disk or a directory in use by another
// process is an error of Open. When Pebble cannot write its log it logs the
// error and ends the process, since nothing it would say afterwards is true; a
// restart continues at the last durable write.
//
// Caveats: tombstones of deleted rows and dropped partitions stay for ever, as
// small records, since an older write could arrive at any time. A column is
// known by its position in its table: new ones may only be added at the end.
package embedded
