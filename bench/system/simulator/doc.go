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
// together as cmd/wire does: the real groups, the real loop, the real Kafka client. Around them
// are a broker (kfake), a store (Pebble in memory) and a web (bench/simweb), all in one process
// and without sockets. Between a process and its servers stands a gate that can freeze, break
// and end what passes, and a store that fails, waits and is full. The clock is that of
// testing/synctest: it moves on when everybody waits, so minutes take a second, and times are
// exact. Every run is a process of its own. For the clock to move while somebody waits for a
// mutex, that program is built with one more line in Go's runtime: see Build.
//
// # Promises
//
// After each phase of faults nothing is left to do within 15 simulated minutes (I1, I10: a hang
// is a failure), every text of the web is published exactly once and nothing else (I1, I12), no
// key of docs.unique has two equal records in a row (I2), the index equals docs.unique (I3), no
// gap at the origin is below the delay, to the nanosecond, and one request is under way (I4),
// robots.txt is obeyed (I5), what cannot be read is a dead letter and nothing else is (I11). At
// the end no goroutine is left. TestBrokenInvariantsAreFound breaks them on purpose.
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
// closed by faults. An outage breaks connections: a request that the network delivers much later
// than it was sent is not simulated, and would make a gap at the origin shorter than the delay. A
// request that was under way when its process was frozen may overlap with one of the new owner. A
// wrong clock is that of schedule only; fetch measures durations, and the broker's clock is right.
// A clock is at most 26 hours behind and one hour ahead, because what is made late by a clock ahead
// must end within the run. A log is made anew while all processes are down; no log loses only its
// end. Where members are static no log is made anew: in one such run (four faults around it) the
// members of index stayed without partitions, and it is not known yet whether the loop or kfake is
// to blame. After that, as an operator does, everything is asked again. I6, I8, I9 and I13 are not
// checked here, and of I7 only that a process says that a log changed.
package simulator
