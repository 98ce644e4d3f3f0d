// Package judge turns the requests an origin saw into a verdict: politeness,
// robots, repeats, completeness, staleness.
//
// Every request is recorded in 48 bytes (see Event). Nothing is computed until a
// Report is asked for; then requests are grouped by host, site and address and
// sorted by their start.
//
// A gap runs from the start of a request to the start of the next one of the
// same key, as the origin saw them; the request for robots.txt counts. It is
// early if it is below the delay (or a longer Crawl-delay of the host) less
// Tolerance, which allows for jitter on the way.
//
// Caveats: a request is recorded when its answer is about to be complete, so one
// that hangs is not there yet. With the origin's option Arrivals starts are the times
// at which the kernel received the requests. Without it they are taken when the server
// has read the request's head: on a machine with more work than cores, that is late by
// its scheduling delays, and gaps seem shorter or longer by as much; choose Tolerance
// for it. URLs that cannot be rebuilt from a page's number (traps, unknown
// paths) are kept as strings, at most MaxOddURLs of them; Report.OddURLsLost
// counts the others.
package judge
