package push

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"millrace/bench/outside"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func graphOf(d float64, edges map[uint64][]uint64) *Graph {
	g := New(d)
	for from, to := range edges {
		n := g.Add(from)
		var targets []Node
		for _, id := range to {
			targets = append(targets, g.Add(id))
		}
		g.Set(n, targets)
	}
	return g
}

func (g *Graph) settle() {
	for !g.Step(1<<20, Fine) {
	}
}

func (g *Graph) of(id uint64) float64 {
	n, _ := g.Find(id)
	return g.Value(n)
}

func TestTheSampleGraph(t *testing.T) {
	g := graphOf(Damping, map[uint64][]uint64{1: {2, 3}, 2: {1}, 3: nil})
	g.settle()
	for id, want := range map[uint64]string{1: "0.434442", 2: "0.334638", 3: "0.334638"} {
		if got := fmt.Sprintf("%.6f", g.of(id)); got != want {
			t.Errorf("PR(%d) = %s, want %s", id, got, want)
		}
	}
}

// A graph that was changed step by step, with or without Steps in between, has the values of the
// same graph made at once.
func TestChangesLeadToTheSameAsTheWholeGraph(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	g, edges := New(Damping), map[uint64][]uint64{}
	for range 2000 {
		from := r.Uint64N(200) + 1
		edges[from] = nil
		var targets []Node
		for range r.IntN(8) {
			to := r.Uint64N(200) + 1
			edges[from] = append(edges[from], to)
			targets = append(targets, g.Add(to))
		}
		g.Set(g.Add(from), targets)
		if r.IntN(3) == 0 {
			g.Step(int64(r.IntN(1000)), Coarse)
		}
		if r.IntN(100) == 0 {
			g.settle()
			g.Coarsen()
		}
	}
	g.Coarsen()
	g.settle()
	whole := graphOf(Damping, edges)
	whole.settle()
	for id := range edges {
		if d := math.Abs(g.of(id) - whole.of(id)); d > 1e-6 {
			t.Errorf("page %d: %g after changes, %g at once", id, g.of(id), whole.of(id))
		}
	}
	links := 0
	for n := range g.Len() {
		links += len(g.Out(Node(n)))
	}
	if links != g.Links() || links != whole.Links() {
		t.Errorf("%d links, counted %d, at once %d", links, g.Links(), whole.Links())
	}
}

// reference compares with values that sum to 1, where a page without links passes its value to all
// pages: the values here are the same up to a factor.
func reference(t *testing.T, g *Graph, want map[uint64]float64, most float64) {
	t.Helper()
	for id := range want {
		g.Add(id) // some have no link at all
	}
	g.settle()
	sum, worst := 0.0, 0.0
	for n := range g.Len() {
		sum += g.Value(Node(n))
	}
	for id, w := range want {
		worst = max(worst, math.Abs(g.of(id)/sum-w))
	}
	if len(want) == 0 || worst > most {
		t.Errorf("%d values, the worst is wrong by %g, more than %g", len(want), worst, most)
	}
	t.Logf("%d pages, %d links, worst difference %.2g", g.Len(), g.Links(), worst)
}

func TestReferenceValues(t *testing.T) {
	dir := outside.Need(t, "pagerank")
	t.Run("hollins", func(t *testing.T) {
		g := graphOf(Damping, readEdges(t, dir, "hollins_edges.txt"))
		reference(t, g, readValues(t, dir, "hollins_pagerank_networkx.tsv", 1), 1e-6)
	})
	t.Run("miniweb", func(t *testing.T) {
		g := graphOf(Damping, readEdges(t, dir, "miniweb_edges.tsv.gz"))
		reference(t, g, readValues(t, dir, "miniweb_nodes_pagerank.tsv.gz", 2), 1e-6)
	})
	var known []struct {
		Name     string
		Damping  float64
		Tol      float64 `json:"tol_abs"`
		Nodes    []uint64
		Edges    [][2]uint64
		PageRank map[string]float64
	}
	b, err := os.ReadFile(filepath.Join(dir, "known_values.json"))
	if err == nil {
		err = json.Unmarshal(b, &known)
	}
	if err != nil || len(known) == 0 {
		t.Fatalf("%d graphs: %v", len(known), err)
	}
	for _, k := range known {
		if k.Tol == 0 { // a few steps of iteration, not the result
			continue
		}
		t.Run(k.Name, func(t *testing.T) {
			edges, want := map[uint64][]uint64{}, map[uint64]float64{}
			for _, n := range k.Nodes {
				edges[n] = nil
			}
			for _, e := range k.Edges {
				edges[e[0]] = append(edges[e[0]], e[1])
			}
			for name, v := range k.PageRank {
				n, err := strconv.ParseUint(name, 10, 64)
				if err != nil {
					t.Fatal(err)
				}
				want[n] = v
			}
			reference(t, graphOf(k.Damping, edges), want, k.Tol)
		})
	}
}

// lines calls fn with the words of each line.
func lines(t *testing.T, dir, name string, fn func([]string)) {
	t.Helper()
	f, err := os.Open(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var in io.Reader = f
	if strings.HasSuffix(name, ".gz") {
		if in, err = gzip.NewReader(f); err != nil {
			t.Fatal(err)
		}
	}
	for s := bufio.NewScanner(in); s.Scan(); {
		if !strings.HasPrefix(s.Text(), "#") {
			fn(strings.Fields(s.Text()))
		}
	}
}

func readEdges(t *testing.T, dir, name string) map[uint64][]uint64 {
	edges := map[uint64][]uint64{}
	lines(t, dir, name, func(w []string) {
		from, err1 := strconv.ParseUint(w[0], 10, 64)
		to, err2 := strconv.ParseUint(w[1], 10, 64)
		if err1 != nil || err2 != nil {
			t.Fatal(w)
		}
		edges[from+1] = append(edges[from+1], to+1)
	})
	return edges
}

func readValues(t *testing.T, dir, name string, column int) map[uint64]float64 {
	values := map[uint64]float64{}
	lines(t, dir, name, func(w []string) {
		n, err1 := strconv.ParseUint(w[0], 10, 64)
		v, err2 := strconv.ParseFloat(w[len(w)-1], 64)
		if err1 != nil || err2 != nil || len(w) <= column {
			t.Fatal(w)
		}
		values[n+1] = v
	})
	return values
}
