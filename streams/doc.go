// Package streams runs consumer groups on Kafka: it turns a group's Task into a
// member of that group. It is the only package that uses the Kafka client.
//
// # Goals
//
// All groups share one loop. A Task says what to do with a record. The loop polls,
// appends, commits, retries and rebalances.
//
// # How it works
//
// A member (Run) is assigned partitions, and makes a Task for each. A partition has
// three states:
//
//	recovering → ready → leaving
//
// A partition recovers in a goroutine beside the loop (recovery.go): the member finds out
// which log the partition holds (identify.go), then calls Recover. Up to 16 partitions
// recover at the same time. Each takes part in rounds as soon as it is ready. A round
// (round.go) does these steps for all partitions that are ready:
//
//	Handle each record, Tick → append what they sent → await the acknowledgements →
//	Settle (write state) → commit (with transactions: outputs and offsets together)
//
// The client's rebalance callbacks (assign.go) run between rounds only.
//
// The parts of a member: runner runs the rounds; tasks starts and ends the Tasks of the
// partitions that are assigned; marker finds out which log a partition holds; committer
// commits offsets; transactions commits outputs and offsets together; guard ends a round
// that lasts too long; backlog holds a partition back while the readers of its output are
// behind.
//
// # Promises
//
//   - Delivery is at least once. Outputs are acknowledged before state is written, and
//     state is written before the offset is committed. A crash at any point repeats work
//     and loses none.
//   - One goroutine at a time calls a Task, and none calls it after Revoke returned.
//     Every Task that was made is revoked exactly once, also when the client library
//     reports no revocation: each round compares the Tasks with the client's partitions.
//   - A rebalance disturbs only the partitions that move. A recovery of another partition
//     goes on.
//   - Nothing is committed for a partition that was lost. A commit counts as saved
//     only when the brokers have acknowledged it; one that is refused is repeated.
//   - A record ends in one of four ways: done; dropped with a counted reason; a dead
//     letter with its bytes and the reason; or retried, with a pause of 250 ms to 2 s,
//     until one of the others. A dead letter always fits into its topic: what is too
//     much is cut off, and headers name the topic, partition and offset of the whole
//     record.
//   - A record in the wrong partition is appended to the right one and counted.
//   - A partition that waits for a reader of what it writes takes no new records; the
//     other partitions go on (wait.go).
//   - A group that looks ahead handles urgent records first, of the 4,096 that it keeps at
//     most: before the others of their partition, whose order is any, or, where the order
//     counts, their partition before other partitions (topics.Ahead). What is not urgent has
//     half of each round (ahead.go).
//   - Partition.Fresh is true only while the group's coordinator is known to count
//     this process as a member. It is false while a rebalance waits for this process,
//     and when two thirds of the session have passed without an answered heartbeat;
//     after such a silence it is true again with the second answer.
//
// # On failure
//
//   - A Handle that fails is repeated in a later round, with all records after it in
//     its partition. A Settle that fails is repeated before anything else is handled
//     there. Other partitions go on. Only with transactions does a Settle that fails end
//     the client, because outputs and state of a round belong together.
//   - A panic in Handle makes the record a dead letter. A panic in Tick is counted
//     (failed_ticks) and logged, and what the Tick staged is taken back. Tick is called
//     again after 250 ms; if it panics each time, the pause grows to at most 30 s.
//     Records of the partition are handled meanwhile; what the Tick would have done is
//     late until its cause is gone. A panic in Recover or Settle is an error, and the
//     call is repeated.
//   - Every wait has a bound. A round ends when no heartbeat was answered for a
//     session, or when it takes longer than the group waits for a member in a rebalance
//     (four sessions). The end of a transaction takes at most 10 s, a commit a session, a
//     Revoke 10 s, the last commit 2 s. Then the member drops its Tasks as lost, leaves,
//     and joins anew with a fresh client; the log says why, the counter is "rejoined".
//     The fresh client has the same transactional id, so that the brokers abort at once
//     the transaction that the old one left open. Brokers that are away are such a failure.
//   - A transaction that the brokers leave open for ever, as Kafka can when one of them is
//     killed, is found and ended by the members of its group, within a minute (hanging.go).
//     It is logged; the counter is "hanging". Where they may not, the log says what to do.
//   - Run returns an error when a fresh client would fail in the same way: no right to
//     read, append or commit; a static member's name that is taken; a topic with
//     another number of partitions; a log that is not the one that was read. Package
//     cmd/wire then starts the group again after two seconds, unless a right was denied.
//   - A batch that decompresses to more than 34 MiB (no writer of this program makes
//     one) is skipped; a dead letter names its topic, partition and offset. All batches
//     that are fetched and not handled come to about 192 MiB at most; the rest is fetched
//     later.
//
// # Limits
//
// Recover, Handle, Settle and Revoke must end soon after their context ends: a Task
// that does not stops its member. A member handles its partitions in common rounds: one
// slow Handle delays the others, at most until the round is ended. A topic that gets more
// partitions while members run is noticed within 10 s, or by the first record for it. HTTP
// requests cannot be exactly once.
package streams
