// Package extract is the consumer group that turns a fetched Page into a document, links and a
// digest.
//
//	Reads    pages.fetched (group documents: files.fetched)
//	Writes   docs.extracted (exactly one Doc or Gone for each Page), urls.discovered (Links, one or
//	         more messages for each target host, and one Digest), links.found (all links of the page
//	         in one record, for the group links)
//	Keyed by documents by row key, the rest by host
//	State    none
//
// # Goals
//
// Each fetched page has a document, or a reason why it has none, so that an old document never
// outlives its page.
//
// # How it works
//
// Read work.go and links.go first, then package page, which reads HTML and text, and package
// documents, which reads PDF, Office, OpenDocument, EPUB and RTF.
//
// # Promises
//
// Work is a pure function of the Page: the same page gives byte for byte the same records, so
// repeats are safe.
//
// # On failure
//
// No page fails. A page that cannot be read ends as Gone with its reason, also one at which a
// parser panics. A record that is no page at all (no row key, an unknown kind) becomes a dead
// letter.
//
// # Limits
//
// A body of any other format ends as Gone{NOT_HTML}, a scan without text as Gone{EMPTY} with the
// reason no_text. A file that takes too long is read as far as the time allows: only there can a
// repeat differ. A truncated page is read as far as it goes.
package extract
