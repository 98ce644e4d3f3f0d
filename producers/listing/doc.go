// Package listing is what the producers feeds and sitemaps have in common: it turns a Page that lists URLs into Add records.
//
//	Page ─► Body (no gzip) ─► Text (UTF-8 that XML allows) ─► the producer's parser ─► List ─► Records
//
// Reads: feeds.fetched. Writes: urls.discovered (Add, one record per target host and thousand URLs). Keyed by: host of the
// target. State: none.
//
// Repeats are safe: the same Page gives byte for byte the same records, and schedule knows the URLs that it has.
//
// On failure: a document that cannot be read ends here, dropped with a reason (Reasons); so does a single URL. A record that is no
// page at all is parked.
//
// Caveats: what is bounded is bounded before it is parsed, so a document that is too long or too deep, or breaks off, is read as
// far as it goes.
package listing
