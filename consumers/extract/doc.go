// Package extract is the consumer group that turns a fetched Page into a document, links and a digest.
//
// Reads: pages.fetched. Writes: docs.extracted (exactly one Doc or Gone for every Page, so that an old document never
// outlives its page) and urls.discovered (the page's links, one message per target host, and one Digest).
// Keyed by: documents by row key, the rest by host. State: none.
//
// Repeats are safe because Work is a pure function of the Page: the same page gives byte for byte the same records.
//
// On failure: there is no page that fails. What cannot be read ends as Gone with its reason; a record that is no page at all
// (no row key, an unknown kind) is parked.
//
// Reading order: work.go, links.go, then package page, which reads the page itself.
//
// Caveats: only HTML, plain text and XML are read; PDF and Office documents end as Gone{NOT_HTML} until they get their turn.
// A truncated page is read as far as it goes.
package extract
