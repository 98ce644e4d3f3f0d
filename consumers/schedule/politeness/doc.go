// Package politeness decides which politeness key (host, site or IP address) sends its next URL to
// fetch, and from which class of a host's queues that URL comes.
//
// # Goals
//
// No key waits for another one. Nothing is sent long before its key can start it. No host, site or
// class takes more than its share.
//
// # How it works
//
// A Lane is one key with the hosts that share it. A Dest is one partition of urls.scheduled. A lane
// is in one of three places: among the ready lanes of its Dest; in the heap of waiting lanes (until
// its delay or a block ends); or nowhere, if it has no work or as many URLs in flight as it may
// have. Ready lanes take turns. Lanes with urgent URLs (class 0) go first, but at most four times
// in a row while others are ready. Turns chooses the class of a host's next URL.
//
// A lane is Quick if its key answered promptly when it was last asked, else Unproven.
//
// # Promises
//
//   - At least half of a host's turns go to pages that were never fetched, while it has any; urgent
//     URLs may run ahead of that by eight turns.
//   - A quick key has no more in flight than it can start within Lead (five seconds). An unproven
//     key has one URL in flight. One urgent URL may be in flight besides, so that it never waits
//     for room: fetch starts it before the others (I13).
//   - Unproven keys fill at most half of a Dest's backlog. The hosts of one site fill at most a
//     quarter of it, and have at most 64 URLs of unproven keys in flight; with urgent URLs at most
//     twice as much.
//   - A lane that waits costs nothing until its time comes.
//
// # On failure
//
// Nothing here can fail. If the clock jumps back, lanes wait for a shorter time; fetch keeps the
// delay itself.
//
// # Limits
//
// All of it is an estimate in memory, and a new owner begins anew. The shares of sites hold for
// each Dest separately.
package politeness
