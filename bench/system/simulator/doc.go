// Package simulator runs whole clusters of millrace in simulated time, lets things go wrong by
// a seeded plan, and checks the invariants.
//
// # Goals
//
// To find the next defect before a user does. `go test` runs 200 seeds; any number:
//
//	go run ./bench/system/simulator/cmd -for 8h
//	go run ./bench/system/simulator/cmd -seed 17            one seed, with all that happened
//	go run ./bench/system/simulator/cmd -seed 17 -shrink    with the shortest list of faults that fails
//
// # How it works
//
// Package plan draws a web, processes and faults from a seed. Package onerun puts the processes
// together as cmd/wire does: the real groups, the real loop, the real Kafka client. Around them are
// a broker (kfake), a store (Pebble in memory) and a web (simweb), all in one process and
// without sockets. Between a process and its servers stands a gate that can freeze, break and end
// what passes and lose the answer to any kind of request, and a store that fails, waits and is
// full. Time is that of testing/synctest: it moves on when everybody waits, so minutes take a
// second, and durations are exact. The wall clock of a process may be wrong by 26 hours, for all
// that it does; when one was ahead, all sleep for as long as that may make URLs late. Every run is
// a process of its own. For time to move while somebody waits for a mutex, and for clocks to be
// wrong, that program is built with a changed runtime of Go: see Build.
//
// # Promises
//
// After each phase of faults nothing is left to do within 15 simulated minutes (I1, I10: a hang is
// a failure), every text of the web is published exactly once and nothing else (I1, I12), no key of
// docs.unique has two equal records in a row (I2), the index equals docs.unique (I3), no gap at the
// origin is below the delay, to the nanosecond, and one request is under way (I4), robots.txt is
// obeyed (I5), the web is asked for a URL once per attempt, and once more only for what was
// unacknowledged at the broker when its process lost it (I6), what cannot be read is a dead letter
// and nothing else is (I11). Goroutines, topics and the queues' rows are few at rest (I9). At the
// end the index is made again from docs.unique and is the same to the last posting (I8), and beside
// a host that never answers, with a backlog at its own host, an urgent page is asked for within its
// delay and a second and found 5 seconds after it came (I13). Then no goroutine is left.
// TestBrokenInvariantsAreFound breaks all of these but I7 and I10 on purpose.
//
// # On failure
//
// The plan is printed. It is data: -plan runs it from a file, -shrink shortens it.
//
// # Limits
//
// The plan and the web are functions of the seed. The order in which goroutines run is not, nor
// are maps, select and random back-off: most failures come again at each run of their seed, some
// at every second or third.
//
// A frozen process computes on; only what it sends and gets stands still. What a real SIGSTOP does
// is for tests on real servers. A killed process still closes its index in order. The store is not
// closed by faults, and a full disk is that of the store. An outage breaks connections: a request
// that the network delivers much later than it was sent is not simulated, and would make a gap at
// the origin shorter than the delay. A request that was under way when its process was frozen may
// overlap with one of the new owner. The broker's clock is right. A log is made anew while all
// processes are down; no log loses only its end. After that, as an operator does, everything is
// asked again. I6 is not checked where a process lost its way to the web (the request may have
// arrived) or a log was made anew. Of I7 only that a process says that a log changed; of I9 not the
// memory.
package simulator
