// Package schedule is the crawl frontier. It reads everything that is learnt about URLs (links,
// added URLs, fetch outcomes, digests of pages, rechecks) and writes the URLs that are to be
// fetched now, each host at its own rate.
//
//	Discovered ─► row of the URL ─► queue of its host ─► turn of its politeness key ─► Scheduled
//	                    ▲                                                                  │
//	                    └── calendar (due later) ◄── policy ◄── Outcome ◄── fetch ◄────────┘
//
// # Goals
//
// No URL is lost. No host is fetched faster than it allows. No host, site or other site's links
// take more than a share of the crawl.
//
// # How it works
//
// Reads: urls.discovered, one partition per Task; on assignment also the part of urls.scheduled
// that fetch has not finished. Writes: urls.scheduled (Scheduled); docs.extracted and links.found
// (Gone, for URLs whose document ended); urls.discovered (timer records to the own partition; URLs
// of other hosts). Keyed by host: the rows, queues and politeness of a host have one owner.
//
// State, by table: host (heads and tails of the queues, counts, budgets), url (what is known of a
// URL), todo (one append-only queue per host and class), later (URLs due in the future), shard (how
// far the calendar is processed; the counts of each partition), site_host (the hosts of a site),
// pattern (what a host's URLs brought, by shape).
//
// Terms: a politeness key is the host, site or IP address that is asked one request at a time. A
// flight is a URL that was sent to fetch and has no outcome yet. A rev is the version number of an
// attempt to fetch a URL; it only rises. A stamp is the write timestamp of a record, made of the
// era of the log and the record's offset. A shape is the pattern of a URL's path and parameters
// (package patterns). A stranger is another site that names a URL.
//
// A task passes each record to one of these packages:
//
//	policy      what an answer, a digest or a mention means for a URL; pure
//	patterns    what the URLs of a host brought, by shape: worth, budgets, traps; pure
//	freshness   when a page is fetched again, within a budget; pure
//	polling     when a feed or sitemap is fetched again; pure
//	politeness  which key and which class has the next turn
//	calendar    what is due when: a time wheel
//	hosts       the rows and queues of hosts
//	seen        whether a URL is known, from memory
//	table       keys and encoding of rows
//	survey      how current the documents are, estimated from a sample of rows
//
// and to these files: ledger.go (what the parts share), intake.go, links.go, add.go and budgets.go
// (new URLs), sites.go (what the hosts of a site have together), wildcard.go (whether a site has a
// host for any name), ruled.go (rules of operators),
// answers.go (outcomes, digests), recheck.go and walk.go (requests of operators), emit.go,
// flights.go and pages.go (sending to fetch), timers.go and rests.go (the calendar), recover.go
// (from assignment to ready), counts.go, status.go, explain.go and browse.go (questions of
// operators); learnt.go, holds.go and asking.go (patterns: which shapes are closed).
//
// # Promises
//
//   - Every write is a function of the record and the state, and carries the record's stamp. It is
//     left out where the row has that stamp or a later one, so a repeated record changes nothing. A
//     stamp of an older era of the log is always lower.
//   - A crash between two writes can leave a URL in a queue that its host's row does not count yet,
//     or counted without a row of its own. The record is read again and repairs both.
//   - Sending a URL to fetch writes no state. The URLs in flight are the unread part of
//     urls.scheduled, and the stored head of a queue is its lowest entry without an outcome. If
//     records of urls.scheduled are lost, their URLs are sent again.
//   - A server that answers 304 whatever has changed hides its changes for a while only: one
//     request in sixteen is without validators, and all are once texts of the host changed behind
//     the same validators (policy.TrustValidators).
//   - A page that asks not to be shown after a time (unavailable_after) is fetched again at that
//     time at the latest. If it stands then and names a later time, it is not believed again. If it
//     is never to be fetched again, or its host does not answer then, its document ends
//     (policy/ending.go).
//   - Times are those of the broker. A clock that is hours off delays or hastens URLs by that much
//     and loses none.
//   - Trouble of a host (no connection, 5xx, 429) ends no URL. No status is final but FORGOTTEN.
//   - A link, feed or sitemap of another site can only suggest pages. Seeds and URLs of operators
//     are not limited by the budgets of hosts and sites.
//   - With MaxDepth a URL is as deep as the shortest way to it, whichever was found first
//     (policy.Nearer): a page to which a shorter way is found is fetched again for its links.
//   - Twenty redirects in a row over sites are followed, and no more.
//   - With MaxPages the sites share the pages: a site that had its share waits while another site
//     below its share is active.
//   - What is dropped is counted with a reason: scope, depth, nofollow, redirects, host_budget,
//     site_hosts, trap, reasons of rules, url_* (schema.URLReasons). Outcomes and digests that
//     change nothing count as unknown_url, stale or repeated. The counts are state (Count).
//
// # On failure
//
// An error of the store is returned and the record retried. A record with an unknown enum value or
// an invalid row key becomes a dead letter. After an assignment nothing is sent to fetch until all
// records that were in the log by then are handled; the rows of hosts are read while URLs are sent.
//
// # Limits
//
// Fetch enforces the delay between requests. This package only estimates it, so that a URL is sent
// at most five seconds before its key can start it.
//
// With sites as politeness keys the hosts of a site may be in several partitions, and each
// partition counts its own flights. The same holds for IP addresses as keys, which are known only
// after a first DNS lookup of a host.
//
// MaxPages is exact but for pages fetched twice with one process. With several it may be exceeded
// by a few pages for each process: every two seconds a process reads from the store what the others
// fetched, and until it reads again it fetches the part of what is left that its partitions are of
// all. HostsPerSite may be exceeded by the hosts that the other partitions add within a second.
//
// The hosts of a site may be in any partitions (sites.go). PagesPerSite is exact with one process,
// but for pages that were at fetch when a process died. Several processes share what is left by
// their partitions and read every two seconds (more with many hosts) what the others fetched: they
// may fetch one page more for each further process, and take some minutes for the last of them. A
// limit rule for a site is exact with one process; over processes it may be exceeded by the URLs
// that the others add between two readings. A site with 50 hosts or more gets no more of them, and
// those without a page are left out, once more than 40 hosts, and ten for each different text,
// brought a first text: hosts that repeat each other. The same holds for hosts that pages of the
// site named if the site has a host for any name: a host that nobody named is asked for, while
// those without a page wait for up to a minute, and three such hosts with a text of their own that
// name new hosts show it (wildcard.go). A site that invents texts, and has only the hosts that its
// pages named, is bound by HostsPerSite and PagesPerSite only.
//
// Links to new URLs of hosts that were known before this owner began, and to known URLs that were
// not seen lately, cost a read (with MaxDepth once for each depth), because neither the Bloom
// filter nor the links seen lately are stored. A host with work takes about 400 bytes of memory; a
// host without work takes none.
package schedule
