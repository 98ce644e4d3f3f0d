// Package shard keeps the documents of one partition of docs.unique in one bleve (scorch) index on
// disk, and answers the two rounds of a search over them.
//
// # Goals
//
// After any crash the shard has exactly the documents up to an offset of the log, and knows the
// offset. A search is fast, and its scores do not depend on how the files are merged.
//
// # How it works
//
// Writing: Apply takes upserts and deletions together with the offset up to which they reach.
// Documents, offset, digest, record time and the totals that BM25F needs are one scorch batch. The
// hash of a document is stored with it, so that its replacement or deletion can remove it from the
// digest (the XOR of all hashes).
//
// Reading: a Snapshot is one unchanging view. Stats (round one) counts pages per term; Top (round
// two) finds the best k under a rank.Plan; Pages reads what a result shows. Matching uses bitmaps.
// Scoring is BM25F over the postings: page by page if few pages match, else word by word with
// MaxScore, which skips pages that cannot reach the best k. Both give the same result.
//
// This package uses scorch directly, not the bleve package. scorch keeps the list of segments,
// makes batches durable and merges in the background; the files of the segments are our own
// (package segment). bleve's scoring, whose numbers change when segments merge, is not used.
//
// Fields: words (of title, text, headings, address and anchors, the texts of links that lead to the
// page, all in one list; with positions in title and text); author; form (the words of title, text
// and headings as they are written: the vocabulary); host (the host and all its parent domains),
// path (and the folders above it), site, lang, type, links (how much of the text is in links), near
// (fingerprint of the text), day (year, month and day, so that a range of days is a union of few
// terms). The key is the row key. Title, text and what else a result shows are stored.
//
// In memory: site, language, type, day, share of links and fingerprint of every page, 21 bytes for
// each page, read from a segment when it is first searched (columns.go).
//
// Authority: Options.Ranks is asked for the best few hundred pages of a search; it is not part of
// the shard.
//
// Checks: Open reads the last written state before anything can change it. It compares the checksum
// at the end of every segment file with the content, and the number of documents with the position,
// which has a checksum of its own.
//
// # Promises
//
// After Apply returned, the shard reopens at the offset of the batch. Scores of the same documents
// are the same in every snapshot.
//
// # On failure
//
// A failed check, and every panic of the libraries, is ErrDamaged. After a panic while a snapshot
// is read, the shard has failed (Err); when it is opened again, it is checked. Open of a shard that
// was built with other options, or by a version that kept other files, returns ErrOtherOptions: the
// caller fills a new one. With AnyShape it is opened to read its documents; it answers searches if
// its files are of this format (Searchable). Errors of
// scorch's background work (a full disk) go to Options.OnError and are kept in Err; a shard with
// Err set refuses batches. A document whose text makes the analysis panic is indexed without its
// text.
//
// # Limits
//
// One process per directory (a file lock; Open fails after a second). Batches below 100 documents
// multiply the bytes written. If more than k pages have equal scores, their place in the index,
// which merging changes, decides which of them are among the best k; the order of those does not
// depend on it.
package shard
