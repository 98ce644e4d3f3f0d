// Package fetch is the consumer group that turns URLs whose time has come into answers of web servers, politely. It is the only code that speaks HTTP to the web.
//
//	Reads     urls.scheduled (Scheduled)
//	Writes    pages.fetched, feeds.fetched (Page); urls.discovered (Outcome of every record; Links with the target of a redirect)
//	Keyed by  politeness key: host, site or IP; all URLs of a key are in one partition
//	State     polite: back-off and robots.txt of a key, written on change only
//
// A record goes on a workbench (package workbench) until its key may be asked; robots.txt of its authority (package robots) is asked first, as a request
// of the same key; then the page (package web). What was appended is acknowledged before the record is done, so records end in any order.
//
// # Promises
//
//   - I4: requests of one key start at least its delay apart, one at a time, as the server sees it (0.5 % more, and up to 2 % for
//     the time a request takes to arrive): through restarts and rebalances too, because a new owner
//     waits one whole delay from its assignment (unless the host was never asked for anything, which holds only for records
//     that came after it: what it found there an owner before may have begun), and nothing is written by a process that may have lost
//     its partition: the last good heartbeat must be young, and a process that was stopped for a second cancels what it has not written.
//   - I5: no page is asked for that robots.txt forbids, and none before robots.txt was read.
//   - A record that cannot start within the hold bound goes back as Outcome deferred; it counts as no failure and releases its offset.
//   - Requests are bounded by Options.Bench (leases), and bodies in memory by 1 MiB for each and Options.Web.LargeBodies times MaxBodyBytes; a lease
//     ends when its records are acknowledged.
//
// # Repeats safely because
//
// a repeat (row key, rev) in the hands of the same owner is dropped, and readers of Outcome and Page compare rev. After a crash what was in flight is asked again.
//
// # On failure
//
// network trouble and 429/503 block the key, not the URL, longer each time; Retry-After is obeyed up to a cap. If the store or the broker does not answer,
// records wait. Records that are not a URL are parked.
//
// # Caveats
//
// Two exceptions to I4: one request per key may come early after the process was paused between the last check and the write to the socket; and a robots.txt
// that redirects to another host is followed at once, at most five hops, once a day.
package fetch
