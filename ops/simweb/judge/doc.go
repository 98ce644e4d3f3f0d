// Package judge turns the requests that an origin saw into a verdict: politeness, robots.txt,
// repeats, completeness, staleness.
//
// # Goals
//
// What a crawler did is measured where it arrives, by code that knows nothing of the crawler.
//
// # How it works
//
// Every request is recorded in 48 bytes (see Event). Nothing is computed until a Report is asked
// for; then requests are grouped by host, site and address and sorted by their start.
//
// A gap runs from the start of a request to the start of the next one of the same key, as the
// origin saw them; the request for robots.txt counts. It is early if it is below the delay (or a
// longer Crawl-delay of the host) less Tolerance, which allows for jitter on the way.
//
// # Promises
//
// Judging changes nothing: a Report can be asked for at any time. URLs that cannot be rebuilt from
// a page's number (traps, unknown paths) are kept as strings, at most MaxOddURLs of them;
// Report.OddURLsLost counts the others.
//
// # On failure
//
// Options that are wrong are an error. A request for a host that the web does not have is counted,
// and judged no further.
//
// # Limits
//
// A request is recorded when its answer is about to be complete, so one that hangs is not there
// yet. With the origin's option Arrivals starts are the times at which the kernel received the
// requests. Without it they are taken when the server has read the request's head: on a machine
// with more work than cores, that is late by its scheduling delays, and gaps seem shorter or longer
// by as much; choose Tolerance for it.
package judge
