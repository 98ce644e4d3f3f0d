// Package secured runs millrace on a Kafka with TLS, SCRAM and an authorizer that denies what
// nobody granted, and on a Cassandra with TLS, passwords and rights. It has tests only.
//
// Every consumer group is a process of its own with a user of its own, which has exactly the rights
// that `millrace topics acls` prints for it. One test crawls a site so; others take each right away
// and expect that it is named, and try each wrong certificate, password and setting.
//
// Limits: one broker and one node, started by package ops/cluster, in about 15 seconds. With
// MILLRACE_TEST_THREE=brokers three brokers, with =all three of each, which hold 3 GB:
//
//	MILLRACE_REQUIRE_CLUSTER=1 MILLRACE_TEST_THREE=brokers go test ./bench/system/secured
package secured
