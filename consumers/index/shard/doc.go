// Package shard keeps the documents of one partition of docs.unique in one bleve (scorch) index on
// disk, and answers the two rounds of a search over them.
//
// Write side: Apply takes upserts and deletions together with the offset up to which they reach.
// Documents, offset, fold digest, record time and the totals that BM25F needs go into one scorch
// batch, so after any crash the shard is at an offset and holds exactly the fold of the records
// before it. The digest of a document is stored with it, so replacing or deleting it takes its part
// out of the fold digest again.
//
// Read side: a Snapshot is one unchanging view. Stats (round one) counts pages per term; Top (round
// two) finds the best k under a rank.Plan; Pages reads what a result shows. Matching is done in
// bitmaps, scoring by BM25F over the postings, either page by page over the bitmap (few matches) or
// word by word with MaxScore, which leaves out pages that cannot reach the best k (many matches).
// Both give the same result.
//
// This package sits on scorch itself, not on the bleve package: no mapping guesses how a field is
// indexed, every field's options stand in fields.go, and bleve's own scoring, whose numbers change
// when segments merge, is not involved.
//
// Fields: title and body (terms with positions, stored); headings, address, anchors (the texts of
// links that lead to the page) and author (terms without positions); form (the words of title, text
// and headings as they are written: the vocabulary); host (the host and all its parent domains),
// path (and the folders above it), site, lang, type, links (how much of the text stands in links),
// near (fingerprint of the text), day (year, month and day, so that a range of days is a union of
// few terms). The key is the row key.
//
// In memory: site, language, type, day, share of links and fingerprint of every page, 21 bytes a
// page, read from a segment when it is first searched (columns.go).
//
// Authority: Options.Ranks is asked for the best few hundred pages of a search; it is no part of
// the shard.
//
// Checks: Open reads the last state that was written before anything may change it, and compares
// the checksum at the end of every segment file with its content, and the number of documents with
// the position, which has a checksum of its own. What does not fit, and every panic of the
// libraries, is ErrDamaged. A panic while a snapshot is read makes the shard fail (Err): opened
// again, it is checked.
//
// Failure: Open of a shard whose index-shaping options differ returns ErrOtherOptions: the caller
// fills another one. Errors of scorch's background work (a full disk) go to Options.OnError and are
// kept in Err; a shard with Err set must not be written to any more. A document whose text makes
// the analysis panic is indexed without its text.
//
// Caveats: one process per directory (a file lock; Open fails after a second). Batches below 100
// documents multiply the bytes written. Which of more than k pages with equal scores get into the
// best k is decided by place in the index, which merging changes; their order is not.
package shard
