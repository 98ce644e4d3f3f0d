// Package sitemaps is the consumer group that turns fetched sitemaps into Add records: pages, and
// the sitemaps that an index names.
//
// # Goals
//
// A site's own list of its pages is known completely, up to the limits of sitemaps.org.
//
// # How it works
//
// Reads the pages of kind sitemap in feeds.fetched. Writes urls.discovered. It keeps no state. It
// understands XML sitemaps and indexes, the publication date of the news extension, hreflang
// alternates (xhtml:link), RSS and Atom offered as sitemaps, and plain text with one URL a line,
// all of them also in gzip.
//
// A sitemap may name URLs of its own site only: otherwise one site could spend the crawl of
// another. The sitemaps that an index names are scheduled like any URL; this package fetches
// nothing.
//
// # Promises
//
// The same Page gives the same records, byte for byte.
//
// # On failure
//
// A document that is not a sitemap is dropped with the reason not_listing. A broken one is read up
// to where it breaks.
//
// # Limits
//
// changefreq and priority are ignored: schedule measures changes, and nearly every site claims the
// same for all its pages. A sitemap that another site's robots.txt names is held to its own site
// too: the Page does not say who named it.
package sitemaps
