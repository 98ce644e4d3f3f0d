package onerun

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"

	"millrace/bench/system/simulator/plan"
)

// mostSeconds is how much of a processor's time a run may take. Most take two. On a machine that
// does other work this says more than the time on the wall.
const mostSeconds = 120

// TestPlan runs the plan that package simulator gave it, and writes down what came of it.
func TestPlan(t *testing.T) {
	path := os.Getenv("MILLRACE_PLAN")
	if path == "" {
		t.Skip("runs in the simulator only: go test millrace/bench/system/simulator")
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_CPU, &syscall.Rlimit{Cur: mostSeconds, Max: mostSeconds + 5}); err != nil {
		t.Fatal(err)
	}
	sayWhereItHangs()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var p plan.Plan
	if err := json.Unmarshal(b, &p); err != nil {
		t.Fatal(err)
	}
	level := slog.LevelWarn
	if os.Getenv("MILLRACE_PLAN_LOG") != "" {
		level = slog.LevelInfo
	}
	dir := t.TempDir()
	var v Verdict
	synctest.Test(t, func(t *testing.T) { v = Run(p, dir, level) })
	if len(v.Offences) > 0 || level < slog.LevelWarn {
		for _, n := range v.Notes {
			t.Log(n)
		}
	}
	for _, o := range v.Offences {
		t.Error(o)
	}
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path+".verdict", out, 0o600); err != nil {
		t.Fatal(err)
	}
}

// sayWhereItHangs ends the process with the stacks of its own goroutines once it has computed for
// mostSeconds.
func sayWhereItHangs() {
	over := make(chan os.Signal, 1)
	signal.Notify(over, syscall.SIGXCPU)
	go func() {
		<-over
		stacks := make([]byte, 16<<20)
		stacks = stacks[:runtime.Stack(stacks, true)]
		fmt.Printf("SIGXCPU: computed for %d s without an end\n", mostSeconds)
		for g := range strings.SplitSeq(string(stacks), "\n\n") {
			if strings.Contains(g, "millrace/streams") || strings.Contains(g, "millrace/cmd/wire") {
				fmt.Println(g)
			}
		}
		os.Exit(2)
	}()
}
