// Package warc writes fetched pages as WARC 1.1 files (ISO 28500:2017), for web archives and their
// tools.
//
// # Goals
//
// Tools of web archives (pywb, warcio, those of Heritrix and Common Crawl) can replay and study
// what was fetched.
//
// # How it works
//
// A file begins with a warcinfo record; each record is a gzip member of its own. A page becomes a
// response record, with the body as the server sent it, and a request record. A page whose body (of
// at least 128 bytes) an earlier page of this file had becomes a revisit record instead: the
// headers, and a reference to the record with the body (profile identical-payload-digest).
//
// # Promises
//
// The same pages give the same bytes. Record ids follow from URL and attempt, so a page that two
// taps write has the same id in both. Digests are SHA-1 in base 32, as the tools of archives
// expect.
//
// # On failure
//
// Header lines that HTTP does not allow (line breaks, colons in names) are left out.
//
// # Limits
//
// The topic has only some of the headers, and of the request only its URL and time: the request
// record has the request line and Host, as warcinfo explains. The status line has the usual text
// for the status, because the server's own is not kept. Answers without a body and 304 answers are
// not on pages.fetched, so they are not in the files. Answers over HTTP/2 are written as HTTP/1.1.
package warc
