package wire

import (
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

// How much memory the garbage collector may let a process take. It collects when the heap is four
// times what is alive, or when all that Go holds comes near a limit, whatever is sooner. The limit
// is one and a half times what is alive, at least memoryLeast and at most memoryShare of the
// container or machine. On 527 pages of manuals a limit of 224 MiB instead of 360 took 300 MB
// instead of 450, and no more CPU time.
const (
	gcPercent   = 300
	memoryLeast = 224 << 20 // bytes
	memoryShare = 0.8
	tuneEvery   = time.Second
)

// Tune sets the garbage collector for a process that does nothing else, as long as it lives. The
// environment variables GOGC and GOMEMLIMIT have precedence.
func Tune() {
	if os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	debug.SetGCPercent(gcPercent)
	most := memoryAtHand()
	now := memoryLimit(liveHeap(), most)
	debug.SetMemoryLimit(now)
	go func() {
		for range time.Tick(tuneEvery) {
			if l := memoryLimit(liveHeap(), most); l != now { // to set it stops the program for a moment
				now = l
				debug.SetMemoryLimit(now)
			}
		}
	}()
}

// memoryLimit is the limit for a heap with so many bytes alive, in steps of 16 MiB, where most may
// be taken. What is alive has precedence: a limit below it would only burn time.
func memoryLimit(live uint64, most int64) int64 {
	const step = 16 << 20
	wanted := (3*int64(min(live, 1<<50))/2 + step - 1) / step * step
	return max(min(max(wanted, memoryLeast), most), int64(min(live, 1<<50))+step)
}

// memoryAtHand is what this process may take at most: its share of the container's limit, or of the
// machine's memory where there is none.
func memoryAtHand() int64 {
	for _, ask := range []memlimit.Provider{memlimit.FromCgroup, memlimit.FromSystem} {
		if n, err := ask(); err == nil && n > 0 && n < 1<<50 {
			return int64(memoryShare * float64(n))
		}
	}
	return 1 << 50
}

// liveHeap is what the last collection found alive.
func liveHeap() uint64 {
	s := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(s)
	if s[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return s[0].Value.Uint64()
}
