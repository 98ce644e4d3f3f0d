// Package robots parses a robots.txt into the rules for one crawler and tells whether a path may be
// fetched.
//
// # Goals
//
// A site owner's robots.txt is understood as it is meant, in any form in which real files come.
//
// # How it works
//
// It follows RFC 9309: the longest matching rule wins, and allow wins a tie; * and $ are the only
// special characters; groups that name the same product token are merged; tokens are compared
// without regard to case; lines that are not known never end a group. Paths and patterns are
// compared in one normal form, so that /%7ejoe, /%7Ejoe and /~joe are the same and /a%2Fb is not
// /a/b.
//
// Where the RFC says nothing it does what Google's parser does, against which most site owners
// test: misspelt keys (disalow) and a missing colon are understood. It also reads Crawl-delay and
// Sitemap, which the RFC leaves to "other records".
//
// # Promises
//
// Rules are immutable and safe for concurrent use. Rules that were encoded and decoded answer every
// path in the same way.
//
// # On failure
//
// Parse never fails and never panics, whatever the bytes. It reads at most MaxBytes and drops a
// last line that this limit cut, because half of "Disallow: /private" is "Disallow: /".
//
// The meaning of a missing or unreachable robots.txt (404, 503, time-out) is not decided here, but
// in package fetch.
//
// # Limits
//
// A file of 40,000 patterns that begin with * costs milliseconds for each path; the cost is linear
// in rules and path, never exponential. A special rule of Google's matcher (/index.html also stands
// for its folder) is not implemented, since the RFC has no such rule.
package robots
