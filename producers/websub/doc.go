// Package websub subscribes to feeds at the hubs that they name, and turns what hubs push into Add
// records (W3C Recommendation WebSub, 23 January 2018).
//
//	feed names a hub ─► Learn ─► POST to the hub ─► GET of the callback (verification) ─► lease
//	                                                POST of the callback (content) ─► Add
//
// # Goals
//
// An item is on its way to the index a moment after its publisher told the hub. Only a hub can
// bring content in, and no hub can make this process work without bound.
//
// # How it works
//
// One process of a crawl runs it: the one whose address hubs reach (--websub). It reads
// feeds.fetched, and so learns which feeds name a hub. For each such feed it keeps a row in the
// table subscription. The callback has an address of 128 random bits; if the hub is reached by
// https, there is also a secret for signatures. A lease is renewed when a tenth of it is left. If a
// feed no longer names a hub, the hub is asked to unsubscribe.
//
// Pushed content is read as the feed that was subscribed to: its URLs get the same treatment as the
// items of that feed when it is polled (class 0 if they are of its own site). Content without
// entries makes the feed due at once. Polling goes on: when a hub dies, items are late and none is
// lost.
//
// # Promises
//
//   - Its only effects are Add records, its own rows, and requests to hubs. The requests go through
//     the guard against private addresses, one at a time, with a pause between two to one hub.
//   - A verification is confirmed only for what was asked of that hub for that topic.
//   - If there is a secret, content without a correct signature (sha1, sha256, sha384, sha512) is
//     answered with 202 and ignored, as the recommendation says.
//   - Subscriptions, leases and secrets survive restarts.
//   - Bodies, challenges, the number of subscriptions and of pushes per minute are bounded.
//
// # On failure
//
// A hub that does not answer, refuses, or never verifies is asked again after 1 minute, then 5, 25
// and so on, up to a day. If the Adds cannot be appended, the hub gets 503 and sends the content
// again.
//
// # Limits
//
// The state is not a function of the log, because leases are promises of others. Requests to hubs
// do not take part in fetch's politeness: a hub that is crawled, too, may get a request between two
// of fetch. A feed whose body does not change (304) is read again only when it changes, and its hub
// is learnt only then.
package websub
