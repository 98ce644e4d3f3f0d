//go:build linux

package faults

import (
	"slices"
	"testing"

	"go.uber.org/goleak"

	"millrace/topics"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

// A plan of 20 faults has every kind, and stops every group by itself once.
func TestAPlanHasEveryKindAndEveryGroup(t *testing.T) {
	for seed := range uint64(20) {
		o := DefaultOptions()
		o.Seed = seed
		kinds, groups := map[Kind]int{}, map[string]int{}
		for _, f := range plan(o) {
			kinds[f.Kind]++
			if f.Kind == Freeze {
				groups[f.Group]++
			}
		}
		for _, k := range Kinds() {
			if kinds[k] == 0 {
				t.Errorf("seed %d: no %s", seed, k)
			}
		}
		for _, g := range topics.GroupNames() {
			if groups[g] == 0 && g != "ranks" {
				t.Errorf("seed %d: %s is not stopped", seed, g)
			}
		}
	}
}

// Every topic is made anew, once while the processes run and once while none does.
func TestAPlanRecreatesEveryTopic(t *testing.T) {
	o := DefaultOptions()
	o.Kinds, o.Faults = []Kind{Recreate}, 2*len(topics.All())
	all := plan(o)
	for _, s := range topics.All() {
		for _, down := range []bool{false, true} {
			if !slices.ContainsFunc(all, func(f Fault) bool { return f.Topic == s.Name && f.Down == down }) {
				t.Errorf("%s, down %t, is missing", s.Name, down)
			}
		}
	}
}
