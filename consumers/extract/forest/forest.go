// Package forest computes the logarithm of odds from rows of numbers, as a sum of small decision
// trees (gradient boosting) that bench/extract/train made. The trees are text, so a decision can be
// followed by hand.
//
// # Goals
//
// A model that can be read: no library, no binary file.
//
// # How it works
//
// A row goes down each tree, at every node by one number of it, to a leaf. The sum of the leaves is
// the logarithm of the odds.
//
// # Promises
//
// The same row and forest give the same odds. A row costs a walk down each tree and no memory.
//
// # On failure
//
// Parse names the line that is no tree, or says that a tree is too big. Odds cannot fail; a row
// must have as many numbers as the forest has names.
//
// # Limits
//
// A Forest fits only the features with which it was trained; when they change, train it again.
package forest

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A Forest is a sum of decision trees over features. Each tree adds a number to the logarithm of
// the odds.
type Forest struct {
	Bias  float32
	roots []int32
	nodes []node

	widest int // leaves of a tree
}

// A node asks whether a feature is at most a value. A leaf (feature < 0) has a number to add.
type node struct {
	feature     int16
	value       float32
	left, right int32 // yes, no
}

// Odds returns the logarithm of the odds for one row of features.
func (f *Forest) Odds(row []float32) float32 {
	return f.Bias + f.ask(f.roots, row)
}

// ask returns the sum of some trees.
func (f *Forest) ask(roots []int32, row []float32) (total float32) {
	for _, at := range roots {
		n := &f.nodes[at]
		for n.feature >= 0 {
			if row[n.feature] <= n.value {
				n = &f.nodes[n.left]
			} else {
				n = &f.nodes[n.right]
			}
		}
		total += n.value
	}
	return total
}

// If the sum of a row is beyond sure after the first firstTrees trees, or after half of the others,
// the remaining trees are skipped: they would change the sum, but not the decision. On the page
// sets of bench/extract no F1 changed by .001.
const (
	firstTrees = 60
	sure       = 4 // logarithm of the odds: a probability below .018 or above .982
)

// Probabilities returns a probability for each row of a table.
func (f *Forest) Probabilities(rows []float32, columns int) []float32 {
	p := make([]float32, len(rows)/columns)
	if !f.walked(len(p), columns) {
		for i := range p {
			p[i] = Probability(f.quickly(rows[i*columns : (i+1)*columns]))
		}
		return p
	}
	for i := range p {
		p[i] = f.Bias
	}
	f.walk(rows, columns, p)
	for i := range p {
		p[i] = Probability(p[i])
	}
	return p
}

// quickly is Odds, but skips trees when the row is sure.
func (f *Forest) quickly(row []float32) float32 {
	total := f.Bias
	for stage := range stages {
		from, to := f.stage(stage)
		total += f.ask(f.roots[from:to], row)
		if total > sure || total < -sure {
			break
		}
	}
	return total
}

// Probability converts the logarithm of odds into a probability.
func Probability(odds float32) float32 { return float32(1 / (1 + math.Exp(-float64(odds)))) }

// Parse reads what String writes. A tree is one line in prefix order: "(words 2.1 yes no)"; a leaf
// is a number.
func Parse(s string, names []string) (*Forest, error) {
	index := make(map[string]int16, len(names))
	for i, n := range names {
		index[n] = int16(i)
	}
	f := &Forest{}
	for line := range strings.Lines(s) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		if bias, ok := strings.CutPrefix(line, "bias "); ok {
			v, err := strconv.ParseFloat(bias, 32)
			if err != nil {
				return nil, fmt.Errorf("forest: %q: %w", line, err)
			}
			f.Bias = float32(v)
			continue
		}
		p := parser{words: strings.Fields(strings.NewReplacer("(", " ( ", ")", " ").Replace(line)), index: index, f: f}
		root, err := p.tree()
		if err == nil && p.leaves > maxLeaves {
			err = fmt.Errorf("%d leaves, at most %d", p.leaves, maxLeaves)
		}
		if err != nil {
			return nil, fmt.Errorf("forest: %w in %.80q", err, line)
		}
		f.roots, f.widest = append(f.roots, root), max(f.widest, p.leaves)
	}
	return f, nil
}

type parser struct {
	words []string
	index map[string]int16
	f     *Forest

	leaves int
}

func (p *parser) tree() (int32, error) {
	word, err := p.word()
	if err != nil {
		return 0, err
	}
	at := int32(len(p.f.nodes))
	p.f.nodes = append(p.f.nodes, node{feature: -1})
	if word != "(" {
		p.leaves++
		v, err := strconv.ParseFloat(word, 32)
		p.f.nodes[at].value = float32(v)
		return at, err
	}
	return at, p.split(at)
}

func (p *parser) split(at int32) error {
	name, err := p.word()
	if err != nil {
		return err
	}
	i, ok := p.index[name]
	if !ok {
		return fmt.Errorf("unknown feature %q", name)
	}
	value, err := p.word()
	if err != nil {
		return err
	}
	v, err := strconv.ParseFloat(value, 32)
	if err != nil {
		return err
	}
	left, err := p.tree()
	if err != nil {
		return err
	}
	right, err := p.tree()
	p.f.nodes[at] = node{feature: i, value: float32(v), left: left, right: right}
	return err
}

func (p *parser) word() (string, error) {
	if len(p.words) == 0 {
		return "", fmt.Errorf("a tree ends early")
	}
	w := p.words[0]
	p.words = p.words[1:]
	return w, nil
}

// String returns the forest in the form that Parse reads.
func (f *Forest) String(names []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "bias %.4g\n", f.Bias)
	for _, r := range f.roots {
		f.print(&b, r, names)
		b.WriteByte('\n')
	}
	return b.String()
}

func (f *Forest) print(b *strings.Builder, at int32, names []string) {
	n := &f.nodes[at]
	if n.feature < 0 {
		fmt.Fprintf(b, "%.3g", n.value)
		return
	}
	fmt.Fprintf(b, "(%s %.5g ", names[n.feature], n.value)
	f.print(b, n.left, names)
	b.WriteByte(' ')
	f.print(b, n.right, names)
	b.WriteByte(')')
}

// A Tree is a tree from training; it is a leaf if Yes is nil.
type Tree struct {
	Feature int
	Value   float32
	Yes, No *Tree
}

// New makes a Forest from trained trees.
func New(bias float32, trees []*Tree) *Forest {
	f := &Forest{Bias: bias}
	for _, t := range trees {
		before := len(f.nodes)
		f.roots = append(f.roots, f.add(t))
		f.widest = max(f.widest, (len(f.nodes)-before+1)/2)
	}
	return f
}

func (f *Forest) add(t *Tree) int32 {
	at := int32(len(f.nodes))
	f.nodes = append(f.nodes, node{feature: -1, value: t.Value})
	if t.Yes != nil {
		left := f.add(t.Yes)
		right := f.add(t.No)
		f.nodes[at] = node{feature: int16(t.Feature), value: t.Value, left: left, right: right}
	}
	return at
}
