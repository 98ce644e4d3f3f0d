// Package schedule is the frontier: it turns everything that is learnt about URLs
// (links, added URLs, outcomes, digests, rechecks) into a stream of URLs to fetch
// now, each politely in its turn.
//
//	Discovered ─► row of the URL ─► queue of its host ─► turn of its politeness key ─► Scheduled
//	                    ▲                                                                  │
//	                    └── wheel (due later) ◄── merge ◄── Outcome ◄── fetch ◄────────────┘
//
// Reads: urls.discovered, one partition per Task; on assignment the unread part
// of urls.scheduled.
//
// Writes: urls.scheduled (Scheduled), docs.extracted (Gone, for URLs whose
// document ended), urls.discovered (its timers; URLs of other hosts).
//
// Keyed by: host. All of a host - rows, queues, politeness - has one owner.
//
// State: host (queues' heads and tails, counts), url (what is known of a URL),
// todo (append-only queue per host and class), later (what is due in the future,
// by slots of ten minutes), shard (how far the slots are moved), site_host.
//
// Repeats safely because: every write is a function of the record and the state,
// carries the record's offset as its timestamp, and is left out where a row has
// that offset or a later one (its `at`). A crash between two writes leaves a URL
// in a queue that its host's row does not count yet, or counted without a row of
// its own: both are made good when the record comes again. Emission writes
// nothing: what is in flight is the unread part of urls.scheduled, and a queue's
// persisted head is its lowest entry without an outcome, so whatever is lost of
// urls.scheduled is emitted again.
//
// On failure: an error of the store is returned and the record retried; an
// unknown enum value or a row key that is none is poison; a link that is not
// followed is dropped with a counted reason: scope, depth, hops, nofollow,
// host_budget, site_hosts, url_* (schema.URLReasons); unknown_url, stale and
// repeated count outcomes and digests that change nothing.
//
// Where to read: task.go (what happens to a record), links.go and add.go (new
// URLs), merge.go (what a fetch means: pure), frontier.go (whose turn it is),
// host.go (queues), emit.go, wheel.go and move.go (time), recover.go.
//
// # Caveats
//
// Politeness itself is fetch's. Here it is only foreseen, so that no more is in
// flight than can start within five seconds of its turn.
//
// With sites as politeness keys the hosts of a site may be of several
// partitions, each of which keeps its own window: up to that many times the
// window of one key may be in flight. IP addresses as keys are not there yet.
//
// MaxPages counts the pages of this process's partitions, durably (host rows):
// with one process it is exact but for pages fetched twice, with several it holds
// for each. HostsPerSite is kept approximately.
//
// Links to new URLs of hosts that were there before this owner began, and to
// known URLs that were not seen lately, cost a read: the Bloom filter is not kept
// over restarts.
//
// A host with work takes about 300 bytes of memory; hosts without work none.
package schedule
