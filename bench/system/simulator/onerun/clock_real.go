//go:build !simulated

package onerun

import "sync/atomic"

// clocks are those of the machine: only a program that package simulator built has wrong ones.
type clocks struct{}

func newClocks() *clocks { return nil }

func (*clocks) do(_ *atomic.Int64, fn func()) { fn() }

func (*world) checkClocks() {}
