// Package wire turns a configuration into a running millrace: it connects consumer groups, broker,
// store, index and web server, in the same way for `run` (everything in one process), `consume
// GROUP…` (any number of processes on Kafka and ScyllaDB or Cassandra), the bench programs and the
// journey test.
//
// # Goals
//
// One place puts the parts together, so that what is tested and measured is what users run.
//
// # How it works
//
// Open locks the data directory, starts the built-in broker and store or connects to those of a
// cluster, and makes the parts of System. Run then runs members of consumer groups; Listen and
// Server.Run answer HTTP.
//
// # Promises
//
// Close closes everything that Open opened, in reverse order. No group runs before Run, and no web
// server listens before Listen; only the door for readers (--kafka-listen) is opened by Open. A
// group that fails is started again after two seconds, with a line in the log; the others go on. A
// refused right or login ends Run with an error.
//
// # On failure
//
// Open returns an error that says what is wrong with the configuration or the servers, and closes
// what it had opened.
//
// # Limits
//
// One process per data directory.
package wire
