// Package jsontopic turns docs.unique into a topic of JSON, docs.json, for readers that know no
// Protobuf: Flink SQL (upsert-kafka), Kafka Connect sinks, ksqlDB.
//
// # Goals
//
// The new topic is the same table: per key the last record, no value means deleted. Each record of
// docs.unique is in it once, in the same partition and order, after any kill or rebalance.
//
// # How it works
//
// It is a consumer group for which no other group waits. Partition p of docs.unique is copied into
// partition p of the new topic. Records and offsets are committed in one transaction, so readers
// with read_committed see each record once. The topic is made, compacted, if it is not there.
//
// The value is a JSON object with the fields of message Doc under their names in messages.proto.
// 64-bit numbers are numbers, bytes are base64, enums are names. Fields without a value are left
// out, but for true and false. The key is the row key, as text. Headers are copied.
//
// A log that was cut or made anew is noticed by marks (streams.Mark), which are kept as the
// metadata of commits of a group named like this one with "-marks" behind it.
//
// # Promises
//
//   - The fold of the new topic is the fold of docs.unique, as far as the commit says.
//   - Memory: the records of one round and their JSON.
//
// # On failure
//
// A record that does not decode, or whose JSON is larger than a record may be, becomes a dead
// letter. All else is tried again; the records wait in the log.
//
// # Limits
//
// A topic that somebody else made is refused: compacting it would delete their records. It needs a
// real Kafka: the built-in broker has neither transactions nor compaction. After a cut,
// records behind the cut come again. When docs.unique was made anew, keys that it never names again
// stay in the new topic: name another one. Kafka forgets the commits of a group without members
// after offsets.retention.minutes (a week): then all is copied again, which changes no fold.
package jsontopic
