// Package workbench decides which request may start now, and never two too close: items go in in
// any order and come out when their turn has come.
//
// # Goals
//
// Politeness first, then fairness: slow servers, endless hosts of one site, or many sites at one
// address take no more than a share of the slots, and hosts that answer quickly do not feel them.
//
// # How it works
//
// It is a delay queue after BUbiNG's Workbench. A key (a host) holds items, a group holds the keys
// of one site at one address, a front holds those of its keys that may be served alike, and fronts
// stand in queues. Acquire takes the best front's first key and its group out; the lease gives them
// back with the time the request started.
//
//	Add → [key: by class, then offset] → group → queue of its lane → Acquire → Lease.Done / Lease.Again
//	                                  ↘ deferred: cannot start within Hold
//
// Two clocks run per key: the crawl-delay, from start to start, and the back-off (Block). A group
// has a clock of its own (SiteDelay), and so has an address that several sites share (AddressGap).
//
// There are three lanes. Keys that answered quickly are Quick. Keys that have not answered yet are
// Unproven and have three quarters of the slots. Keys whose last answer took longer than SlowAfter
// are Slow and have slots of their own, twice InFlight; so are unproven keys of a site or an
// address whose last three answers were slow. A lease that lasts longer than SlowAfter moves to the
// lane of the slow and frees its slot; if that lane is full while others wait, its request is cut
// and its item waits there.
//
// A front that only its site's or address's share keeps from starting waits with that share, which
// lets one go whenever there is room.
//
// # Promises
//
//   - Two starts of a key are never closer than its delay plus Guard; the same for a group and
//     SiteDelay, and for different groups at an address and AddressGap. At most one lease per key
//     and group is out.
//   - Nothing spins and nothing scans: each step is O(log n), Acquire sleeps until something can
//     start. (Revoke, Drain and the end of a pause look at many keys.)
//   - Every item leaves exactly once: by a lease that ends, deferred, or handed back by Revoke or
//     Drain.
//   - Nothing starves: the longest wait goes first; a class is worth a head start of ClassStep a
//     step, no more. Urgent classes have a reserve of slots.
//   - Keys, groups and shares that have nothing left and whose clocks have passed are forgotten.
//
// # On failure
//
// There is no I/O here. A lease that never ends keeps its key, its group and its slot.
//
// # Limits
//
// Acquire is for one goroutine. Time comes from package time, so that tests run it under
// testing/synctest; a wall clock that is set back does no harm, because all times are monotonic.
// The callbacks run without a lock held, on whatever goroutine found out.
package workbench
