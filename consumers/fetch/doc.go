// Package fetch is the consumer group that fetches URLs from web servers. It is the only group that
// sends HTTP requests to the web, and it enforces politeness: the delay between requests to a host,
// and robots.txt.
//
//	Reads     urls.scheduled (Scheduled)
//	Writes    pages.fetched, feeds.fetched, files.fetched (Page, by the kind of document);
//	          urls.discovered (Outcome of every record; Links with the target of a redirect)
//	Keyed by  politeness key: host, site or IP address; all URLs of a key are in one partition
//	State     table polite: back-off and robots.txt of a key, written on change only
//
// # Goals
//
// No server gets more requests than it and the operator allow, even if this process is stopped or
// replaced. No slow or hostile server slows down the others. Trouble of a host never counts against
// a URL, and trouble of our own network counts against nobody.
//
// # How it works
//
// A record waits on a workbench (package workbench) until its politeness key may start a request.
// The item that it becomes is then served by a lease; each lease makes at most one request:
//
//  1. The host name is resolved (locate.go). Hosts of one site at one address share a delay;
//     different sites at one address share a rate.
//  2. If robots.txt of the URL's authority is not known, it is requested (askrobots.go, package
//     robots), and the item goes back to the workbench. A robots.txt that redirects to another
//     politeness key is requested in that key's turn (elsewhere.go).
//  3. The page is requested (askpage.go, package web). The Page and the Outcome are appended, and
//     the record is done when they are acknowledged. So records end in any order.
//
// # Promises
//
//   - I4: requests of one key start at least its delay apart, one at a time, as the server sees it.
//     The bench adds 0.5 %; the start counts from up to 2 % of the delay after the request was
//     written, for the time it takes to arrive. This holds through restarts and rebalances: a new
//     owner of a partition waits one whole delay after its assignment, unless the host was never
//     contacted and its record came after the assignment. A process that may have lost its
//     partition writes no request: the last successful heartbeat must be young, and a process that
//     was stopped for more than a second cancels what it has not written. Waiting is measured by
//     the monotonic clock.
//   - I5: no page is requested that robots.txt forbids, and none before robots.txt was read.
//   - Cookies are kept within one chain of redirects of one fetch, and sent to the host that set
//     them only (door.go): at most six requests, each in a turn of its own.
//   - What operators decided (Options.Judge) holds for URLs that wait here: it is asked before a
//     URL is worked on, and again before its request is written. An excluded or removed URL gets
//     Outcome REFUSED, one of a paused host DEFERRED.
//   - I13: a request that takes longer than a second moves to slots of its own, and a site or an
//     address has a share of all slots. While extract is behind, feeds, sitemaps and class 0 go on.
//     While the readers of PDF and Office files are behind, only these files are deferred, with the
//     body unread.
//   - A record that cannot start within Bench.Hold goes back as Outcome DEFERRED. That counts as no
//     failure and releases its offset.
//   - Memory is bounded: by the number of leases, by 256 KiB of body for each, by Web.LargeBodies
//     times MaxBodyBytes for longer bodies, and by FileMemory for PDF and Office files. A lease
//     ends when its records are acknowledged.
//   - Outcome.served says what kind of document the answer is, and its body goes to the topic of
//     that kind.
//
// A repeated record (same row key and rev) at the same owner is dropped, and readers of Outcome and
// Page compare rev. After a crash, URLs in flight are fetched again.
//
// # On failure
//
//   - Network trouble, 429 and 503 block the key for a time that doubles with each failure in a
//     row; Retry-After is obeyed up to MaxRetryAfter. Other server errors block it from the second
//     URL in a row on. Blocks survive restarts.
//   - If five known hosts in a row cannot be reached and none answers, the process is offline
//     (outage.go): it logs that and shows it in its status, defers its records with error kind
//     offline, and probes with a few requests.
//   - A panic ends only its own URL: it is counted, logged, and an Outcome with error kind internal
//     is appended.
//   - If the store or the broker does not answer, records wait. A record without a valid URL is
//     made a dead letter.
//
// # Limits
//
// Two exceptions to I4 are counted (Fetcher.Requests, and the status). Early: a request may come
// early if the process was stopped between the last check and the write to the socket. Elsewhere: a
// robots.txt of another politeness key is requested in that key's turn within this process only,
// because its owner may be another process; at most once a day for each URL of another site.
//
// A page behind a door for cookies costs its two or three requests at each fetch, since no cookie
// is kept for the next one. A door that leads back without a parameter that says where to is not
// seen.
//
// Addresses are shared within a process: N processes may start N times as many requests at an
// address. Hosts that the operator mapped (Options.Web.Resolve) share no address.
package fetch
