// Package ranks is the consumer group that keeps PageRank of pages and hosts up to date.
//
//	Reads    graph (OutLinks), one partition: one process computes; and at the start table link_page
//	Writes   ranks (Rank), partition by site
//	State    none of its own: the graph is in link_page, what was told is on the topic ranks
//
// # Goals
//
// Every page and host has its rank while the crawl goes on, without a run over the whole graph, and
// search uses it without indexing anything again.
//
// # How it works
//
// The graph is in memory (package push, which has the method and its sources). At the start it is
// read from link_page; then each record of the topic graph changes it, and in each round a bounded
// number of links is walked. While records come, only large residuals are worked off; after half a
// second without one, and every half minute, the values are made exact. Ranks are in the form PR =
// (1-d) + d sum(PR/C) with d = .85: a page that nobody links to has .15, however large the graph
// is. Host A links to host B if a page of A links to a page of B; how many do does not matter.
//
// A value is told (topic ranks) when it differs by a tenth from the one told last. When values are
// exact, those of the 10,000 first pages and hosts are told if they differ at all: as soon as the
// crawl rests (Finish), else no more than five a second on average. What was never told has .15.
// Pages that were never fetched are not told.
//
// # Promises
//
// A record that comes again, or late, changes nothing for long: the last record of a page decides.
// Work, and what is told, in a round are bounded, so no round lasts long.
//
// # On failure
//
// A record without row key becomes a dead letter. A new owner reads the graph anew and computes
// from zero; the values told before stand on the topic meanwhile. If the topic was made anew, all
// values are told again within Options.Every.
//
// # Limits
//
// Memory of one process: bench/ranks has the figures. Between two looks values are as exact as the
// residuals that are left. Pages whose ids (XXH64) are equal share a rank.
package ranks
