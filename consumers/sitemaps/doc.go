// Package sitemaps is the consumer group that turns fetched sitemaps into Add records: for pages,
// and for the sitemaps that an index names.
//
// # Goals
//
// All pages that a site lists itself become known, up to the limits of sitemaps.org.
//
// # How it works
//
// Reads the pages of kind sitemap in feeds.fetched. Writes urls.discovered. It keeps no state. It
// reads XML sitemaps and indexes, the publication date of the news extension, hreflang alternates
// (xhtml:link), RSS and Atom that are offered as sitemaps, and plain text with one URL a line; all
// of them also in gzip.
//
// A sitemap may name URLs of its own site only. Otherwise one site could fill the crawl of another.
// The sitemaps that an index names are scheduled like any URL; this package fetches nothing.
//
// # Promises
//
// The same Page gives the same records, byte for byte.
//
// # On failure
//
// A document that is not a sitemap is dropped with the reason not_listing. One that breaks off is
// read up to that point.
//
// # Limits
//
// changefreq and priority are ignored: schedule measures changes, and nearly every site has the
// same values for all its pages. A sitemap that another site's robots.txt names may still only name
// URLs of its own site, because the Page does not tell who named it.
package sitemaps
