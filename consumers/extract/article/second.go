package article

import "strings"

// The second reading adds, as features of a block, the first probabilities of its neighbours: a
// paragraph between paragraphs of the article is one of them, and a heading belongs to the text
// below it.
const (
	sOwn feature = featureCount + iota
	sPrev
	sPrev2
	sNext
	sNext2
	sNear
	sBefore
	sAfter
	sParent
	sGrand
	sGroup
	sPage
	sRun
	sTopBox
	secondCount
)

const secondNames = featureNames + ` p-own p-prev p-prev2 p-next p-next2 p-near p-before p-after p-parent p-grand p-group p-page p-run p-top`

// SecondNames returns the names of the features of the second reading.
func SecondNames() []string { return strings.Fields(secondNames) }

// Second extends the rows of the first reading by features from its probabilities.
func (r *Reading) Second(rows, p []float32) []float32 {
	which := make([]int, len(r.p.Blocks))
	for i := range which {
		which[i] = i
	}
	return r.SecondOf(which, rows, p)
}

// SecondOf is Second for some of the blocks.
func (r *Reading) SecondOf(which []int, rows, p []float32) []float32 {
	if len(which) == 0 {
		return nil
	}
	n := len(r.p.Blocks)
	mass := make([]float32, n+1) // prefix sums of probability times words
	group := make(map[uint64]float32, len(r.groups))
	for i := range r.p.Blocks {
		b := &r.p.Blocks[i]
		mass[i+1] = mass[i] + p[i]*float32(b.Words)
		group[r.boxes[b.Box].path] += p[i] * float32(b.Words)
	}
	mean := func(from, to int) float32 {
		from, to = max(from, 0), min(to, n)
		if from >= to {
			return -1
		}
		return (mass[to] - mass[from]) / float32(max(r.over(from, to).words, 1))
	}
	first, last := r.firstAndLast(p)
	out := make([]float32, len(which)*int(secondCount))
	for k, i := range which {
		row := out[k*int(secondCount) : (k+1)*int(secondCount)]
		copy(row, rows[i*int(featureCount):(i+1)*int(featureCount)])
		row[sOwn] = p[i]
		row[sPrev], row[sPrev2] = at(p, i-1), at(p, i-2)
		row[sNext], row[sNext2] = at(p, i+1), at(p, i+2)
		row[sNear] = mean(i-3, i+4)
		row[sBefore], row[sAfter] = mean(i-8, i), mean(i+1, i+9)
		row[sParent], row[sGrand] = -1, -1
		box := r.p.Blocks[i].Box
		if parent := r.parentOf(box); parent >= 0 {
			row[sParent] = mean(r.p.Boxes[parent].First, r.p.Boxes[parent].Last)
			if grand := r.parentOf(parent); grand >= 0 {
				row[sGrand] = mean(r.p.Boxes[grand].First, r.p.Boxes[grand].Last)
			}
		}
		path := r.boxes[box].path
		row[sGroup] = group[path] / float32(max(r.groups[path].words, 1))
		row[sPage] = logOf(int(mass[n]))
		row[sRun] = betweenness(i, first, last)
		row[sTopBox] = mean(r.p.Boxes[r.top].First, r.p.Boxes[r.top].Last)
	}
	return out
}

// firstAndLast returns the first and the last block of which the first reading is sure; -1 if there
// is none.
func (r *Reading) firstAndLast(p []float32) (first, last int) {
	first, last = -1, -1
	for i := range p {
		if p[i] > 0.7 && r.p.Blocks[i].Words >= 10 {
			if first < 0 {
				first = i
			}
			last = i
		}
	}
	return first, last
}

// betweenness returns 0 between the two, a negative number before and a positive one after, in
// blocks on a logarithmic scale.
func betweenness(i, first, last int) float32 {
	switch {
	case first < 0:
		return 20
	case i < first:
		return -logOf(first - i)
	case i > last:
		return logOf(i - last)
	}
	return 0
}

func at(p []float32, i int) float32 {
	if i < 0 || i >= len(p) {
		return -1
	}
	return p[i]
}
