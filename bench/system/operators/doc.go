// Package operators checks what operators decide, on a real Kafka and CQL store, with three
// processes that share all groups. It has tests only.
//
// A web of sites with several hosts each has no end, so that every process has something to ask at
// any time. Hosts of a site share its delay (--polite-by site). While the crawl runs, a rule shuts
// a part of every host, pages are taken down that are known and that nobody knows yet, and a
// removal is lifted. The processes are programs of their own; decisions are made with the program's
// commands, at one process after the other.
//
// What must not happen is looked for at the web: there all requests come together. The test waits
// for events, never for time. How long a decision took to be in force is printed (go test -v), by
// the broker's time of the decision and the times at which requests began.
package operators
