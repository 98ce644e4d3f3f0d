// Command ranks measures PageRank by pushes on a made graph: memory, time from nothing, time to
// take over a change of 1 %, and what the start values cost.
//
//	go run ./bench/ranks -pages 1000000
//
// The graph: 10 links a page, 70 % of them to pages of the same 500, the rest anywhere; of both,
// small numbers are more likely (a power law). It is made anew from a seed.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"time"

	"millrace/consumers/ranks/push"
)

func main() {
	pages := flag.Int("pages", 1_000_000, "pages of the graph")
	links := flag.Int("links", 10, "links a page")
	to := flag.Float64("to", 1e-4, "residual of a page at which a value counts as settled")
	starts := flag.Bool("starts", true, "compare start values, too")
	flag.Parse()
	if *pages < 1000 || *links < 1 || *to <= 0 {
		fmt.Fprintln(os.Stderr, "ranks: at least 1000 pages, 1 link a page, and a residual above 0")
		os.Exit(2)
	}
	b := bench{n: *pages, links: *links, to: *to, compare: *starts, random: rand.New(rand.NewPCG(1, 2))}
	b.run()
}

type bench struct {
	n, links int
	to       float64
	compare  bool
	random   *rand.Rand
	graph    *push.Graph
}

func (b *bench) run() {
	fmt.Printf("| run | links walked | of the graph's links | time |\n|---|---:|---:|---:|\n")
	b.graph = b.made()
	b.settle("from nothing, all values 0")
	values := b.values()
	b.change(b.n / 100)
	b.graph.Coarsen()
	changed := b.settle("1 % of the pages have other links")
	fresh := b.again(func(push.Node) float64 { return 0 }, "the changed graph from nothing")
	if b.compare {
		b.starts(values)
	}
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	fmt.Printf("\n%d pages, %d links: %.0f MB alive with values for comparison (%.0f bytes a page, 4 a link and room).\n",
		b.graph.Len(), b.graph.Links(), float64(m.HeapAlloc)/1e6, (float64(m.HeapAlloc)-8*float64(len(values)))/float64(b.n))
	fmt.Printf("A change of 1 %% costs %.1f %% of the links walked from nothing, and %.0f %% of the time.\n",
		100*float64(changed.walked)/float64(fresh.walked), 100*changed.took.Seconds()/fresh.took.Seconds())
}

// made is the graph without values.
func (b *bench) made() *push.Graph {
	g := push.New(push.Damping)
	for n := range b.n {
		g.Add(uint64(n) + 1)
	}
	for n := range b.n {
		g.Set(push.Node(n), b.targets(n))
	}
	return g
}

const host = 500

func (b *bench) targets(n int) []push.Node {
	out := make([]push.Node, 0, b.links)
	for range b.links {
		if b.random.IntN(10) < 7 {
			from := n / host * host
			out = append(out, push.Node(min(from+b.skewed(host), b.n-1)))
		} else {
			out = append(out, push.Node(b.skewed(b.n)))
		}
	}
	return out
}

// skewed is a number below n, where small ones are more likely.
func (b *bench) skewed(n int) int { return int(float64(n) * math.Pow(b.random.Float64(), 3)) }

func (b *bench) change(pages int) {
	for range pages {
		n := b.random.IntN(b.n)
		b.graph.Set(push.Node(n), b.targets(n))
	}
}

type result struct {
	walked int64
	took   time.Duration
}

func (b *bench) settle(what string) result {
	from, at := b.graph.Visited, time.Now()
	for !b.graph.Step(1<<24, b.to) {
	}
	r := result{b.graph.Visited - from, time.Since(at)}
	fmt.Printf("| %s | %d | %.2f | %.1f s |\n", what, r.walked, float64(r.walked)/float64(b.graph.Links()), r.took.Seconds())
	return r
}

func (b *bench) values() []float64 {
	v := make([]float64, b.graph.Len())
	for n := range v {
		v[n] = b.graph.Value(push.Node(n))
	}
	return v
}

// again settles the graph from other values. Its links stay.
func (b *bench) again(value func(push.Node) float64, what string) result {
	for n := range b.n {
		b.graph.Warm(push.Node(n), value(push.Node(n)))
	}
	b.graph.Coarsen()
	return b.settle(what)
}

// starts compares start values on the changed graph.
func (b *bench) starts(old []float64) {
	want := b.values()
	check := func() {
		worst := 0.0
		for n, v := range b.values() {
			worst = max(worst, math.Abs(v-want[n])/want[n])
		}
		fmt.Printf("|   differs from the first result by at most | %.1g | | |\n", worst)
	}
	b.again(func(push.Node) float64 { return 1 - push.Damping }, "start: 0.15 for all")
	check()
	b.again(func(push.Node) float64 { return 1 }, "start: 1 for all")
	check()
	in := b.inLinks()
	b.again(func(n push.Node) float64 { return .15 + .85*float64(in[n])/float64(b.links) }, "start: by number of in-links")
	check()
	b.again(func(push.Node) float64 { return 10 * b.random.Float64() }, "start: random, up to 10")
	check()
	b.again(func(n push.Node) float64 { return old[n] }, "start: values before the change")
	check()
	fmt.Printf("|   first ten pages | %v | | |\n", first(want, 10))
}

func (b *bench) inLinks() []int {
	in := make([]int, b.n)
	for n := range b.n {
		for _, t := range b.graph.Out(push.Node(n)) {
			in[t]++
		}
	}
	return in
}

// first are the numbers of the pages with the highest values.
func first(values []float64, n int) []int {
	all := make([]int, len(values))
	for i := range all {
		all[i] = i
	}
	slices.SortFunc(all, func(a, b int) int { return cmp.Compare(values[b], values[a]) })
	return all[:min(n, len(all))]
}
