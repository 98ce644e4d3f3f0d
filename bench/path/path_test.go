package main

import (
	"os"
	"path/filepath"
	"runtime/pprof"
	"slices"
	"strings"
	"testing"
	"time"
)

// A frame of a known package decides, the nearest to the leaf first; work of the
// collector is nobody's.
func TestSharesGoToTheNearestKnownPackage(t *testing.T) {
	for want, stack := range map[string]string{
		"state (Pebble)":       "runtime.memmove github.com/cockroachdb/pebble/v2.(*DB).Get millrace/consumers/schedule.(*task).Handle",
		"schedule":             "runtime.mapaccess1 millrace/consumers/schedule.(*task).Handle millrace/streams.(*runner).round",
		"garbage collection":   "runtime.scanobject runtime.gcDrain runtime.gcAssistAlloc millrace/consumers/extract.(*Task).Handle",
		"fetch":                "syscall.Read net/http.(*persistConn).readLoop",
		"Go runtime and other": "runtime.futex runtime.schedule",
		"state (ours)":         "millrace/streams/state.(*Batch).Get millrace/consumers/dedupe.(*task).Handle",
	} {
		if got := (sample{stack: strings.Fields(stack)}).kind(); got != want {
			t.Errorf("%s: %s, want %s", stack, got, want)
		}
	}
}

// readProfile reads a profile that runtime/pprof wrote.
func TestAProfileOfThisProcessIsRead(t *testing.T) {
	file := filepath.Join(t.TempDir(), "p")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := pprof.StartCPUProfile(f); err != nil {
		t.Fatal(err)
	}
	busy(cpuTime() + 200*time.Millisecond)
	pprof.StopCPUProfile()
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	samples, err := readProfile(file)
	if err != nil {
		t.Fatal(err)
	}
	var ours int64
	for _, s := range samples {
		if slices.ContainsFunc(s.stack, func(f string) bool { return strings.HasSuffix(f, "path.busy") }) {
			ours += s.cpu
		}
	}
	if ours < int64(50*time.Millisecond) {
		t.Errorf("%d samples, of them %s in busy", len(samples), time.Duration(ours))
	}
}

//go:noinline
func busy(until time.Duration) {
	for cpuTime() < until {
	}
}

func FuzzReadProfile(f *testing.F) {
	f.Add([]byte{0x12, 0x04, 0x0a, 0x00, 0x12, 0x00})
	f.Add([]byte{0x22, 0x06, 0x08, 0x01, 0x22, 0x02, 0x08, 0x01})
	f.Fuzz(func(t *testing.T, b []byte) {
		p := profile{functions: map[uint64]uint64{}, locations: map[uint64][]uint64{}}
		if fields(b, p.field) == nil {
			_, _ = p.resolve()
		}
	})
}
