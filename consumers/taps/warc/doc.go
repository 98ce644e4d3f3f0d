// Package warc writes fetched pages as WARC 1.1 files (ISO 28500:2017), for web archives and their
// tools.
//
// # Goals
//
// What was fetched can be replayed and studied with the tools that archives have: pywb, warcio,
// Heritrix' and Common Crawl's.
//
// # How it works
//
// A file begins with a warcinfo record; each record is a gzip member of its own. A page makes a
// response record, with the body as the server sent it, and a request record beside it. A page
// whose body (of at least 128 bytes) an earlier page of this file had makes a revisit record
// instead: headers, and where the body stands (profile identical-payload-digest).
//
// # Promises
//
// The same pages give the same bytes. Record ids follow from URL and attempt, so a page that is
// written by two taps has one id. Digests are SHA-1 in base 32, as archives' tools expect.
//
// # On failure
//
// Header lines that cannot stand in HTTP (line breaks, colons in names) are left out.
//
// # Limits
//
// The topic keeps a list of headers, not all, and of the request nothing but its URL and time: the
// request record has the request line and Host, and warcinfo says so. The status line has the usual
// words for the status, because those of the server are not kept. Answers without a body and 304
// answers are not in pages.fetched, so they are not in the files. Only answers over 1.x are told
// apart by their transfer: HTTP/2 answers are written as HTTP/1.1.
package warc
