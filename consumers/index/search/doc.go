// Package search turns a query into a page of results over many shards.
//
// # Goals
//
// A page scores the same whichever shard it is in. A search ends in time, and says what is missing
// from its result.
//
// # How it works
//
// A query is parsed (package query), and its words become terms by the rules of every analyser in
// use (package text). The shards are asked twice: first how many pages each term has, then, with
// weights that hold for all shards alike, for their best pages. The best are merged, and only those
// that are shown are read.
//
// All words of a query must be on a page; function words outside of quotes are left out. If that
// finds fewer than Options.RelaxBelow pages, a second attempt lets pages lack words (but not
// phrases, exclusions, title words or filters), and the result says so.
//
// Other spellings of a word stand for it, and count for no more than it (others.go); neighbours may
// be one word on a page (asone.go). Spellings that no page has are left out before the second
// question (prune.go). If fewer than Options.CompoundsBelow pages are found, words of languages
// with compounds stand for the compounds that have them as a part, and for the parts of which they
// are made: what is beside the word must be words of the index too (compounds.go). If nothing has
// the words of a query, the one that was probably meant is looked for in the vocabulary of the
// index, and answered if the request allows it.
//
// Hits whose texts are nearly the same are one hit, with its copies beside it: on different sites
// by the similarity of the topic near (package sketch), on one site only if they are nearly equal.
//
// # Promises
//
// A snippet is a list of pieces of text, each marked if it matched, never HTML: the page that shows
// it escapes it.
//
// # On failure
//
// A shard that is missing, late or broken is left out and reported in Result.Warnings; if no shard
// answers, that is an error. A query that cannot be answered gives a *query.Error with a text for
// the person.
//
// # Limits
//
// Compounds are not looked for in a walk with cursors, nor in a query with quotes, for quoted
// words. Of one word at most 24 stand for it, those on the most pages.
//
// A page of results is of the index as it is when it is asked for. While the index changes, a hit
// may be on two pages or on none, if pages are asked for by number alone; with Request.Seen it is
// on one (seen.go). A walk with cursors meets every page that does not change once (cursor.go).
//
// Results beyond Options.MaxDepth are refused, because each shard would have to deliver that many;
// a cursor reads further. A snippet is looked for in the first Options.ScanBytes of a text, and at
// most 4 KiB behind the first place that has all words near each other; for words that are not
// there, in 32 times as much.
package search
