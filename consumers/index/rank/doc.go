// Package rank is the question one shard answers and the arithmetic of the answer: words with the terms they
// have in each analyser, what a page must hold, the statistics of the collection, and BM25F.
//
// It holds data and formulas only, so a Plan can travel to another process unchanged, and search and shard
// share words without search knowing how a shard stores anything.
//
// BM25F (Robertson, Zaragoza 2004): the frequencies of a word in title and body are weighted and normalised by
// the length of their field before they are summed and saturated, so a page is not paid twice for one word.
//
// Caveats: mean lengths are those of the pages of one analyser, so that a page in Chinese is not long because
// its tokens are short; the frequencies of words are those of all pages.
package rank
