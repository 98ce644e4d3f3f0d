// Package schedule is the frontier: it turns everything that is learnt about URLs
// (links, added URLs, outcomes, digests, rechecks) into a stream of URLs to fetch
// now, each politely in its turn.
//
//	Discovered ─► row of the URL ─► queue of its host ─► turn of its politeness key ─► Scheduled
//	                    ▲                                                                  │
//	                    └── calendar (due later) ◄── policy ◄── Outcome ◄── fetch ◄────────┘
//
// # Goals
//
// No URL is lost, none is fetched faster than its host allows, and no host, site or
// stranger takes more than a share of what there is.
//
// # How it works
//
// Reads: urls.discovered, one partition per Task; on assignment the unread part of urls.scheduled.
// Writes: urls.scheduled (Scheduled), docs.extracted and links.found (Gone, for URLs whose document
// ended), urls.discovered (timers; URLs of other hosts). Keyed by host: all of a host - rows,
// queues, politeness - has one owner.
//
// State: host (queues' heads and tails, counts, budgets), url (what is known of a
// URL), todo (append-only queue per host and class), later (what is due in the
// future), shard (how far the calendar is moved; the counts of each partition),
// site_host, pattern (what a host's URLs brought).
//
// A task only orchestrates. Its rooms:
//
//	policy      what an answer, a digest or a mention means for a URL; pure
//	patterns    what the URLs of a host brought, by shape: worth, budgets, traps; pure
//	freshness   when a page is looked at again, under a budget; pure
//	politeness  whose turn it is: lanes, shares, classes
//	calendar    what is due when: a time wheel
//	hosts       the rows and queues of hosts
//	seen        have we met this URL?
//	table       keys and encoding of rows
//
// and in this package: ledger.go (what the parts share), intake.go, links.go, add.go
// and budgets.go (new URLs), answers.go (outcomes, digests), recheck.go and walk.go
// (what operators ask for), emit.go, flights.go and pages.go (what goes to fetch),
// recover.go (recovering, ready, leaving), counts.go and status.go, explain.go;
// learnt.go, holds.go and awaited.go (what patterns say: which shapes are put aside).
//
// # Promises
//
//   - Every write is a function of the record and the state, carries the record's
//     stamp, and is left out where a row has that stamp or a later one. A repeat
//     changes nothing; stamps of an older era of the log hide nothing.
//   - A crash between two writes leaves a URL in a queue that its host's row does not
//     count yet, or counted without a row of its own. Both are made good when the
//     record comes again.
//   - Emission writes nothing: what is in flight is the unread part of urls.scheduled,
//     and a queue's persisted head is its lowest entry without an outcome. Whatever is
//     lost of urls.scheduled is emitted again.
//   - The broker's time orders. A clock that is hours off delays or hastens URLs by
//     that much and loses none.
//   - Trouble of a host ends no URL; nothing is final but FORGOTTEN.
//   - A link, feed or sitemap of another site suggests pages and nothing else. Seeds
//     and operators come before every cap.
//   - With MaxPages the sites share the pages: one that had its part waits while
//     another, which did not, is at work.
//   - What is dropped is counted with a reason: scope, depth, hops, nofollow,
//     host_budget, site_hosts, url_* (schema.URLReasons); unknown_url, stale and
//     repeated are outcomes and digests that change nothing. The counts are state
//     (Count).
//
// # On failure
//
// An error of the store is returned and the record retried; an unknown enum value or
// a row key that is none is poison. Until all that stood in the log at the assignment
// is handled nothing is emitted; hosts are read while emission goes on.
//
// # Limits
//
// Politeness itself is fetch's. Here it is only foreseen, so that no more is in flight
// than can start within five seconds of its turn.
//
// With sites as politeness keys the hosts of a site may be of several partitions, each
// of which keeps its own window. IP addresses as keys are not there yet.
//
// MaxPages counts the pages of this process's partitions: with one process it is exact
// but for pages fetched twice, with several it holds for each. HostsPerSite may be
// exceeded by what the other partitions add within a second.
//
// Links to new URLs of hosts that were there before this owner began, and to known
// URLs that were not seen lately, cost a read: the Bloom filter is not kept over
// restarts. A host with work takes about 400 bytes of memory; hosts without work none.
package schedule
