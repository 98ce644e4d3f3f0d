// Package extract is the consumer group that turns a fetched Page into a document, links and a
// digest.
//
// Reads: pages.fetched. Writes: docs.extracted (exactly one Doc or Gone for every Page, so that an
// old document never outlives its page), urls.discovered (the page's links, one message per target
// host, and one Digest) and links.found (all links of the page in one record, for the group links).
// Keyed by: documents by row key, the rest by host. State: none.
//
// Repeats are safe because Work is a pure function of the Page: the same page gives byte for byte
// the same records.
//
// On failure: there is no page that fails. What cannot be read ends as Gone with its reason; a
// record that is no page at all (no row key, an unknown kind) is parked.
//
// Reading order: work.go, links.go, then package page, which reads the page itself, and package
// documents, which reads PDF, Office, OpenDocument, EPUB and RTF.
//
// Caveats: what is none of these, and neither HTML, plain text nor XML, ends as Gone{NOT_HTML}; a
// scan without text as Gone{EMPTY} with the reason no_text. A file that takes too long is read as
// far as the time goes: only there can a repeat differ. A truncated page is read as far as it goes.
package extract
