// Package survey estimates how current the documents of a crawl are, from rows that the group
// schedule has written.
//
// # Goals
//
// Operators see freshness as a product: what share of the documents is what their pages say now,
// how long ago the pages were looked at, which sites are behind, and what another budget of
// re-crawls would buy. It costs the crawl next to nothing, however large it is.
//
// # How it works
//
// Nobody knows which documents are current without asking all pages. But schedule keeps of every
// page how often it changes (package freshness), and so the probability that it has not changed
// since the last look. Of reads a sample: shards of hosts in an order that spreads them, of each
// host some of its rows, each counted for as many pages as it stands for. A crawl of up to
// Effort.Rows rows is read wholly.
//
// # Promises
//
// It writes nothing. It ends after Effort.Time, with what was read until then.
//
// # On failure
//
// What the store does not answer is returned as its error.
//
// # Limits
//
// It is an estimate: pages are taken to change independently of each other. Of a large host
// the rows of one or two buckets stand for all. A site of which only few hosts were read is shown
// by these.
package survey
