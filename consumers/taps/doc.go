// Package taps writes the records of a topic into files for analysis while the crawl runs:
// documents as Parquet, pages as WARC, links, or any topic as lines of JSON.
//
// # Goals
//
// Analysts read the crawl with their own tools. Each record is in their files exactly once, also
// after kills, rebalances and pauses. The crawl never waits for a tap.
//
// # How it works
//
// A Tap is a consumer group of its own. It appends nothing to the log but dead letters, and no
// other group waits for it. Each partition has a Task. Records wait in an unlinked local file
// (spool.go) until a bound of size, number or age is reached. Then another goroutine writes them
// (roll.go):
//
//	write files under staging names ─► create note n+1, if there is none ─► give the files their names
//
// The note says which offsets the files contain. So a writer continues where the newest note ends,
// not at Kafka's committed offset; the commits follow the notes, so that lag is right. A writer
// that takes over a partition first gives the files of the newest note their names, then creates a
// note of its own. This takes the number that the previous writer would use next, so files that the
// previous writer still stages are never given names (notes.go). Old notes are deleted, so a writer
// that was paused for very long may find its number free again; it then sees a newer note, and
// stops before it names a file.
//
// The files are in a directory or in a bucket of an object store (package place):
//
//	day=2026-11-22/…/docs.unique-p00003-e01-000000001000-000000001999.parquet
//	_millrace/tap.json          which tap the files belong to
//	_millrace/notes/…           which offsets the files contain
//	_millrace/staging/…         files that are being written
//
// A name has topic, partition, era, and the first and last offset of the range.
//
// # Promises
//
//   - Each record of the log is in one file, once, after any kill, rebalance or late writer. In a
//     directory no record is in two visible files at any moment; in a bucket a file has its staging
//     name too for a moment. After a kill between a note and its files' names, the files appear
//     when the next writer of that partition begins.
//   - The next writer of a partition deletes what a killed one left: staged and temporary files. Of
//     notes no more than Options.Keep are kept.
//   - A file is visible only when it is whole, and does not change.
//   - A log that was cut or created anew is noticed by its id, its end, and the newest record that
//     was written. A new era begins in names and rows. After a cut, records behind the newest note
//     that the log still agrees with may come again, in the new era; none is skipped.
//   - Memory is bounded: about 24 bytes for each record that waits, at most RollRecords of them in
//     a partition, and one file being written for each of AtOnce.
//
// # On failure
//
// Files that cannot be written are tried again, after 250 ms up to 15 s. Meanwhile records wait in
// the spool; when it has more than twice RollBytes, the partition stops and they wait in the log.
// Two taps that share a directory by mistake stop each other with an error that names the other.
// Records that the log deleted before they were written are counted (lost) and logged. A file that
// somebody removed after it was written is not written again.
//
// # Limits
//
// The built-in broker keeps records only for the groups in package topics, not for taps: a tap that
// does not run while more than a topic's bytes (topics.Spec.Embedded) are written loses the oldest
// records. To write a dead letter, for a record that does not decode, a tap needs the right to
// append to dead.letters.
package taps
