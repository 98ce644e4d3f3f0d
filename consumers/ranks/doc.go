// Package ranks is the consumer group that keeps PageRank of pages and hosts up to date.
//
//	Reads    graph (OutLinks), one partition: one process computes; and at the start table link_page
//	Writes   ranks (Rank), partition by site
//	State    none of its own: the graph is in link_page, the published values are on the topic ranks
//
// # Goals
//
// Every page and host has its rank while the crawl goes on, without a computation over the whole
// graph, and search uses it without indexing anything again.
//
// # How it works
//
// The graph is in memory (package push, which names the method and its sources). At the start it is
// read from link_page; then each record of the topic graph changes it, and in each round a bounded
// number of links is walked. While records come, only large residuals are pushed; after half a
// second without a record, and every half minute, the values are made exact. Ranks have the form PR
// = (1-d) + d sum(PR/C) with d = .85: a page without in-links has .15, however large the graph is.
// Host A links to host B if at least one page of A links to a page of B; their number does not
// matter.
//
// A value is published on the topic ranks when it differs by a tenth from the one published before;
// for what was never published, from .15. When values are exact, those of the 10,000 highest pages
// and of the 10,000 highest hosts are published if they differ at all: at once after Finish,
// otherwise at most five a second on average. Pages that were never fetched are not published.
//
// # Promises
//
// The last record of a page decides, so a repeated or late record has no lasting effect. The work
// and the number of records sent in a round are bounded, so no round lasts long.
//
// # On failure
//
// A record without row key becomes a dead letter. A new owner reads the graph again and computes
// from zero; the values published before stay on the topic meanwhile. If the topic ranks was made
// anew, all values are published again; it is checked every Options.Every.
//
// # Limits
//
// One process holds the graph in memory: bench/ranks has the figures. Between two exact
// computations the error of the values is bounded by the residuals that are left. Pages whose ids
// (XXH64) are equal share a rank.
package ranks
