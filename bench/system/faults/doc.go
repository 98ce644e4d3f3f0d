// Package faults runs millrace as its users do: several processes on a real Kafka and a real
// Cassandra, crawling the synthetic web. While it works things go wrong, one after the other, and
// at the end everything is held against the truth of that web.
//
// # Goals
//
// To show on real servers and real processes what package simulator cannot: SIGKILL, SIGSTOP, a
// broker and a database that die and come back under load.
//
//	go run ./bench/system/faults/cmd                    20 faults of all kinds
//	go run ./bench/system/faults/cmd -faults 5 -seed 7
//	go run ./bench/system/faults/cmd -kinds freeze,broker
//	go run ./bench/system/faults/cmd -kinds recreate -faults 26 -hosts 10
//	go test ./bench/system/faults                        four faults (MILLRACE_REQUIRE_CLUSTER=1)
//	go run ./bench/system/faults/cmd -brokers 3 -secured -faults 4 -kinds kill,broker,store
//
// # How it works
//
// Run starts one broker and one node with ops/cluster (or three of them, on request with TLS,
// logins and exactly the rights that a crawl needs; a node acknowledges what is on its disk,
// commitlog_sync group, since with periodic it loses the last rows with SIGKILL), in a folder of
// its own, three processes of `millrace consume all` as dynamic members, and gives them seeds. A
// fault begins when the origin has seen some more requests, so that it falls into the middle of the
// work. The kinds are
//
//	kill     a process ends with SIGKILL and starts again
//	pause    a process with all groups is stopped (SIGSTOP) for longer than its session, and goes on;
//	         it is the one that computes the ranks
//	freeze   a fourth process joins with one group alone, gets partitions of it, is stopped for longer
//	         than its session, goes on, works, and leaves. Each such fault takes another group
//	broker   Kafka ends with SIGKILL and starts again
//	store    Cassandra ends with SIGKILL and starts again
//	join     a fourth process joins with all groups, works, and leaves in order
//	recreate a topic is deleted and provisioned again, with the tables kept, once while the processes
//	         run and once while none does; each such fault takes another topic (26 take all). Only
//	         where it is asked for: -kinds recreate. Then the seeds are given again and all pages
//	         are fetched again, as an operator does
//
// # Promises
//
// After the last fault all groups come to rest, and then: the documents are those of the truth,
// every URL within reach has come to an end, the counts of the command line add up, no gap at the
// origin is below the delay, robots.txt is obeyed, nothing was asked twice but what was
// unacknowledged at a fault, no key of docs.unique has two equal records in a row, the index on
// disk is the fold of docs.unique, the tables of links equal those that a replay of the log into an
// empty store makes, the ranks are within what they promise of those computed from these tables,
// and no record is a dead letter. Processes end in order when they are asked to, and none ends by
// itself. After a topic was made anew millrace status says so; repeats and the replay of links are
// not checked then.
//
// # On failure
//
// The verdict lists what did not hold. The folder with the logs of all processes is kept.
//
// # Limits
//
// Linux, Java 17, and what ops/cluster needs. The web stands still (nothing is published or changed
// during a run), so that its truth does not depend on when a page was asked. Power loss is not
// tested: what a server had acknowledged is in the kernel's memory when it is killed.
package faults
