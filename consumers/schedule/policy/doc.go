// Package policy says what an outcome, a digest or a mention means for a URL: its new row, when it
// is fetched again, and in which class. It is pure: no store, no log, no clock of its own.
//
// # Goals
//
// One place for every rule about a single URL, so that a table test can show each rule.
//
// # How it works
//
// Options.Outcome applies the result of a fetch to a URL's row, Options.Digest what extract learnt
// of its page, Options.Listed what a feed or sitemap held, and Options.Mention what a seed, feed or
// sitemap says of a known URL. Each changes the row and returns Effects: when the URL is due, in
// which class, and whether its document ended. FirstPlace gives a new URL its class and score.
//
// Package freshness decides when a page is fetched again, from what the host's row keeps of all its
// pages; package polling does so for feeds and sitemaps. Outcome, Digest and Mention also write to
// the freshness part of the host's row.
//
// # Promises
//
//   - The same rows, record and time give the same result.
//   - Trouble of a host (no connection, DNS, TLS, 5xx, 429, robots.txt that cannot be read) never
//     counts against a URL and never ends it.
//   - No status is final but FORGOTTEN. An ended URL is fetched again, more and more rarely, and at
//     once on fresh evidence (Mention).
//   - The kind of a URL is the kind of document that it serves (Outcome.served).
//
// # On failure
//
// Nothing here can fail. An outcome or digest of an older attempt is Stale, one that was applied
// before is Repeated. Two different answers to one attempt are Disputed, and the URL is fetched
// again to decide.
//
// # Limits
//
// The interval of a page does not depend on the time of day.
package policy
