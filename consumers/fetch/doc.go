// Package fetch is the consumer group that asks web servers for the URLs whose time has come,
// politely. It is the only code that speaks HTTP to the web.
//
//	Reads     urls.scheduled (Scheduled)
//	Writes    pages.fetched, feeds.fetched, files.fetched (Page, by what was served); urls.discovered (Outcome of
//	          every record; Links with the target of a redirect)
//	Keyed by  politeness key: host, site or IP; all URLs of a key are in one partition
//	State     polite: back-off and robots.txt of a key, written on change only
//
// # Goals
//
// No server is asked more often than it and the operator allow, whatever happens to this process.
// No server, however slow or hostile, slows the others. Trouble of a host is never counted against
// a URL, and trouble of our own network against nobody.
//
// # How it works
//
// A record goes on a workbench (package workbench) until its key may be asked. The host's name is
// resolved first: hosts of one site at one address share a delay, and sites at one address a rate.
// Then robots.txt of its authority (package robots) is asked, as a request of the same key; then
// the page (package web). A robots.txt that redirects to another politeness key is asked for in
// that key's turn (elsewhere.go). The record is done when what came of it is acknowledged, so
// records end in any order.
//
// # Promises
//
//   - I4: requests of one key start at least its delay apart, one at a time, as the server sees it
//     (0.5 % more, and up to 2 % for the time a request takes to arrive). This holds through
//     restarts and rebalances: a new owner waits one whole delay from its assignment, unless the
//     host was never asked for anything and its record came after the assignment. Nothing is
//     written by a process that may have lost its partition: the last good heartbeat must be young,
//     and a process that was stopped for a second cancels what it has not written. Waiting is
//     measured by the monotonic clock.
//   - I5: no page is asked for that robots.txt forbids, and none before robots.txt was read.
//   - I13: a request that takes over a second moves to a lane of its own, and a site or an address
//     has a share of all slots. Feeds, sitemaps and class 0 go on while extract is behind. While
//     the readers of PDF and Office files are behind, only these wait: they are given back (Outcome
//     deferred), the body unread.
//   - A record that cannot start within the hold bound goes back as Outcome deferred. That counts
//     as no failure and releases its offset.
//   - Memory is bounded: by the number of leases, by 256 KiB of body for each, and by
//     Options.Web.LargeBodies times MaxBodyBytes for longer ones, and by FileMemory for PDF and
//     Office files. A lease ends when its records are acknowledged.
//   - Outcome.served says what the answer is; its body goes where that kind is read.
//
// A repeat (row key, rev) in the hands of the same owner is dropped, and readers of Outcome and
// Page compare rev. After a crash what was in flight is asked again.
//
// # On failure
//
//   - Network trouble, 429 and 503 rest the key, longer each time; Retry-After is obeyed up to a
//     cap. Other server errors rest it from the second URL in a row on. Rests survive restarts.
//   - If five known hosts in a row cannot be reached and none answers, the process is offline: it
//     says so in log and status, gives back what it holds with error kind offline, and lets a few
//     requests probe.
//   - A panic ends its own URL: it is counted, logged, and an Outcome with error kind internal is
//     appended.
//   - If the store or the broker does not answer, records wait. Records that are not a URL are
//     parked.
//
// # Limits
//
// Two exceptions to I4 are counted (Fetcher.Requests, and the status): a request may come early if
// the process was stopped between the last check and the write to the socket (Early); and a
// robots.txt of another politeness key is asked for in that key's turn within this process only,
// since its owner may be another one (Elsewhere): once a day at most for each place it leads to.
//
// Addresses are shared within a process: N processes may make N times as many starts at an address.
// Hosts that the operator mapped (Options.Web.Resolve) share no address.
package fetch
