// Package search turns a query into a page of results over many shards.
//
// A query is parsed (package query), its words become terms by the rules of every analyser in use
// (package text), and the shards are asked twice: first how many pages each term has, then, with
// weights that hold for all shards alike, for their best pages. So a page scores the same wherever
// it lies. The best are merged, and only those that are shown are read.
//
// All words of a query must be on a page; function words outside of quotes are left out. If that
// finds fewer pages than Options.RelaxBelow, a second attempt lets pages lack words (never phrases,
// exclusions, title words or filters), and the result says so.
//
// Failure: a shard that is missing, late or broken is left out and named in Result.Warnings; only
// if none answers is that an error. A query that cannot be answered gives a *query.Error with a
// text for the person.
//
// Snippets are pieces of text with a mark on what matched, never HTML: the page that shows them
// escapes them.
//
// Caveats: results beyond Options.MaxDepth are refused, because each shard would have to deliver
// that many.
package search
