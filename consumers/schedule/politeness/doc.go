// Package politeness decides whose turn it is: which politeness key (a host or a
// site) may send its next URL to fetch, and which class of a host's queues that URL
// comes from.
//
// Goals: no key waits for another; nothing is sent long before its key can start;
// no host, site or class takes more than its share.
//
// How it works: a Lane is one key with the hosts that share it. It stands among the
// ready ones of its destination (a partition of urls.scheduled), among the waiting
// ones (for its delay or the end of a block), or nowhere (no work, or as much in
// flight as may be). Ready lanes take turns; those with something urgent go first,
// but at most four times in a row while others are ready. Turns chooses the class
// of a host's next URL.
//
// Promises:
//   - At least half of a host's turns go to pages that were never fetched while it
//     has any; URLs that are needed now may run ahead of that by eight.
//   - A key has no more in flight than can start within the lead of five seconds,
//     and one URL until it answered promptly.
//   - Keys that do not answer fill at most half of a destination's backlog; hosts
//     of one site at most a quarter of it, and 64 URLs without a prompt answer.
//   - A lane that waits costs nothing until its time comes.
//
// On failure: nothing here can fail. A clock that jumps back shortens what lanes
// wait for their own delay; fetch keeps the delay itself.
//
// Limits: everything here is an estimate in memory; a new owner begins anew. Shares
// of sites hold per destination.
package politeness
