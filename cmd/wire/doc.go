// Package wire turns a configuration into a running millrace: it puts consumer
// groups, broker, store, index and web server together, the same way for `run`
// (everything in one process), `consume GROUP…` (any number of processes on Kafka
// and ScyllaDB or Cassandra), the bench programs and the journey test.
//
// Promises: what Open opened, Close closes, in reverse order; nothing listens and
// nothing runs before it is asked to. A group that fails is started again after a
// pause, with a line in the log; the others go on.
//
// On failure: Open says what is wrong with the configuration or the servers, and
// leaves nothing behind.
//
// Caveats: one process per data directory.
package wire
