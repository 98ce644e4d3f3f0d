// Package index keeps a full-text index of the documents on docs.unique, and lets search read it.
//
// # Goals
//
// The index has exactly the documents that the log has (I3): for each key its newest record. A
// search result is never shown as complete when it is not. Damage to one shard does not affect
// other shards. No document is lost from the index because options changed or the log was trimmed.
//
// # How it works
//
// The group reads docs.unique: a Unique for each row key; a record without a value is a deletion.
// Partition p of the topic is shard p, in directory <dir>/<generation>/<p>. <dir>/CURRENT names the
// generation that answers searches; until a rebuild has ended there is no such file, and it is the
// first. The offset is written in the same batch as the documents, so a repeated record changes
// nothing. Reading continues at the shard's offset, whatever the group
// committed.
//
// Complete: the owner of a partition looks at the end of the log every second. A shard that has not
// passed an end seen at least 5 seconds ago has a gap, whose size is the share of the log that is
// missing. View, Status and Ready report it, and so does every search.
//
// Begun anew: sometimes the log cannot continue a shard: it is another log, it ends before the
// shard's offset or begins after it, or so much time passed that deletions may have been compacted
// away. Then the shard is filled again from the start of the log, in directory <p>.1, <p>.2 and so
// on; also if the options that shape the index changed. The old shard answers until the new one has
// reached its offset (or, if they are of different logs, the end of the log), and is removed then.
// If both are of one log, the documents whose records the log no longer has are copied from the old
// one.
//
// Rebuild fills a new generation beside the live one, for the partitions that this process writes,
// and takes its place in one step, if each has the same digest as before or dedupe's proof says
// that the new one is right (X1).
//
// Proof: dedupe notes the digest of all documents of a partition at an offset. The index keeps its
// own digest after each record, compares the two, and reports a difference (I3, X6). A proof of
// another era of the log is ignored. The digest is about bookkeeping: which documents, in which
// versions, the shard should have. Whether its files have them is checked by checksums when a shard
// is opened.
//
// Links: the texts of links to a page are a field of the page. They are read from the rows of the
// group links when the page is indexed, and again when the topic links has a record of the page
// (anchors.go). The digest does not cover them, because they are not on docs.unique.
//
// Packages: shard stores documents, search answers searches, query parses them, text turns text
// into terms, rank has the formulas, remote joins the shards of several processes. This package
// connects the shards to the log.
//
// # Promises
//
// When a batch returned, no crash loses it. A search sees each shard as it was at one moment. A
// process that does not run the group does not write documents; when it opens the shards, it may
// set damaged ones aside and begin new ones.
//
// # On failure
//
// A batch that fails is retried; a shard whose background work failed (a full disk) is opened again
// before. A shard with damaged files is renamed to <dir>.damaged and filled again from the log; the
// process log and Status report it. A shard that cannot be opened for another reason (no right to
// read) is left out; the others answer. A record without a document becomes a dead letter. A
// document whose text makes the analysis panic is indexed without its text.
//
// # Limits
//
// Opening a shard reads its files once: about a second per gigabyte. Damage that happens later is
// noticed when reading fails, or at the next start. A damaged shard gets back only what the log
// still has. <dir>.damaged is never read and never removed, only replaced. A revoked shard is
// searched as it was, until Drop; its files stay. Proofs can only be compared at offsets of the
// last 16,384 records of a partition since its shard was opened.
package index
