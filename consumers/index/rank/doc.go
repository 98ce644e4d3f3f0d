// Package rank has the data and the formulas that search and the shards share: the words of a
// query, what a page must have, the statistics of the collection, and the score (BM25F).
//
// # Goals
//
// A shard in another process gets the same question and computes the same score. Package search
// need not know how a shard stores anything.
//
// # How it works
//
// A Plan says which pages match and how they are scored. It is plain data, so it can be sent to
// another process.
//
// BM25F (Robertson, Zaragoza, Taylor 2004): the frequencies of a word in title, text, headings,
// address and anchors are weighted, normalised by the length of their field, summed, and then
// saturated, so that a page gains little from repeating one word. The best few hundred pages also
// get additions: nearness of words, a title that is the query, authority, freshness; each is
// limited to a share of the query's weight. At last the score is reduced for pages that are mostly
// links, and for pages in another language than the query. Part lists the addends.
//
// # Promises
//
// No I/O and no state: the same input gives the same score.
//
// # On failure
//
// Validate refuses a Plan or Lookup that no search makes, because it may come from another process.
//
// # Limits
//
// Mean lengths are computed for each analyser, so that a page in Chinese does not count as long
// because its tokens are short. The frequencies of words are those of all pages together.
package rank
