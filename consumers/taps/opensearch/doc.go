// Package opensearch keeps an index of OpenSearch equal to the fold of docs.unique, for those who
// want its queries, its dashboards or its size.
//
// # Goals
//
// The index holds each published document once, and no other, whatever is killed, repeated or late.
//
// # How it works
//
// A consumer group that nobody waits for. The records of a round become one or more bulk requests:
// a document is an index operation, a deletion a delete. Both carry an external version: era and
// offset of the record (state.Stamp's layout). OpenSearch ignores what is older than what it has,
// so repeats and replaced writers change nothing. The attempt (rev) would not do: a page that gave
// its place away and took it back stands on the topic several times with one rev.
//
// How far a partition is, and of which log, stands in a document of a second index, NAME-progress.
// A topic that was made anew begins a new era there, so that its small offsets count as newer.
//
// The document's id is the row key, or a hash of one above 512 bytes, which OpenSearch does not
// take. An index that is not there is made with our mapping; one that is there is used as it is.
//
// # Promises
//
//   - Progress is noted after the documents it covers were acknowledged.
//   - A document that OpenSearch refuses for itself (400) becomes a dead letter with the reason;
//     the others of its request are not held up.
//   - Memory: the records of a round, and one request of 5 MiB or one document.
//
// # On failure
//
// 429, 503 and a server that is away are waited for, from 250 ms to 30 s; the records wait in the
// log. A request that is too large (413) is cut in two. A missing right (401, 403) is an error that
// is repeated, in words.
//
// # Limits
//
// OpenSearch forgets the version of a deleted document after index.gc_deletes, which our mapping
// sets to an hour: a writer that was stopped for longer in the middle of a request could bring a
// deleted document back until the next record of its key. The standard tokenizer takes Chinese
// apart into characters; make the index yourself, with analysers of your plugins, if that is not
// enough. A topic that was made anew leaves documents of the old one that the new one never names:
// begin with another index.
package opensearch
