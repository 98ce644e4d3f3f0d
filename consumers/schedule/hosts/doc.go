// Package hosts keeps the hosts of one partition: their rows and their queues.
//
// Goals: a host that only waits keeps little in memory; taking the next URL of a
// host with millions costs the same as with ten.
//
// How it works: a queue is a sequence of rows in the table todo, per host and
// class, to which URLs are only appended. Its head is the lowest entry that is not
// done; the host's row keeps heads and tails. A Host reads a few entries ahead. URLs
// that a timer made due stand before those of their class (Offer), at most 1,024 of
// them. Save stages the rows that changed once per round and drops chunks of 1,024
// entries behind the head.
//
// Promises: an entry before the head has had its outcome, or its URL did not want
// it. A row is written at most once for each record.
//
// On failure: an error of the store is returned before anything was changed.
//
// Limits: a head depends on what this process has seen done. It is only a lower
// bound: a new owner looks at entries again, finds them dead and goes on.
package hosts
