// Package streams is the current that carries every record of millrace: it turns
// a consumer group's Task into a running group, and is the only package that
// knows the Kafka client.
//
// One loop (group.go) serves all groups:
//
//	assign → Recover → { poll → Handle … → append outputs → await acks → Settle (write state) → mark → commit } → Revoke
//
// Promises:
//   - At least once. Outputs are acknowledged before state is written, state
//     before the offset is committed, so a crash at any point repeats work and
//     loses none.
//   - A partition's Task is called by one goroutine at a time, and never after
//     Revoke returned. Nothing is committed for a partition that was lost.
//   - A record ends in one of four ways: done; dropped with a counted reason;
//     parked on dead.letters with its bytes and the reason; or retried, with a
//     back-off of 250 ms to 2 s, until one of the others.
//   - A record in the wrong partition is appended to the right one and counted.
//   - A group that must wait (topics.Group.WaitsFor) takes no new records while
//     its reader is behind the bound of the edge.
//
// On failure: errors of a Task that are not Poison are retried; a broker that
// does not answer makes the loop wait; errors that end a client (fenced,
// unauthorised) end Run, and whoever started it starts it again.
//
// Caveats: a Handle that works longer than the rebalance timeout (60 s) loses
// its partition. HTTP requests cannot be exactly once; nothing here says so.
package streams
