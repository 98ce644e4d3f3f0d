// Package sitemaps is the consumer group that turns fetched sitemaps into Add records: pages to fetch, and the sitemaps that an index names.
//
// Reads: feeds.fetched (pages of kind sitemap). Writes: urls.discovered (Add). Keyed by: host of the target. State: none.
//
// What it reads (sitemaps.org): XML sitemaps and indexes, with the news extension's publication date and the hreflang alternates of
// xhtml:link; RSS and Atom offered as sitemaps; plain text, one URL a line; all of them in gzip.
//
// A sitemap may name URLs of its own site only: whoever could put one on his server could else spend the crawl of any other. An index names
// sitemaps, which schedule fetches like any URL; nothing is fetched from here.
//
// Repeats are safe: the same Page gives byte for byte the same records.
//
// On failure: what is no sitemap is dropped with the reason not_listing; a broken one is read as far as it goes.
//
// Caveats: changefreq and priority are not read: schedule measures changes itself, and nearly every site claims the same for all its pages. A
// sitemap that robots.txt of another site names is held to its own site too: the Page does not say who named it.
package sitemaps
