// Package cluster turns Maven packages into running servers: Apache Kafka 4.3.0 (KRaft; 1 or 3
// servers, each broker and controller) and Apache Cassandra 5.0.8 (1 or 3 nodes on 127.0.0.1, .2,
// .3), and, if asked for, one node of OpenSearch 2.19.4, as plain processes on loopback, without
// containers.
//
// # Goals
//
// Tests of what only the real servers show use it, and so does a developer without Docker: `go run
// ./ops/cluster/cmd up`.
//
// # How it works
//
// The folder Dir has settings.json (made by the first Up, kept until Wipe) and one folder for each
// server: configuration, data, log, pid file. Maven finds the jars, and Java runs them.
//
// # Promises
//
//   - Up and Start return when a client was answered: every running broker lists
//     all running brokers; through every running node a row was read from all
//     running nodes.
//   - Up on a Dir that holds a cluster starts only what is missing, so several
//     processes may share one: the first starts it, the others find it.
//   - Kill, Down and Wipe signal only processes that Up or Start began; a process
//     is known by its id and its start time, so a reused id is never hit.
//   - Kill with SIGKILL or SIGTERM returns when the process is gone.
//
// # On failure
//
// Up ends what it has started and returns the end of the log of the server that did not come up.
//
// # Limits
//
// Cost, measured on two shared cores: one broker and one node are up after 6 to 9
// seconds and 7 seconds of CPU time, and hold 0.9 GB; three of each after 19 to 23
// seconds and 32 seconds of CPU time, and hold 2.9 GB. The first Up of a machine
// spends 12 seconds more on resolving 190 jars, 140 MB.
//
// Linux only. Needs Java 17 (JAVA_HOME is honoured; Cassandra 5.0 takes
// no newer one) and, until the jars are in Maven's local repository, mvn and a
// network. The servers outlive the program that started them, also when it
// crashes: Down ends them. Loopback only. Without Options.Secured there is neither
// TLS nor a password; with it the passwords are fixed words for tests, and the
// certificates are made by the first Up. Acknowledged
// writes survive kill -9 of a server, not a power loss. Cassandra stands in for
// ScyllaDB: both speak CQL, and what differs between them is not seen here.
package cluster
