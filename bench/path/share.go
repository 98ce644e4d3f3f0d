package main

import (
	"cmp"
	"slices"
	"strings"
)

// share is the part of the CPU time that went into something.
type share struct {
	Name string
	Part float64 // of 1
}

// kind gives a name to frames by the prefix of their function.
type kind struct{ prefix, name string }

// kinds are looked for from the leaf of a stack to its root; the first frame that
// has one decides. So the store's work for schedule counts as pebble, whatever
// stage asked for it, and the broker's as kfake.
func kinds() []kind {
	return []kind{
		{"github.com/cockroachdb/", "state (Pebble)"},
		{"millrace/streams/state", "state (ours)"},
		{"github.com/twmb/franz-go/pkg/kfake", "broker (kfake)"},
		{"github.com/twmb/franz-go", "client (kgo)"},
		{"millrace/streams", "streams"},
		{"millrace/consumers/schedule", "schedule"},
		{"millrace/consumers/fetch", "fetch"},
		{"millrace/consumers/extract", "extract"},
		{"millrace/consumers/dedupe", "dedupe"},
		{"millrace/consumers/index", "index"},
		{"millrace/consumers/links", "links"},
		{"millrace/consumers/ranks", "ranks"},
		{"github.com/blevesearch", "index"},
		{"github.com/RoaringBitmap", "index"},
		{"net/http", "fetch"},
		{"millrace/ops", "watch and web"},
	}
}

// sharesOf says where the CPU time of a profile went, greatest first. What the
// collector does, assists and sweeps included, is garbage collection, whoever
// made the garbage.
func sharesOf(file string) ([]share, error) {
	samples, err := readProfile(file)
	if err != nil {
		return nil, err
	}
	cpu, total := map[string]int64{}, int64(0)
	for _, s := range samples {
		cpu[s.kind()] += s.cpu
		total += s.cpu
	}
	var out []share
	for name, n := range cpu {
		out = append(out, share{name, float64(n) / float64(total)})
	}
	slices.SortFunc(out, func(a, b share) int { return cmp.Compare(b.Part, a.Part) })
	return out, nil
}

func (s sample) kind() string {
	for _, f := range s.stack {
		if strings.HasPrefix(f, "runtime.gc") || strings.HasPrefix(f, "runtime.bgs") || f == "runtime.deductSweepCredit" {
			return "garbage collection"
		}
	}
	for _, f := range s.stack {
		for _, k := range kinds() {
			if strings.HasPrefix(f, k.prefix) {
				return k.name
			}
		}
	}
	return "Go runtime and other"
}
