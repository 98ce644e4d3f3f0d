package simulator

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"millrace/bench/system/simulator/plan"
)

// seeds is how many plans every change must pass; any number: go run ./cmd -for 8h
const seeds = 200

// program builds what runs plans.
func program(t *testing.T) Runner {
	t.Helper()
	dir := filepath.Join(os.TempDir(), "millrace-simulator")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	r := Runner{Dir: t.TempDir()}
	bin, err := Build(t.Context(), dir, r.Dir, false)
	if err != nil {
		t.Fatal(err)
	}
	r.Program = bin
	return r
}

// TestTheInvariantsHoldWhateverHappens is the reason for this package.
func TestTheInvariantsHoldWhateverHappens(t *testing.T) {
	r := program(t)
	list := make(chan uint64, seeds)
	for s := range uint64(seeds) {
		list <- s + 1
	}
	close(list)
	runs, kinds := 0, map[plan.Kind]int{}
	err := r.Seeds(t.Context(), list, func(res Result) {
		runs++
		for _, f := range res.Faults {
			kinds[f.Kind]++
		}
		if len(res.Offences) > 0 {
			t.Errorf("%s%s\n%s\nreplay: go run ./bench/system/simulator/cmd -seed %d -shrink", res.Plan, strings.Join(res.Offences, "\n"), res.Stacks(), res.Seed)
		}
	})
	if err != nil {
		t.Error(err)
	}
	t.Logf("%d runs, faults: %v", runs, kinds)
	for _, k := range plan.Kinds() {
		if kinds[k] == 0 {
			t.Errorf("no run had a %s", k)
		}
	}
}

// TestBrokenInvariantsAreFound protects the checks: what is broken on purpose must be named.
func TestBrokenInvariantsAreFound(t *testing.T) {
	r := program(t)
	p := plan.New(3)
	p.Hosts, p.Pages, p.Partitions = 6, 20, 1
	p.Faults = []plan.Fault{{Kind: plan.Sabotage, Phase: plan.Phases - 1}}
	res, err := r.Run(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	for _, label := range []string{"I1", "I2", "I3", "I4", "I5", "I6", "I8", "I9", "I11", "I12", "I13"} {
		if !slices.ContainsFunc(res.Offences, func(o string) bool { return strings.HasPrefix(o, label+":") }) {
			t.Errorf("%s was broken and not said: %v", label, res.Offences)
		}
	}
}
