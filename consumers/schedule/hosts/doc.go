// Package hosts keeps the hosts of one partition in memory: their rows and their queues.
//
// # Goals
//
// A host that only waits takes little memory. Taking the next URL of a host with millions of URLs
// costs the same as of one with ten.
//
// # How it works
//
// A queue is a sequence of rows in the table todo, one for each host and class; URLs are only
// appended. The head is the lowest entry that is not done, the tail is the next free position; both
// are in the host's row. A Host reads a few entries ahead of use. URLs that a timer made due
// (Offer), at most 1,024 for each class, come before the queue of their class. Save stages the
// changed rows once per round, and drops the chunks of 1,024 entries before the head.
//
// # Promises
//
// Every entry before the head had its outcome, or its URL was not due any more. A host's row is
// staged at most once per round.
//
// # On failure
//
// An error of the store is returned before anything was changed.
//
// # Limits
//
// The head is only a lower bound, because it depends on the outcomes that this process has seen. A
// new owner reads entries after the head again and skips those whose URL is not due.
package hosts
