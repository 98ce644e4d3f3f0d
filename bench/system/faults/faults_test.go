//go:build linux

package faults

import (
	"os"
	"slices"
	"testing"
	"time"

	"go.uber.org/goleak"

	"millrace/ops/cluster/clustertest"
	"millrace/topics"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		// gocql sleeps out its reconnection pause after Close.
		goleak.IgnoreAnyFunction("github.com/gocql/gocql.(*Session).handleNodeUp"))
}

// One fault of each kind that counts most, on servers of its own. The long run is the command.
func TestACrawlOnRealServersSurvivesFaults(t *testing.T) {
	clustertest.NeedOwn(t)
	o := DefaultOptions()
	o.Dir, o.Faults, o.Seed = t.TempDir(), 4, uint64(time.Now().UnixNano())
	o.Kinds = []Kind{Kill, Freeze, Broker, Store}
	o.Log = os.Stderr
	t.Logf("seed %d", o.Seed)
	v, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range v.Offences {
		t.Error(x)
	}
	t.Logf("%+v", v)
	if v.Documents < 50*len(v.Faults) {
		t.Errorf("%d documents: too small a web", v.Documents)
	}
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
