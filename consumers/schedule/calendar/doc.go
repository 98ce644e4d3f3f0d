// Package calendar keeps what is due in the future: a time wheel of slots of ten
// minutes in the table later.
//
// Goals: a URL becomes due on time; after any downtime the cost is linear in what
// became due; no clock loses a URL.
//
// How it works: Put writes a row into the slot of its time. A slot is read into
// timers shortly before it begins (Load), so that its URLs become due to the second
// (Ring). When it is over, what is still wanted of it (URLs that were in flight, or
// that a dead process had) is moved to the queues of its hosts by Tick records
// (Move), a bounded part with each. The rows of a shard's day stand together, so
// that empty slots cost nothing and a whole day is dropped at once; days begin at
// another slot in each shard, which spreads the drops.
//
// Promises:
//   - A row is dropped only after its URL was found to be in a queue, or not to
//     want it any more.
//   - A slot that is being moved takes no more rows: Put chooses the next open one.
//   - A clock that is hours off delays or hastens by that much.
//   - A Tick moves at most 1,000 rows and reads at most 256 partitions; only the
//     chain of Ticks that this owner began goes on, and never beyond the time of
//     its record.
//
// On failure: an error of the store is returned before anything was changed.
//
// Limits: a URL may be due at most 400 days ahead.
package calendar
