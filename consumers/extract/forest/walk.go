package forest

import (
	"math"
	"sync"
)

// A table of rows is evaluated four rows at a time, without a branch that depends on a value: a
// step is a load, a comparison and an addition, and while one row waits for its load the others go
// on. Before that, the trees are reduced for the table: a node at which all rows go the same way,
// because the values of its feature are in a narrow range or equal for the whole page, is removed.
// For a page of a manual this takes less than half the time of QuickScorer (Lucchese and others,
// SIGIR 2015).

// The bounds of walk; beyond them a forest is evaluated row by row.
const (
	maxLeaves  = 32  // of a tree
	maxColumns = 127 // of a table
	fewRows    = 8   // with fewer rows the reduction costs more than it saves
	lanes      = 4   // rows evaluated together
	treeSteps  = 2 * maxLeaves
)

// stages are the groups of trees after each of which rows that are sure are skipped.
const stages = 3

// A step is a node: the upper half is the value as a key, then come 16 bits of lanes * (feature +
// 1), then 16 bits with the place of the node for "at most"; the node for "above" is the next one.
// A leaf compares column 0, which is 0, and leads to itself.
type step = uint64

// cutting is the memory for the reduced trees of one table.
type cutting struct {
	steps  []step
	answer []float32 // of the leaves, at the same places
	trees  []cut
	least  [maxColumns]float32
	most   [maxColumns]float32
	block  [lanes * (maxColumns + 1)]int64
	next   int
}

// cut is a reduced tree: where it begins and how deep it is.
type cut struct{ from, depth int }

var cuttings = sync.Pool{New: func() any { return &cutting{} }}

// walked reports whether a table can be evaluated by walk.
func (f *Forest) walked(rows, columns int) bool {
	return rows >= fewRows && columns <= maxColumns && f.widest <= maxLeaves
}

// walk adds to totals the sums of the trees for the rows of a table. Rows that are sure are skipped
// in later stages.
func (f *Forest) walk(rows []float32, columns int, totals []float32) {
	c := cuttings.Get().(*cutting)
	defer cuttings.Put(c)
	c.ranges(rows, columns)
	open := make([]int32, len(totals))
	for i := range open {
		open[i] = int32(i)
	}
	for stage := range stages {
		from, to := f.stage(stage)
		same := c.cut(f, f.roots[from:to])
		for at := 0; at < len(open); at += lanes {
			group := open[at:min(at+lanes, len(open))]
			c.load(rows, columns, group)
			var sums [lanes]float32
			c.ask(&sums)
			for k, row := range group {
				totals[row] += sums[k] + same
			}
		}
		kept := open[:0]
		for _, row := range open {
			if t := totals[row]; t <= sure && t >= -sure {
				kept = append(kept, row)
			}
		}
		open = kept
	}
}

// stage returns the trees of a stage: the first firstTrees, then equal parts of the rest.
func (f *Forest) stage(n int) (from, to int) {
	first := min(firstTrees, len(f.roots))
	if n == 0 {
		return 0, first
	}
	rest := len(f.roots) - first
	return first + rest*(n-1)/(stages-1), first + rest*n/(stages-1)
}

// ranges finds the least and the greatest value of each column. A NaN counts as greater than
// everything, as in Odds.
func (c *cutting) ranges(rows []float32, columns int) {
	least, most := c.least[:columns], c.most[:columns]
	copy(least, rows)
	copy(most, rows)
	for ; len(rows) >= columns; rows = rows[columns:] {
		for i, x := range rows[:columns] {
			if x < least[i] {
				least[i] = x
			} else if x > most[i] || x != x {
				most[i] = x
			}
		}
	}
}

// cut writes the reduced trees of the table, and returns the sum that is equal for all rows.
func (c *cutting) cut(f *Forest, roots []int32) (same float32) {
	c.trees, c.next = c.trees[:0], 0
	if room := treeSteps * (len(roots) + 1); len(c.steps) < room {
		c.steps, c.answer = make([]step, room), make([]float32, room)
	}
	for _, root := range roots {
		root = c.skip(f, root)
		if f.nodes[root].feature < 0 {
			same += f.nodes[root].value
			continue
		}
		from := c.next
		c.next++
		depth := c.plant(f, root, from, from)
		c.trees = append(c.trees, cut{from, depth})
	}
	return same
}

// skip goes from a node to the first one at which rows of the table go both ways, or to a leaf.
func (c *cutting) skip(f *Forest, at int32) int32 {
	for {
		n := &f.nodes[at]
		switch {
		case n.feature < 0:
			return at
		case c.most[n.feature] <= n.value:
			at = n.left
		case c.least[n.feature] > n.value:
			at = n.right
		default:
			return at
		}
	}
}

// plant writes a node and the nodes below it, and returns the depth.
func (c *cutting) plant(f *Forest, at int32, place, from int) (depth int) {
	n := &f.nodes[at]
	if n.feature < 0 {
		c.steps[place] = step(place - from)
		c.answer[place] = n.value
		return 0
	}
	yes := c.next
	c.next += 2
	c.steps[place] = step(uint32(key(n.value)))<<32 | step(lanes*(n.feature+1))<<16 | step(yes-from)
	return 1 + max(c.plant(f, c.skip(f, n.left), yes, from), c.plant(f, c.skip(f, n.right), yes+1, from))
}

// load puts the values of four rows side by side.
func (c *cutting) load(rows []float32, columns int, group []int32) {
	for k, row := range group {
		for i, x := range rows[int(row)*columns : (int(row)+1)*columns] {
			c.block[(lanes*(i+1)+k)&(len(c.block)-1)] = int64(key(x))
		}
	}
}

// ask evaluates all trees for the rows that were loaded.
func (c *cutting) ask(sums *[lanes]float32) {
	block := &c.block
	for _, tree := range c.trees {
		steps := (*[treeSteps]step)(c.steps[tree.from:])
		var i, j, k, l step
		for range tree.depth {
			s, t, u, v := steps[i%treeSteps], steps[j%treeSteps], steps[k%treeSteps], steps[l%treeSteps]
			i = s - step((int64(s)>>32-block[s>>16%512])>>63)
			j = t - step((int64(t)>>32-block[t>>16%512|1])>>63)
			k = u - step((int64(u)>>32-block[u>>16%512|2])>>63)
			l = v - step((int64(v)>>32-block[v>>16%512|3])>>63)
		}
		answer := (*[treeSteps]float32)(c.answer[tree.from:])
		sums[0] += answer[i%treeSteps]
		sums[1] += answer[j%treeSteps]
		sums[2] += answer[k%treeSteps]
		sums[3] += answer[l%treeSteps]
	}
}

// key maps a float to an integer with the same order: 0 for 0, the greatest for NaN.
func key(x float32) int32 {
	if x != x {
		return math.MaxInt32
	}
	b := int32(math.Float32bits(x + 0)) // -0 is 0
	return b ^ int32(uint32(b>>31)>>1)
}
