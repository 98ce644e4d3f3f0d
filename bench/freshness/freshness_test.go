package main

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The shipped rule is better than asking all pages equally often, within the budget, and
// the simulation agrees with the closed form of the optimum.
func TestTheShippedRuleIsNearTheOptimum(t *testing.T) {
	m := defaultModel()
	m.Hosts, m.Pages = 2, 300
	ours := measure(m, func() rule { return &shipped{} }, .5, 1, 1)
	even := measure(m, uniform, .5, 1, 1)
	best := measure(m, optimum, .5, 1, 1)
	if ours.fresh < even.fresh*1.02 || ours.used > 1.03*ours.hosts {
		t.Errorf("freshness %v, evenly %v, budget used %.3f", ours, even, ours.used/ours.hosts)
	}
	if r := best.fresh / best.best; r < .97 || r > 1.03 {
		t.Errorf("the optimum reaches %.3f of its closed form", r)
	}
}
