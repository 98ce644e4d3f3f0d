// Package grow fits a forest to labelled rows: gradient boosting of the logistic loss over
// histograms, leaf by leaf.
//
// The same rows and Settings grow the same forest, on any machine.
package grow

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"millrace/consumers/extract/forest"
)

// table is the training data: rows of columns, cut into at most 255 bins a column.
type table struct {
	rows, columns int
	bins          [][]uint8   // by column
	edges         [][]float32 // upper end of each bin
	y, weight     []float32
}

const maxBins = 64

func newTable(columns int, data [][]float32, y, weight []float32) *table {
	t := &table{rows: len(y), columns: columns, y: y, weight: weight}
	t.bins, t.edges = make([][]uint8, columns), make([][]float32, columns)
	eachColumn(columns, func(c int) { t.edges[c], t.bins[c] = cut(data, columns, c, t.rows) })
	return t
}

// cut finds quantiles of a column in a sample and bins all of it. data is a list of row-major
// pieces.
func cut(data [][]float32, columns, c, rows int) ([]float32, []uint8) {
	values := make([]float32, 0, rows)
	for _, piece := range data {
		for i := c; i < len(piece); i += columns {
			values = append(values, piece[i])
		}
	}
	sample := make([]float32, 0, 1<<16)
	step := max(rows/(1<<16), 1)
	for i := 0; i < rows; i += step {
		sample = append(sample, values[i])
	}
	slices.Sort(sample)
	var edges []float32
	for b := 1; b < maxBins; b++ {
		v := sample[b*len(sample)/maxBins]
		if len(edges) == 0 || v > edges[len(edges)-1] {
			edges = append(edges, v)
		}
	}
	bins := make([]uint8, rows)
	for i, v := range values {
		b, _ := slices.BinarySearch(edges, v)
		bins[i] = uint8(b)
	}
	return edges, bins
}

// Settings of the growth: shallow trees, many of them, each seeing part of rows and columns.
type Settings struct {
	Trees, Leaves int
	Rate          float64 // how much of each tree's answer counts
	MinWeight     float64 // least sum of second derivatives in a leaf
	Lambda        float64 // doubt added to every leaf
	RowShare      float64 // of the rows a tree sees
	ColumnShare   float64 // of the columns a tree sees
	Seed          uint64
	Fits          int // forests of which the mean is taken, each with a Seed one higher; 0: one
}

// DefaultSettings suit some hundred thousand rows.
func DefaultSettings() Settings {
	return Settings{Trees: 180, Leaves: 20, Rate: 0.07, MinWeight: 2, Lambda: 2, RowShare: 0.5, ColumnShare: 0.5, Seed: 1}
}

// Forest fits trees to the gradient of the logistic loss, one after the other (Friedman, Stochastic
// Gradient Boosting, 2002). With more than one Fit it does so again, with other samples of rows and
// columns, and takes the mean of all answers: what one sample happens to hold counts less (Breiman,
// Bagging Predictors, 1996).
func Forest(columns int, data [][]float32, y, weight []float32, s Settings) *forest.Forest {
	t := newTable(columns, data, y, weight)
	bias := prior(t)
	var trees []*forest.Tree
	for fit := range max(s.Fits, 1) {
		trees = append(trees, boost(t, bias, s, rand.New(rand.NewPCG(s.Seed+uint64(fit), 2)))...)
	}
	return forest.New(float32(bias), trees)
}

// boost fits the trees of one fit.
func boost(t *table, bias float64, s Settings, rng *rand.Rand) (trees []*forest.Tree) {
	score := make([]float64, t.rows)
	for i := range score {
		score[i] = bias
	}
	g, h := make([]float32, t.rows), make([]float32, t.rows)
	for range s.Trees {
		gradients(t, score, g, h)
		b := &builder{t: t, s: s, g: g, h: h, rows: sampleRows(t, s, rng), columns: sampleColumns(t, s, rng)}
		tree := b.tree()
		trees = append(trees, tree.export(t, 1/float64(max(s.Fits, 1))))
		tree.apply(t, score)
	}
	return trees
}

func prior(t *table) float64 {
	var p, n float64
	for i := range t.y {
		p += float64(t.y[i] * t.weight[i])
		n += float64(t.weight[i])
	}
	return math.Log(p / (n - p))
}

func gradients(t *table, score []float64, g, h []float32) {
	for i, s := range score {
		p := 1 / (1 + math.Exp(-s))
		w := float64(t.weight[i])
		g[i], h[i] = float32(w*(p-float64(t.y[i]))), float32(w*p*(1-p))
	}
}

func sampleRows(t *table, s Settings, rng *rand.Rand) []int32 {
	rows := make([]int32, 0, t.rows)
	for i := range t.rows {
		if t.weight[i] > 0 && rng.Float64() < s.RowShare {
			rows = append(rows, int32(i))
		}
	}
	return rows
}

