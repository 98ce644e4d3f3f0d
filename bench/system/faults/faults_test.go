//go:build linux

package faults

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"millrace/ops/cluster/clustertest"
	"millrace/topics"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

// Three processes on servers of their own, of which one is killed, a fourth comes and goes, broker
// and store are killed: the documents are those of the truth, and all the rest that Run checks
// holds. Bounds on waiting are ten times those of a run by hand: what is slow is not wrong.
func TestFourFaultsLoseNothing(t *testing.T) {
	clustertest.NeedOwn(t)
	o := DefaultOptions()
	o.Kinds, o.Faults = []Kind{Kill, Broker, Store, Join}, 4
	o.Hosts, o.Pages, o.Between, o.Delay, o.Patience = 6, 60, 30, 300*time.Millisecond, 10
	o.Dir, o.Log = t.TempDir(), t.Output()
	v, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	for _, x := range v.Offences {
		t.Error(x)
	}
	if v.Documents == 0 || v.Requests < 4*o.Between {
		t.Errorf("%d documents after %d requests: too little was done to show anything", v.Documents, v.Requests)
	}
	if t.Failed() {
		complaints(t, o.Dir)
	}
	t.Logf("%d faults in %s: %d requests, %d documents, least gap %s", len(v.Faults), v.Took, v.Requests, v.Documents, v.Least)
}

// complaints prints what the processes said was wrong, but for what a fault explains by itself.
func complaints(t *testing.T, dir string) {
	files, err := filepath.Glob(filepath.Join(dir, "*.log"))
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		all, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(all)) {
			if strings.Contains(line, "level=ERROR") || strings.Contains(line, "for ever") || strings.Contains(line, "new era") {
				t.Logf("%s: %.300s", filepath.Base(file), line)
			}
		}
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
