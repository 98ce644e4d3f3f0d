// Package streams runs consumer groups on Kafka: it turns a group's Task into a
// member of that group. It is the only package that uses the Kafka client.
//
// # Goals
//
// One loop serves all groups. A Task says what to do with a record; the loop does
// the polling, appending, committing, retrying and rebalancing, once and for all.
//
// # How it works
//
// A member (Run) is assigned partitions, and makes a Task for each:
//
//	recovering → ready → leaving
//
// A partition recovers beside the loop (recovery.go): its log is identified
// (identify.go), then Recover is called. Partitions recover side by side. Each takes
// part in rounds as soon as it is ready. A round (round.go) is, over all partitions
// that are ready:
//
//	Handle each record, Tick → append what they sent → await the acknowledgements →
//	Settle (write state) → commit (with transactions: outputs and offsets together)
//
// The client's rebalance callbacks (assign.go) run between rounds only.
//
// The parts of a member: runner runs the rounds; tasks starts and ends the Tasks of the
// partitions that are assigned; marker finds out which log a partition holds; committer
// commits offsets, transactions commits outputs and offsets together; guard ends a round
// that lasts too long; backlog holds a partition back while its readers are behind.
//
// # Promises
//
//   - At least once. Outputs are acknowledged before state is written, state before
//     the offset is committed. A crash at any point repeats work and loses none.
//   - A Task is called by one goroutine at a time, and never after Revoke returned.
//     Every Task that was made is revoked exactly once, also when the client library
//     tells nobody: each round compares the Tasks with the client's partitions.
//   - A rebalance disturbs only the partitions that move. A recovery that is under
//     way goes on.
//   - Nothing is committed for a partition that was lost. A commit counts as saved
//     only when the brokers said so; one that is refused is repeated.
//   - A record ends in one of four ways: done; dropped with a counted reason; a dead
//     letter with its bytes and the reason; or retried, with a pause of 250 ms to 2 s,
//     until one of the others. A dead letter always fits: what is more than the topic
//     takes is cut off, and its headers say where the whole record stands.
//   - A record in the wrong partition is appended to the right one and counted.
//   - A partition that waits for a reader of what it writes takes no new records; the
//     other partitions go on (wait.go).
//   - Partition.Fresh is true only while the group's coordinator is known to count
//     this process as a member: not while a rebalance waits for it, not after a
//     silence of two thirds of the session, and after one only with the second answer.
//
// # On failure
//
//   - A Handle that fails is repeated in a later round, with all records after it in
//     its partition. A Settle that fails is repeated before anything else is handled
//     there. Other partitions go on. Only with transactions a Settle that fails ends
//     the client, because outputs and state of a round belong together.
//   - A panic in Handle makes the record a dead letter. A panic in Tick is counted
//     (failed_ticks), logged, and undone; the Tick is called again after 250 ms, and
//     if it panics each time, after at most 30 s. Records of the partition are handled
//     meanwhile; what the Tick would have done is late until its cause is gone. A panic
//     in Recover or Settle is an error that is repeated.
//   - Nobody waits without a bound. A round ends when no heartbeat was answered for a
//     session, or when it takes longer than the group waits for a member in a rebalance
//     (four sessions). The end of a transaction takes at most 10 s, a commit a session, a
//     Revoke 10 s, the last commit 2 s. Then the member drops its Tasks as lost, leaves,
//     and joins anew with a fresh client; the log says why, the counter is "rejoined".
//     The fresh client has the same transactional id, so that the brokers abort at once
//     what the old one left open.
//   - Run returns an error where a fresh client would meet the same again: no right to
//     read, append or commit; a name of a static member that is taken; a topic with
//     another number of partitions; a log that is not the one that was read. Whoever
//     started Run starts it again.
//   - A batch that decompresses to more than 34 MiB (no writer of this program makes
//     one) is skipped, with a dead letter that says where it stands. All batches that are
//     fetched and not handled come to about 192 MiB at most; the rest is fetched later.
//
// # Limits
//
// Recover, Handle, Settle and Revoke must end soon after their context ends: a Task
// that does not stops its member. A member handles its partitions in common rounds: one
// slow Handle delays the others, at most until the round is ended. A topic that grows
// while members run is noticed within 10 s, or by the first record for it. HTTP requests
// cannot be exactly once.
package streams