func sampleColumns(t *table, s Settings, rng *rand.Rand) []int {
	columns := rng.Perm(t.columns)[:int(math.Ceil(float64(t.columns)*s.ColumnShare))]
	slices.Sort(columns)
	return columns
}

type builder struct {
	t       *table
	s       Settings
	g, h    []float32
	rows    []int32
	columns []int
}

// branch is a node in growth.
type branch struct {
	rows     []int32
	g, h     float64
	hist     []cell // columns x maxBins
	gain     float64
	column   int
	bin      uint8
	value    float64
	yes, no  *branch
	terminal bool
}

type cell struct{ g, h float64 }

// tree splits the leaf with the largest gain until there are enough.
func (b *builder) tree() *branch {
	root := &branch{rows: b.rows}
	b.histogram(root)
	b.best(root)
	leaves := []*branch{root}
	for len(leaves) < b.s.Leaves {
		next := slices.MaxFunc(leaves, func(x, y *branch) int { return cmp.Compare(x.gain, y.gain) })
		if next.gain <= 1e-6 {
			break
		}
		b.split(next)
		leaves = slices.DeleteFunc(leaves, func(l *branch) bool { return l == next })
		leaves = append(leaves, next.yes, next.no)
	}
	for _, l := range leaves {
		l.value = -b.s.Rate * l.g / (l.h + b.s.Lambda)
		l.terminal = true
		l.hist = nil
	}
	return root
}

func (b *builder) histogram(n *branch) {
	n.hist = make([]cell, len(b.columns)*maxBins)
	n.g, n.h = 0, 0
	near := make([]cell, len(n.rows)) // side by side: the columns pass over them one after the other
	for i, r := range n.rows {
		near[i] = cell{float64(b.g[r]), float64(b.h[r])}
		n.g += near[i].g
		n.h += near[i].h
	}
	eachColumn(len(b.columns), func(k int) {
		bins := b.t.bins[b.columns[k]]
		cells := n.hist[k*maxBins : (k+1)*maxBins]
		for i, r := range n.rows {
			c := &cells[bins[r]]
			c.g += near[i].g
			c.h += near[i].h
		}
	})
}

func (b *builder) best(n *branch) {
	n.gain = 0
	base := n.g * n.g / (n.h + b.s.Lambda)
	for k := range b.columns {
		var g, h float64
		for bin := range maxBins - 1 {
			c := n.hist[k*maxBins+bin]
			g += c.g
			h += c.h
			if h < b.s.MinWeight || n.h-h < b.s.MinWeight {
				continue
			}
			gain := g*g/(h+b.s.Lambda) + (n.g-g)*(n.g-g)/(n.h-h+b.s.Lambda) - base
			if gain > n.gain && bin < len(b.t.edges[b.columns[k]]) {
				n.gain, n.column, n.bin = gain, b.columns[k], uint8(bin)
			}
		}
	}
}

func (b *builder) split(n *branch) {
	bins := b.t.bins[n.column]
	n.yes, n.no = &branch{}, &branch{}
	for _, r := range n.rows {
		if bins[r] <= n.bin {
			n.yes.rows = append(n.yes.rows, r)
		} else {
			n.no.rows = append(n.no.rows, r)
		}
	}
	small, large := n.yes, n.no
	if len(small.rows) > len(large.rows) {
		small, large = large, small
	}
	b.histogram(small)
	large.g, large.h = n.g-small.g, n.h-small.h
	large.hist = n.hist
	for i := range large.hist {
		large.hist[i].g -= small.hist[i].g
		large.hist[i].h -= small.hist[i].h
	}
	n.rows, n.hist, n.gain = nil, nil, 0
	b.best(small)
	b.best(large)
}

// export returns the tree with the share of its answers that counts.
func (n *branch) export(t *table, share float64) *forest.Tree {
	if n.terminal {
		return &forest.Tree{Value: float32(n.value * share)}
	}
	return &forest.Tree{Feature: n.column, Value: t.edges[n.column][n.bin], Yes: n.yes.export(t, share), No: n.no.export(t, share)}
}

// apply adds the tree's answer to every row, sampled or not.
func (n *branch) apply(t *table, score []float64) {
	halves(t.rows, func(from, to int) {
		for i := from; i < to; i++ {
			at := n
			for !at.terminal {
				if t.bins[at.column][i] <= at.bin {
					at = at.yes
				} else {
					at = at.no
				}
			}
			score[i] += at.value
		}
	})
}

// eachColumn runs f for every column on two goroutines.
func eachColumn(n int, f func(int)) {
	var wait sync.WaitGroup
	for part := range 2 {
		wait.Go(func() {
			for c := part; c < n; c += 2 {
				f(c)
			}
		})
	}
	wait.Wait()
}

func halves(n int, f func(from, to int)) {
	var wait sync.WaitGroup
	wait.Go(func() { f(0, n/2) })
	wait.Go(func() { f(n/2, n) })
	wait.Wait()
}
