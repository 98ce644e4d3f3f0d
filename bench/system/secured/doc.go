// Package secured runs millrace on a Kafka with TLS, SCRAM and an authorizer that denies what
// nobody granted, and on a Cassandra with TLS, passwords and rights. It has tests only.
//
// Every consumer group is a process of its own with a user of its own, which has exactly the rights
// that `millrace topics acls` prints for it. One test crawls a site so; others take each right away
// and expect that it is named, and try each wrong certificate, password and setting.
//
// Limits: one broker and one node, started by package ops/cluster, in about 15 seconds. With
// MILLRACE_TEST_THREE=brokers three brokers, with =all three of each and three copies of every
// record and row, of which two must answer (LOCAL_QUORUM). They hold 3 GB. On two cores with a load
// of 6 the test took 185 s then, 50 s of it to make 20 tables twice: the three nodes agree on each
// in 2 to 4 s, and more slowly the busier the machine is.
//
//	MILLRACE_REQUIRE_CLUSTER=1 MILLRACE_TEST_THREE=all go test ./bench/system/secured
package secured
