// Package segment is the file format of the index: a set of documents with everything that a query
// or a merge reads of them. scorch (bleve's index) keeps the list of segments, writes and merges
// them in the background, and asks this package through Plugin.
//
// # Goals
//
// A document takes less than 1.7 bytes on disk for each byte of its text, its text included.
// Building, merging and reading a segment cost little CPU time.
//
// # How it works
//
// A file is written once, from front to back, and mapped into memory to be read. It has these
// parts:
//
//   - the stored text, title and page of the documents, compressed with zstd in blocks of about
//     6 KiB; a document is never divided;
//   - their marks (see shard) and the lengths of the five scored fields;
//   - a dictionary for each Field, with a posting list for each term;
//   - a table of the parts, and a checksum (CRC-32) of all before it.
//
// One dictionary, Words, has the words of all scored fields: a posting says how often the word is
// in each field of the document. So a word is looked up once, and the list of documents that have
// it anywhere is the list itself. The other fields have lists of documents only.
//
// A dictionary has its terms in order, in blocks of 16; within a block a term is stored as the
// number of bytes it shares with the one before and the rest (front coding: Witten, Moffat, Bell,
// Managing Gigabytes, chapter 4). The blocks are found by binary search.
//
// A posting list is divided into blocks of 128 documents. A block has the differences between the
// document numbers, all with the same number of bits (frame of reference: Goldstein et al. 1998),
// then two bits a posting: the word is once, twice or three times in the text and nowhere else, or
// its frequencies are spelled out behind. Positions follow, as differences. A table before the
// blocks has the last document and the length of each, so that blocks can be skipped. A term of one
// document has no blocks.
//
// Documents of one batch are numbered in the order of their keys: pages of a site are neighbours,
// which makes their lists and texts smaller.
//
// # Promises
//
// Reading a file gives what was written. A merge gives the same documents, terms and lists as
// building one segment of the documents that are left, apart from the order of documents.
//
// # On failure
//
// Open checks the table, not the checksum; shard checks that when it opens an index. Reading a
// damaged file returns an error or panics; shard turns both into ErrDamaged, and Plugin makes
// errors of the panics of merges and updates, which run in goroutines of scorch. It does not read
// outside the file.
//
// # Limits
//
// A segment has at most 2^31 documents, and 4 GiB of terms in each dictionary. A merge keeps the
// dictionary of one field in memory, about ten bytes a term. A frequency is at most 2^32-1.
package segment
