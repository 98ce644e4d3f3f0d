// Package topics lists, as data, millrace's topics, what they carry, the consumer groups that read
// and write them, and which group waits for which.
//
// # Goals
//
// Provisioning, the dashboard, `millrace topics`, the documentation and the tests all read one
// list.
//
// # How it works
//
//	seeds ─► Add ┐                      ┌─────────── Links, Digest ─────────┐
//	             ▼                      ▼                                   │
//	      urls.discovered ─► schedule ─► urls.scheduled ─► fetch ─► pages.fetched ─► extract ─► docs.extracted ─► dedupe ─► docs.unique ─► index ─► search
//	            ▲   ▲            │                          │  │                                     ▲               │          └─► your own consumers
//	            │   │            └── Gone (404, redirect …) ┼──┼─────────────────────────────────────┘               │
//	            │   └──────────── Outcome (every fetch) ────┘  ├─► files.fetched ─► documents ─► docs.extracted
//	            │                                              └─► feeds.fetched ─► feeds, sitemaps ─► Add           │
//	            └──────────────── Recheck ───────────────────────────────────────────────────────────────────────────┘
//
//	extract, schedule ─► links.found ─► links ─► links (in-links, a table)
//	                                      └────► graph ─► ranks ─► ranks (PageRank, a table)
//	dedupe ─► near.found ─► near ─► near (near-duplicates, a table)
//
// # How to read the code
//
// In the order of a URL's journey: schema/messages.proto (the messages), this package,
// streams/task.go and streams/group.go (the loop), then the Handle functions of consumers/schedule,
// fetch, extract, dedupe, index, and cmd/wire/journey_test.go, which follows one URL through all of
// them.
//
// # Promises
//
//   - Forward edges wait, back edges never do: schedule waits for fetch, fetch
//     for extract, extract for dedupe (Group.WaitsFor), and sources of URLs
//     from outside (seeds, feeds, sitemaps) for schedule; outcomes, links, digests
//     and rechecks never wait. The wait graph has no circle (Validate), so it
//     cannot deadlock.
//   - Records with one host meet in one partition of the topics keyed by host;
//     documents of one site in one partition of the topics keyed by site.
//   - Delivery is at least once; repeats change nothing. dedupe alone uses
//     transactions, on a real Kafka, so docs.unique is read with read_committed.
//
// # On failure
//
// Validate says what is missing or goes in a circle.
//
// # Glossary
//
//	row key     a URL with its host reversed: com.example.www:https/about
//	rev         the version of a URL: one attempt to fetch it
//	edition     the version of the extraction options
//	fold        a topic read as a table: per key, the last record wins
//	cluster     the pages of a site with equal text; one of them is published
//	alias       a page whose canonical names another page
//	dead letter a record that cannot be handled, kept on dead.letters with the reason
//
// # Limits
//
// Partition counts (powers of two) are set at provisioning; those of topics keyed by site
// never change.
package topics
