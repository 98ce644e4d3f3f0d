// Package rank is the question one shard answers and the arithmetic of the answer: words with the
// terms they have in each analyser, what a page must hold, the statistics of the collection, and
// BM25F.
//
// It holds data and formulas only, so a Plan can travel to another process unchanged, and search
// and shard share words without search knowing how a shard stores anything.
//
// BM25F (Robertson, Zaragoza 2004): the frequencies of a word in title, text, headings, address and
// anchors are weighted and normalised by the length of their field before they are summed and
// saturated, so a page is not paid twice for one word. To the sum over the words come, for the best
// few hundred pages: nearness of words, a title that is the query, authority, freshness; each is a
// part of the query's weight. What is left of all that is less for pages that are mostly links, and
// for those in another language than the query. Part lists the addends.
//
// Caveats: mean lengths are those of the pages of one analyser, so that a page in Chinese is not
// long because its tokens are short; the frequencies of words are those of all pages.
package rank
