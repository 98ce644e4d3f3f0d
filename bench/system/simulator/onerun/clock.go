//go:build simulated

package onerun

import (
	"context"
	"fmt"
	"maps"
	"runtime/pprof"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"
)

// The hooks that package simulator adds to Go's runtime: see its Build.
//
//go:linkname simulatedSkew runtime.simulatedSkew
var simulatedSkew func(labels unsafe.Pointer) int64

//go:linkname simulatedLabels runtime.simulatedLabels
var simulatedLabels func() unsafe.Pointer

// clocks are the wall clocks of all processes, by the label of their goroutines.
type clocks struct {
	mu     sync.Mutex
	wrong  atomic.Pointer[map[unsafe.Pointer]*atomic.Int64] // nanoseconds
	labels int
}

// newClocks makes every time.Now of a process ask its own clock.
func newClocks() *clocks {
	c := &clocks{}
	c.wrong.Store(&map[unsafe.Pointer]*atomic.Int64{})
	simulatedSkew = func(labels unsafe.Pointer) int64 {
		if by := (*c.wrong.Load())[labels]; by != nil {
			return by.Load()
		}
		return 0
	}
	return c
}

// do calls fn, whose goroutines and theirs have a wall clock that is wrong by skew.
func (c *clocks) do(skew *atomic.Int64, fn func()) {
	c.mu.Lock()
	c.labels++
	label := pprof.Labels("process", fmt.Sprint(c.labels))
	c.mu.Unlock()
	pprof.Do(context.Background(), label, func(context.Context) {
		c.mu.Lock()
		all := maps.Clone(*c.wrong.Load())
		all[simulatedLabels()] = skew
		c.wrong.Store(&all)
		c.mu.Unlock()
		fn()
	})
}

// checkClocks: what makes a clock wrong does so, and leaves durations right.
func (w *world) checkClocks() {
	var skew atomic.Int64
	skew.Store(int64(time.Hour))
	before := time.Now()
	w.clocks.do(&skew, func() {
		now := time.Now()
		if now.UnixNano()-before.UnixNano() < int64(time.Hour) || now.Sub(before) >= time.Hour {
			w.offend("the simulation itself: clocks cannot be made wrong")
		}
	})
}
