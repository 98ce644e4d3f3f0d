// Package taps writes topics into files for analysis, and keeps them going while the crawl runs:
// documents as Parquet, pages as WARC, links, or any topic as lines of JSON.
//
// # Goals
//
// Analysts read the crawl with their own tools, and each record stands in their files exactly once,
// whatever is killed, moved or slow. The crawl never waits for a tap.
//
// # How it works
//
// A Tap is a consumer group of its own that appends nothing and that nobody waits for. Each
// partition has a Task. Records wait in a local file without a name (spool.go) until a bound of
// size, number or age is reached. Then, beside the loop (roll.go):
//
//	files under passing names ─► note n+1, made only if it is not there ─► files under their names
//
// The note says which offsets the files hold. So the notes, not Kafka's commits, say where a writer
// goes on; the commits follow them, for lag. A writer that takes a partition over first finishes
// the newest note, then writes a note of its own: from then on the number that its predecessor
// would use is taken, and what that one still writes is never named (notes.go). Whoever has
// slept while its number became free again finds a newer note, and gives up before a file is seen.
//
// The place of the files (package place) is a directory. In it:
//
//	day=2026-11-22/…/docs.unique-p00003-e01-000000001000-000000001999.parquet
//	_millrace/tap.json          whose files these are
//	_millrace/notes/…           what is in them
//	_millrace/staging/…         what is being written
//
// A name has topic, partition, era, and the first and last offset of the range.
//
// # Promises
//
//   - Each record of the log is in one file, once, after any kill, rebalance or late writer; at no
//     instant is one seen twice. Between a note and its files' names a file may be unseen for a
//     moment: after a kill until the next writer of that partition begins.
//   - A file is seen whole, and does not change.
//   - A log that was cut or made anew is noticed: by its id, its end, and the newest record that
//     was written. A new era begins in names and rows. After a cut, records behind the newest note
//     that the log still agrees with may come again, with the new era; none is passed over.
//   - Memory is bounded: about 24 bytes for each record that waits, at most RollRecords of them in
//     a partition, and one file at work for each of AtOnce.
//
// # On failure
//
// A place that cannot be written is tried again, at most every 15 s; the records wait in the log,
// and its partition stops when two files' worth wait here. Two taps that share a place by mistake
// stop each other with an error that names both. Records that the log deleted before they were
// written are counted (lost) and logged. A file that somebody took away after it was written is not
// written again.
//
// # Limits
//
// With the built-in broker only groups of the map keep records from being deleted: a tap that
// stands still while more than a topic's bytes (topics.Spec.Embedded) are written loses the oldest.
// A tap that needs to write a dead letter, because a record does not decode, needs the right to
// append to
// dead.letters.
package taps
