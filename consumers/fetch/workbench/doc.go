// Package workbench turns items that arrive in any order into items whose turn has come: it decides which request may start now, and never two too close.
//
// It is a two-level delay queue after BUbiNG's Workbench: a group (an IP address, if hosts are to share one) holds politeness keys, a key holds items.
// Acquire takes the key and its group out, so that one request is in flight for each; the lease gives them back with the time the request started.
// Two clocks run per key: the crawl-delay, from request start to request start, and the back-off (Block). A key may start when both have passed.
//
//	Add → [key: by class, then offset] → Acquire → Lease.Done / Lease.Again
//	                                  ↘ deferred: cannot start within Hold
//
// Promises:
//   - Two starts of a key are never closer than its delay plus Guard; the same for a group and GroupDelay. At most one lease per key and group is out.
//   - Nothing spins and nothing scans: each step is O(log n), Acquire sleeps until something can start. (Revoke alone looks at every key.)
//   - Every item leaves exactly once: by a lease that ends, deferred, or handed back by Revoke.
//   - Nothing starves: among the keys whose time has come the longest wait goes first; a class is worth a head start of ClassStep a step, no more.
//     Urgent classes have a reserve of slots, so that slow servers cannot take them all.
//
// Keys that have nothing left and whose clocks have passed are forgotten.
//
// # Caveats
//
// Acquire is for one goroutine. Time comes from package time, so that tests run it under testing/synctest; a wall clock that is set back does no harm,
// because all times are monotonic. The deferred callback runs without a lock held, on whatever goroutine found out.
package workbench
