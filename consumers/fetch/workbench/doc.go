// Package workbench decides which request may start now, so that no two requests of one host are
// too close. Items are added in any order and leave when their turn has come.
//
// # Goals
//
// Politeness first, then fairness. Slow servers, sites with endless host names, and many sites at
// one address take no more than a share of the slots. Hosts that answer quickly are not delayed by
// them.
//
// # How it works
//
// It is a delay queue after BUbiNG's Workbench (Boldi, Marino, Santini and Vigna, TWEB 2018).
//
// An item is one thing to do, for example to fetch a URL. A key is a politeness key (usually a
// host) with its waiting items. A group is the keys of one site at one address. A front is the keys
// of a group that are served alike: those of one partition whose first item is urgent, or is not. A
// share bounds what one site, or one address, may have. A lease is the right to make one request of
// a key; it takes the key and its group out of the bench until it ends. A slot is the room for one
// lease.
//
// Every front is in one queue: waiting (for its clocks), paused, urgent, or the lane of its pace.
// Acquire leases the first item of the first key of the best front that has a slot.
//
//	Add → [key: by wait and class] → group → queue of its lane → Acquire → Lease.Done / Lease.Again
//	                                  ↘ deferred: cannot start within Hold
//
// Each key has two clocks: the crawl-delay, from start to start, and the back-off (Block). A group
// has a clock of its own (SiteDelay), and so has an address that several sites share (AddressGap).
//
// There are three lanes. Keys whose last answer was quick are Quick. Keys that have not answered
// yet are Unproven and have three quarters of the slots. Keys whose last answer took longer than
// SlowAfter are Slow and have separate slots, twice InFlight. Unproven keys count as slow if the
// last three answers of their site or address were slow. A lease that lasts longer than SlowAfter
// moves to the slow lane and frees its slot. If the slow lane is full while other items wait, its
// request is cancelled (cut), and its item waits in the slow lane.
//
// A front whose site's or address's share is used up waits with that share (share.waiters), which
// releases one front whenever there is room.
//
// # Promises
//
//   - Two starts of a key are never closer than its delay plus Guard. The same holds for a group
//     and SiteDelay, and for different groups at one address and AddressGap. At most one lease per
//     key and group is out.
//   - No step scans all keys: each is O(log n), and Acquire sleeps until something can start. Only
//     Revoke, Drain and the end of a pause look at many keys.
//   - Every item leaves exactly once: by a lease that ends, by deferred, or returned by Revoke or
//     Drain.
//   - Nothing starves, neither a key nor an item among those of its key: the longest wait goes
//     first, and each class has a head start of ClassStep over the next. Of a key's items urgent
//     ones go first; of all keys they have a reserve of slots.
//   - Keys, groups and shares without items whose clocks have passed are forgotten.
//
// # On failure
//
// There is no I/O here. A lease that never ends keeps its key, its group and its slot.
//
// # Limits
//
// Only one goroutine may call Acquire. Times come from package time, so tests run under
// testing/synctest. All times are monotonic, so a wall clock that is set back does no harm. The
// callbacks are called without a lock held, on any goroutine.
package workbench
