// Package policy says what an answer, a digest or a mention means for a URL: what
// becomes of its row, when it is fetched again and in which class. It is pure: no
// store, no log, no clock of its own.
//
// Goals: one place for every rule about a single URL, each of which a table test
// can show.
//
// How it works: Options.Outcome applies the result of a fetch to a URL's row,
// Options.Digest what extract learnt of its page, Options.Mention what a seed, a
// feed or a sitemap says of a URL that is known. Each changes the row and returns
// Effects: when the URL is due, in which class, and whether its document ended.
//
// Promises:
//   - The same row, record and time give the same result.
//   - Trouble of a host (no connection, DNS, TLS, 5xx, 429, robots.txt out of
//     reach) never counts against a URL and never ends it.
//   - No status is final but FORGOTTEN. An ended URL is asked again, ever more
//     rarely, and at once on fresh evidence.
//   - The kind of a URL is what it serves (Outcome.served).
//
// On failure: nothing here can fail. An answer of an older attempt is Stale, one
// that was applied before is Repeated, two answers to one attempt are Disputed and
// the URL is fetched again to decide.
//
// When a page is looked at again is decided by package freshness, with what its
// host's row keeps of all its pages: Outcome, Digest and Mention write to that too.
//
// Limits: a page's interval knows no time of day.
package policy
