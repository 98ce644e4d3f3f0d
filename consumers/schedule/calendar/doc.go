// Package calendar keeps the URLs that are due in the future: a time wheel with slots of ten
// minutes in the table later.
//
// # Goals
//
// A URL becomes due on time. After a downtime the cost is linear in the number of URLs that became
// due. No clock error loses a URL.
//
// # How it works
//
// Put writes a row into the slot of its time. Load reads a slot into timers two minutes before it
// begins, and Ring reports its URLs when they are due. When a slot is over, Move moves what is
// still wanted of it (URLs that were in flight, or that a dead process had) to the queues of the
// hosts, a bounded part with each Tick record.
//
// All rows of a shard's day are in one partition of the table, so empty slots cost nothing and a
// whole day is dropped at once. Days begin at a different slot in each shard, which spreads the
// drops.
//
// # Promises
//
//   - A row is dropped only after its URL was put in a queue, or was found not to want it any more.
//   - A slot that is being moved takes no more rows: Put chooses the next open one.
//   - A clock that is hours off delays or hastens URLs by that much and loses none.
//   - A Tick moves at most 1,000 rows and reads at most 256 partitions. Only the chain of Ticks
//     that this owner began continues, and none moves a slot that is not over at the time of its
//     record.
//
// # On failure
//
// An error of the store is returned before anything was changed.
//
// # Limits
//
// A URL may be due at most 400 days ahead.
package calendar
