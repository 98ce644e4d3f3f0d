//go:build linux

package faults

import (
	"math/rand/v2"
	"slices"

	"millrace/topics"
)

// Kind is the kind of a fault.
type Kind string

// The kinds. The package comment says what each does.
const (
	Kill   Kind = "kill"
	Pause  Kind = "pause"
	Freeze Kind = "freeze"
	Broker Kind = "broker"
	Store  Kind = "store"
	Join   Kind = "join"

	Recreate Kind = "recreate"
)

// Kinds lists the kinds that leave no trace: they are drawn from if none is named.
func Kinds() []Kind { return []Kind{Kill, Broker, Freeze, Store, Join, Pause} }

// Fault is one thing that goes wrong.
type Fault struct {
	Kind    Kind
	Group   string // of Freeze
	Process int    // of Kill
	Topic   string // of Recreate
	Down    bool   // of Recreate: while no process runs
}

// String tells a fault in a word or two.
func (f Fault) String() string {
	switch {
	case f.Kind == Freeze:
		return "freeze " + f.Group
	case f.Kind == Recreate && f.Down:
		return "recreate " + f.Topic + " while no process runs"
	case f.Kind == Recreate:
		return "recreate " + f.Topic
	}
	return string(f.Kind)
}

// plan draws faults: each kind once before one comes twice, then those of the rest that were asked
// for, mostly Freeze, until it has had every group.
func plan(o Options) []Fault {
	r := rand.New(rand.NewPCG(o.Seed, 1))
	kinds := o.Kinds
	if len(kinds) == 0 {
		kinds = Kinds()
	}
	groups := freezable()
	r.Shuffle(len(groups), func(i, j int) { groups[i], groups[j] = groups[j], groups[i] })
	var out []Fault
	froze, made := 0, 0
	all := topics.All()
	for i := range o.Faults {
		k := kinds[i%len(kinds)]
		if i >= len(kinds) && i%2 == 1 && slices.Contains(kinds, Freeze) && froze < len(groups) {
			k = Freeze
		}
		f := Fault{Kind: k, Process: r.IntN(members)}
		if k == Freeze {
			f.Group = groups[froze%len(groups)]
			froze++
		}
		if k == Recreate {
			i, again := made%len(all), made/len(all)
			f.Topic, f.Down = all[i].Name, (i+again)%2 == 1
			made++
		}
		out = append(out, f)
	}
	r.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// freezable lists the groups of which a fourth process gets a partition. The only partition of
// ranks stays where it is: Pause is for it.
func freezable() []string {
	return slices.DeleteFunc(topics.GroupNames(), func(g string) bool { return g == "ranks" })
}
