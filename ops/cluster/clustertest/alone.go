package clustertest

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// KafkaAlone returns the addresses of the brokers, for one test at a time over all
// test processes of the machine: for tests that use the topics under their real
// names. It waits for its turn, which ends with the test.
func KafkaAlone(t testing.TB) []string {
	t.Helper()
	brokers := Kafka(t)
	name := "millrace-test-" + strings.NewReplacer(":", "-", ",", "-").Replace(strings.Join(brokers, ",")) + ".lock"
	f, err := os.OpenFile(filepath.Join(os.TempDir(), name), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() }) // ends the lock
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	return brokers
}
