package push

import "slices"

// Damping is the usual d: the share of its value that a page passes to its targets.
const Damping = 0.85

// Coarse and Fine are the first and the last threshold of residuals.
const (
	Coarse = 1e-2
	Fine   = 1e-9
)

// Node is the number of a page in the graph, counted from 0 in the order of Add.
type Node uint32

// Graph is a graph with the PageRank of each page. It is for one goroutine.
type Graph struct {
	d     float64
	index index
	ids   []uint64
	x, r  []float64
	out   lists

	queue   queue
	eps     float64 // threshold; pages with a residual above it are in the queue
	Visited int64   // links that were walked
}

// New returns a graph without pages, with damping d.
func New(d float64) *Graph { return &Graph{d: d, eps: Coarse} }

// Len is the number of pages.
func (g *Graph) Len() int { return len(g.ids) }

// Links is the number of links.
func (g *Graph) Links() int { return g.out.live }

// ID is the id of a page.
func (g *Graph) ID(n Node) uint64 { return g.ids[n] }

// Value is the PageRank of a page.
func (g *Graph) Value(n Node) float64 { return g.x[n] }

// Out returns the targets of a page, in ascending order. The slice must not be changed, and is
// valid until the next Set.
func (g *Graph) Out(n Node) []Node { return g.out.of(n) }

// Find returns the page with an id.
func (g *Graph) Find(id uint64) (Node, bool) { return g.index.find(g.ids, id) }

// Add returns the page with an id, and adds it if there is none.
func (g *Graph) Add(id uint64) Node {
	if n, ok := g.index.find(g.ids, id); ok {
		return n
	}
	n := Node(len(g.ids))
	g.ids = append(g.ids, id)
	g.index.add(g.ids, n)
	g.x, g.r = append(g.x, 0), append(g.r, 0)
	g.out.grow()
	g.raise(n, 1-g.d)
	return n
}

// Set replaces the links of a page. Repeated targets count once. It sorts targets in place.
func (g *Graph) Set(n Node, targets []Node) {
	slices.Sort(targets)
	targets = slices.Compact(targets)
	old := g.out.of(n)
	if slices.Equal(old, targets) {
		return
	}
	if x := g.x[n]; x != 0 {
		g.spread(old, -g.d*x)
		g.spread(targets, g.d*x)
	}
	g.out.set(n, targets)
}

// Warm sets the value of a page before its links are known, for a start that is not 0.
func (g *Graph) Warm(n Node, x float64) {
	by := x - g.x[n]
	g.x[n] = x
	g.raise(n, -by)
	g.spread(g.out.of(n), g.d*by)
}

// spread adds equal parts of amount to the residuals of pages.
func (g *Graph) spread(to []Node, amount float64) {
	if len(to) == 0 {
		return
	}
	part := amount / float64(len(to))
	for _, t := range to {
		g.raise(t, part)
	}
	g.Visited += int64(len(to))
}

func (g *Graph) raise(n Node, by float64) {
	g.r[n] += by
	if v := g.r[n]; v > g.eps || v < -g.eps {
		g.queue.put(n)
	}
}

// Coarsen raises the threshold to Coarse, so that after changes the large residuals are pushed
// first.
func (g *Graph) Coarsen() { g.eps = Coarse }

// Step pushes until about the given number of links were walked, or no residual is above the
// threshold to. It reports whether none is.
func (g *Graph) Step(links int64, to float64) (done bool) {
	for end := g.Visited + links; g.Visited < end; {
		n, ok := g.queue.take()
		if !ok {
			if g.eps <= to {
				return true
			}
			g.refine(to)
			continue
		}
		g.push(n)
	}
	return false
}

func (g *Graph) push(n Node) {
	r := g.r[n]
	g.x[n] += r
	g.r[n] = 0
	g.Visited++
	g.spread(g.out.of(n), g.d*r)
}

// refine lowers the threshold to a tenth, but not below to, and puts the pages above it into the
// queue.
func (g *Graph) refine(to float64) {
	g.eps = max(g.eps/10, to)
	for n, v := range g.r {
		if v > g.eps || v < -g.eps {
			g.queue.put(Node(n))
		}
	}
}
