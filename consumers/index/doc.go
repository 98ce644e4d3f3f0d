// Package index keeps a full-text index equal to the fold of docs.unique, and lets search read it.
//
//	Reads     docs.unique: Unique, a null value is a deletion
//	Writes    nothing
//	Keyed by  row key; partition p of the topic is shard p
//	State     its own directory: <dir>/<generation>/<partition>; <dir>/CURRENT names the generation that answers
//
// Repeats safely because the offset lies in the same batch as the documents: a record below it is skipped, and
// a document that comes twice replaces itself. The offset in the shard wins over the group's.
//
// On failure: a batch that fails is retried; a shard whose background work failed (a full disk) is opened anew
// with the next try. A shard of other shaping options, below the start of the log, above its end, or so old that
// deletions may have been compacted away, is never mended: its partition is read again from the beginning.
//
// Proof: dedupe writes down from time to time what digest the fold has at an offset. The index knows its own
// digest after every record, compares, and reports a difference (invariants I3, X6).
//
// Rebuild: a new generation is filled from the log beside the live one and takes its place in one step, if both
// have the same digest, or if dedupe's proof says that the new one is right (X1).
//
// Packages: shard stores, search answers, query parses, text makes terms, rank holds the formulas. This package
// joins shard to the log.
//
// Caveats: a revoked partition goes on being searched as it was until Shards.Drop. Proofs can only be compared
// at offsets of the last 16,384 records of a partition since it was opened.
package index
