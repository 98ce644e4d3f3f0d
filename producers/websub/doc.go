// Package websub subscribes to feeds at the hubs that they name, and turns what hubs push into Add
// records (W3C Recommendation WebSub, 23 January 2018).
//
//	feed names a hub ─► Learn ─► POST to the hub ─► GET of the callback (verification) ─► lease
//	                                                POST of the callback (content) ─► Add
//
// # Goals
//
// An item is on its way to the index a moment after its publisher told the hub. Nobody who is not
// the hub can bring anything in, and no hub can make this process work without bound.
//
// # How it works
//
// One process of a crawl runs it: the one whose address hubs reach (--websub). It follows
// feeds.fetched, and so learns which feeds name a hub. For each it keeps a row in the table
// subscription: the callback has an address of 128 random bits, and a secret for signatures if the
// hub is reached by https. Leases are renewed when a tenth of them is left. A hub that a feed names
// no more is told so (unsubscribe).
//
// What is pushed is read as the feed that was subscribed to: its URLs get what the items of that
// feed get when it is polled (class 0 if they are of its own site), and nothing more. A push
// without entries makes the feed due at once. Polling goes on: a hub that dies costs delay and no
// item.
//
// # Promises
//
//   - Its only effects: Add records, its own rows, and requests to hubs. Those go through the guard
//     against private addresses, at most one at a time, with a pause between two to one hub.
//   - A verification is confirmed only for what was asked of that hub for that topic.
//   - With a secret, content without a right signature (sha1, sha256, sha384, sha512) is
//     acknowledged and ignored, as the recommendation has it.
//   - Subscriptions, leases and secrets are kept over restarts.
//   - Bodies, challenges, numbers of subscriptions and of pushes a minute are bounded.
//
// # On failure
//
// A hub that does not answer, refuses, or never verifies is asked again after a minute, five, and
// so on up to a day. If the log does not take the Adds the hub gets 503 and sends them again.
//
// # Limits
//
// The state is no function of the log, as leases are promises of others. Hubs are asked beside the
// turns of fetch: a hub that is crawled, too, may get a request between two of fetch. A feed whose
// body does not change (304) is learnt with its next change.
package websub
