// Package index keeps a full-text index equal to the fold of docs.unique, and lets search read it.
//
// # Goals
//
// The index is exactly what the log says (I3). A search never looks complete when it is not. Damage
// to one shard stays with that shard. Nothing that was found once is lost because the options
// changed or the log was trimmed.
//
// # How it works
//
// Reads docs.unique: a Unique for each row key, a record without a value is a deletion. Partition p
// of the topic is shard p, in directory <dir>/<generation>/<p>. <dir>/CURRENT names the generation
// that answers. The offset lies in the same batch as the documents, so a repeat changes nothing,
// and it wins over the group's commits.
//
// Complete: the owner of a partition looks at the end of the log every few seconds. A shard that
// has not passed an end seen at least 5 seconds ago has a gap, with its share of the log. View,
// Status and Ready say so, and so does every search.
//
// Begun anew: a shard that the log cannot continue (another log, the log ends before it or begins
// after it, it is so old that deletions may have been compacted away), or that was built with other
// shaping options, is filled again from the start of the log, in directory <p>.1, <p>.2 and so on.
// The shard before it answers until the new one has what it had, and is removed then. If both are
// of one log, the documents whose records the log has lost are taken over from the old one.
//
// Rebuild fills a new generation beside the live one, and swaps all partitions in one step, if both
// have the same digest or dedupe's proof says that the new one is right (X1).
//
// Proof: dedupe notes the digest of the fold at an offset. The index knows its own digest after
// each record, compares, and reports a difference (I3, X6). A proof of another era of the log is
// ignored. The digest proves bookkeeping: which documents, in which versions, the shard believes to
// hold. That the files hold them is checked by checksums, when a shard is opened.
//
// Links: the texts of links to a page are a field of it, taken from the rows of the group links
// when the page is indexed, and again when the topic links has a record of it (anchors.go). They
// are not in the digest: they are no part of docs.unique.
//
// Packages: shard stores, search answers, query parses, text makes terms, rank has the formulas,
// remote joins the shards of several processes. This package joins shard to the log.
//
// # Promises
//
// After a batch returned, a crash does not lose it. Searches see one moment of each shard. A
// process that does not run the group does not touch the files.
//
// # On failure
//
// A batch that fails is retried, and a shard whose background work failed (a full disk) is opened
// again with the next try. A shard with damaged files is set aside as <dir>.damaged and filled
// again from the log; log and Status say so. A shard that cannot be opened for another reason (no
// right to read) is left out; the others answer. A record that is no document goes to the dead
// letters. A document whose text stops the analysis is indexed without its text.
//
// # Limits
//
// Opening a shard reads its files once: about a second a gigabyte. Damage that happens while it is
// open is noticed when reading it fails, or at the next start. A damaged shard gets back what the
// log still has. <dir>.damaged is never read and never removed, only replaced. A revoked shard is
// searched as it was until Drop; its files stay. Proofs can only be compared at offsets of the last
// 16,384 records of a partition since it was opened.
package index
