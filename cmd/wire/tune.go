package wire

import (
	"os"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// How far the heap may grow between two collections: to four times what is alive
// while that is little, since the default, twice, costs 8 % of the CPU time of a
// crawl and this 4 %; less when it is much, since a crawl in a hurry has some
// hundred MB of pages on their way. Of 8,000 pages at 500 a second these numbers
// took 1.2 GB at most, instead of 1.8 with four times always, for 8 % more CPU.
const (
	gcMost   = 300 // percent
	gcLeast  = 150 // percent
	headroom = 384 << 20
	gcEvery  = time.Second
)

// Tune sets the garbage collector for a process that does nothing else, as long
// as it lives. The environment variable GOGC has precedence.
func Tune() {
	if os.Getenv("GOGC") != "" {
		return
	}
	now := gcMost
	debug.SetGCPercent(now)
	go func() {
		for range time.Tick(gcEvery) {
			if p := gcPercent(liveHeap()); p != now { // to set it stops the program for a moment
				now = p
				debug.SetGCPercent(now)
			}
		}
	}()
}

// gcPercent is how far a heap with so many bytes alive may grow.
func gcPercent(live uint64) int {
	return int(max(gcLeast, min(gcMost, headroom*100/max(live, 1))))
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
