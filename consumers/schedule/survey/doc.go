// Package survey estimates how current the documents of a crawl are, from rows that the group
// schedule has written.
//
// # Goals
//
// Operators see freshness: what share of the documents still matches the pages, how long ago
// the pages were fetched, which sites are behind, and what another budget of re-crawls would bring.
// The survey costs the crawl next to nothing, however large the crawl is.
//
// # How it works
//
// To know which documents are current one would have to fetch all pages. But schedule stores how
// often each page changes (package freshness), and so the probability that it has not changed since
// the last fetch. Of reads a sample: shards of hosts in an order that spreads them (bit reversal
// from a random start), and of each host some buckets of URLs, with every row weighted by the
// number of pages that it stands for.
//
// A crawl of up to Effort.Rows rows, in which no host has more than 8,192 URLs, is read wholly if
// Effort.Time is long enough.
//
// # Promises
//
// It writes nothing. It ends soon after Effort.Time, with what was read until then.
//
// # On failure
//
// An error of the store is returned.
//
// # Limits
//
// It is an estimate: pages are taken to change independently of each other. Of a large host some
// buckets stand for all. A site of which only few hosts were read is shown by these.
package survey
