//go:build linux

package cluster

import (
	"math"
	"slices"
	"strconv"
	"testing"
)

func TestSettingsOfAFolderStayAsTheFirstUpMadeThem(t *testing.T) {
	o := DefaultOptions()
	o.Brokers, o.Nodes, o.Dir = 3, 1, t.TempDir()
	first, err := settle(o)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := settle(o); err != nil || again != first {
		t.Errorf("the same options again: %+v, %v; first %+v", again, err, first)
	}
	o.Brokers = 1
	if _, err := settle(o); err == nil {
		t.Error("another number of brokers was taken for a folder that holds 3")
	}
}

func TestTokensSplitTheRingEvenly(t *testing.T) {
	for _, nodes := range []int{1, 3} {
		var all []int64
		for n := 1; n <= nodes; n++ {
			for _, s := range tokens(n, nodes) {
				token, err := strconv.ParseInt(s, 10, 64)
				if err != nil {
					t.Fatal(err)
				}
				all = append(all, token)
			}
		}
		slices.Sort(all)
		if len(all) != nodes*tokensPerNode {
			t.Fatalf("%d nodes have %d tokens", nodes, len(all))
		}
		want := uint64(math.MaxUint64) / uint64(len(all))
		for i := range all {
			// The difference of two's complements is right around the ring, too.
			gap := uint64(all[(i+1)%len(all)] - all[i])
			if gap-want+16 > 32 {
				t.Errorf("%d nodes: range %d is %d wide, want %d", nodes, i, gap, want)
			}
		}
	}
}
