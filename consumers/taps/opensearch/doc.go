// Package opensearch keeps an index of OpenSearch equal to docs.unique: for each key its newest
// record.
//
// # Goals
//
// The index has each published document once, and no other, after any kill, repetition or delay.
//
// # How it works
//
// It is a consumer group for which no other group waits. The records of a round become one or more
// bulk requests: a document is an index operation, a deletion a delete. Both have an external
// version: era and offset of the record (in the layout of state.Stamp). OpenSearch ignores an
// operation that is older than what it has, so repeated records and replaced writers change
// nothing. The attempt (rev) could not be the version: a page that was replaced and then published
// again is on the topic several times with one rev.
//
// How far a partition was read, and of which log, is in a document of a second index,
// NAME-progress. If the topic was created anew, or ends before that offset, a new era begins, so
// that its small offsets count as newer.
//
// The document's id is the row key, or a hash of one above 512 bytes, which OpenSearch does not
// accept. An index that does not exist is created with our mapping; an existing one is used as it
// is, if it takes a sample document that has every field: that is tried at the start, and when all
// documents of a request are refused.
//
// # Promises
//
//   - Progress is saved after the documents that it covers were acknowledged.
//   - A document that OpenSearch refuses (400, 413), or at which it fails ten times (500), becomes
//     a dead letter with the reason, if the index takes another operation at that moment; the
//     others of its request are not held up. An index that takes nothing (closed, full, a proxy
//     that refuses everything) is waited for.
//   - An index with a mapping that does not take our documents ends the tap with an error that says
//     why and what to do. No document becomes a dead letter for it.
//   - An index that was deleted or made anew while the tap runs, or did not, is noticed by its uuid
//     before the next request, within 30 s without one. It gets all documents again.
//   - Memory: the records of a round, and one request of 5 MiB or one document.
//
// # On failure
//
// After 429, 503 or no answer within 40 s, requests are tried again after 250 ms up to 30 s; the
// records wait in the log. A request that is too large (413) is cut in two. A missing right (401,
// 403) is an error that is repeated and says what is missing.
//
// # Limits
//
// OpenSearch forgets the version of a deleted document after index.gc_deletes, which our mapping
// sets to an hour: a writer that was paused for longer in the middle of a request could bring a
// deleted document back until the next record of its key. The standard tokenizer splits Chinese
// into characters; if that is not enough, create the index yourself with analysers of your plugins.
// When a topic was created anew, documents of the old topic that the new one never names stay:
// begin with another index. If only the progress index is deleted, the log is read again, which
// changes nothing; after a new era delete both. An alias of several indices is not looked at. A
// topic that was cut, and has grown beyond the saved offset before the tap starts again, is not
// noticed.
package opensearch
