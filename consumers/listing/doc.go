// Package listing holds what the groups feeds and sitemaps share: it turns a Page that lists URLs
// into Add records.
//
//	Page -> Body (no gzip) -> Text (UTF-8 that XML allows) -> the group's parser -> List -> Records
//
// # Goals
//
// One page costs a bounded amount of memory and time, whatever it holds. News is not delayed by
// other records for longer than the edge to schedule allows.
//
// # How it works
//
// Reads feeds.fetched. Writes urls.discovered: one Add for each target host and hundred URLs, keyed
// by the target's host, and one Listed, keyed by the page's own: what schedule needs to know when
// to ask for the document again. It keeps no state. Every Add carries feed_row_key, the row key of
// the page that listed the URLs: schedule compares its site with the site of each URL. For a URL of
// another site the Add is a hint only: schedule treats it like a plain link.
//
// # Promises
//
// The same Page gives the same records, byte for byte, so a repeat changes nothing.
//
// # On failure
//
// A document that cannot be read is dropped and counted by its reason (Reasons), and so is a single
// URL. A record that is not a page goes to the dead letters.
//
// # Limits
//
// Sizes are limited before parsing: a document that is too long or too deep, or that breaks off, is
// read up to that point.
package listing
