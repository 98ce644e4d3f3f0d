//go:build linux

package cluster

import (
	"fmt"
	"os"
	"syscall"
	"testing"
)

func TestAnotherProcessWithTheSameIDIsNotSignalled(t *testing.T) {
	p := process{t.TempDir()}
	self, err := readStat(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		start uint64
		ours  bool
	}{{self.start, true}, {self.start - 1, false}} {
		if err := writeFile(p.pidFile(), fmt.Appendf(nil, "%d %d\n", os.Getpid(), c.start)); err != nil {
			t.Fatal(err)
		}
		if _, ok := p.running(); ok != c.ours {
			t.Fatalf("start time off by %d: running is %v", self.start-c.start, ok)
		}
	}
	// The pid file now names a process that had our id before us. If signal
	// took us for it, this test would end here.
	if err := p.signal(syscall.SIGKILL); err != nil {
		t.Error(err)
	}
}

func TestKilledProcessLeavesNoEntry(t *testing.T) {
	p := process{t.TempDir()}
	if err := p.launch([]string{"sleep", "600"}); err != nil {
		t.Fatal(err)
	}
	id, ok := p.running()
	if !ok {
		t.Fatal("it does not run")
	}
	if err := p.signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := p.gone(t.Context()); err != nil {
		t.Fatal(err)
	}
	if st, err := readStat(id.pid); err == nil && st.start == id.start {
		t.Errorf("process %d is left in state %c", id.pid, st.state)
	}
}
