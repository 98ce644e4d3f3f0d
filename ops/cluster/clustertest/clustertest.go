// Package clustertest turns two environment variables into the addresses of a
// real Kafka and a real CQL store for a test, and skips the test where they are
// not set:
//
//	eval "$(go run ./ops/cluster/cmd up)" && go test ./...
//
// Promises: the servers may be shared by any number of tests and test processes
// at the same time; Name gives each test names of its own. Nothing is connected
// to, nothing is made, nothing is deleted here.
//
// On failure: with MILLRACE_REQUIRE_CLUSTER=1 a variable that is not set fails
// the test. Continuous integration sets it, so that no test is skipped unseen.
//
// Caveats: a test that kills servers must not do it to these; it starts its own
// with package cluster, after NeedOwn.
package clustertest

import (
	"crypto/rand"
	"os"
	"strings"
	"testing"
)

// The environment variables that are read.
const (
	KafkaVar   = "MILLRACE_TEST_KAFKA"      // host:port,... of Kafka brokers
	CQLVar     = "MILLRACE_TEST_CQL"        // host:port,... of ScyllaDB or Cassandra nodes
	SearchVar  = "MILLRACE_TEST_OPENSEARCH" // http://host:port of an OpenSearch
	RequireVar = "MILLRACE_REQUIRE_CLUSTER" // 1: skip nothing
)

// Kafka returns the addresses of the brokers.
func Kafka(t testing.TB) []string {
	t.Helper()
	return addrs(t, KafkaVar)
}

// CQL returns the addresses of the nodes.
func CQL(t testing.TB) []string {
	t.Helper()
	return addrs(t, CQLVar)
}

// OpenSearch returns the address of an OpenSearch, http://host:port.
func OpenSearch(t testing.TB) string {
	t.Helper()
	return addrs(t, SearchVar)[0]
}

func addrs(t testing.TB, name string) []string {
	t.Helper()
	if v := os.Getenv(name); v != "" {
		return strings.Split(v, ",")
	}
	const how = "set %s to the address (go run ./ops/cluster/cmd up --search 1)"
	if required() {
		t.Fatalf(how, name)
	}
	t.Skipf(how, name)
	return nil
}

// NeedOwn skips a test that starts servers of its own, which costs seconds of
// CPU time and needs Java, unless RequireVar is set.
func NeedOwn(t testing.TB) {
	t.Helper()
	if !required() {
		t.Skipf("set %s=1 to start servers for this test (needs Java 17 and mvn)", RequireVar)
	}
}

func required() bool { return os.Getenv(RequireVar) == "1" }

// Name returns a name that no other test has and that begins with the test's
// own, in lower-case letters and digits: a keyspace (Cassandra allows 48
// characters), or the beginning of the names of topics and groups.
func Name(t testing.TB) string {
	const maxRead, maxRandom = 20, 8
	own := strings.Map(lowerLetter, t.Name())
	return own[:min(len(own), maxRead)] + strings.ToLower(rand.Text()[:maxRandom])
}

// lowerLetter drops what is not a letter: t.Name is "Test..." and stays one.
func lowerLetter(r rune) rune {
	switch {
	case 'a' <= r && r <= 'z':
		return r
	case 'A' <= r && r <= 'Z':
		return r - 'A' + 'a'
	}
	return -1
}
