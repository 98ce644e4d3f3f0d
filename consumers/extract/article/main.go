package article

import (
	"cmp"
	"errors"
	"slices"
	"strings"
	"sync"

	"golang.org/x/net/html/atom"

	"millrace/consumers/extract/plain"
)

// Options shape the choice of blocks.
type Options struct {
	// Caution shifts the choice: above 1 fewer blocks are kept, below 1 more. 1 maximises the
	// expected F1.
	Caution float64
	// Elsewhere is the caution for pages that are no articles: for manuals, services and listings,
	// missing text is worse than superfluous text.
	Elsewhere float64
}

// DefaultOptions returns the defaults. On articles they are more careful than the expected F1
// suggests: in cross-validation by site, scrapinghub gains .003 of F1, wcxb loses .005, the others
// stay (bench/extract/train/RESULTS.md). On other pages recall counts: on sites not in training .4
// is best for wcxb's collections, manuals and services, and a search for words in a table of a
// manual finds its page (bench/system/mainjob).
func DefaultOptions() Options { return Options{Caution: 1.5, Elsewhere: 0.4} }

// Validate returns an error for a caution that would keep all or nothing.
func (o Options) Validate() error {
	if min(o.Caution, o.Elsewhere) < 0.2 || max(o.Caution, o.Elsewhere) > 5 {
		return errors.New("article: Caution and Elsewhere must lie between 0.2 and 5")
	}
	return nil
}

// Hints are what the page says of itself outside its text.
type Hints struct {
	Title   string
	Summary string
	Body    string  // the article in JSON-LD
	Form    float32 // 1 if the page calls itself an article, 2 a product, 3 a listing or plain web page, 4 a discussion; 0 unknown
}

// Choice says which blocks are kept.
type Choice struct {
	Keep     []bool
	P        []float32 // probability of each block
	Expected float64   // expected F1 of the choice: how sure the model is
}

// Main decides for every block whether it is part of the main text.
func (m *Model) Main(p *Page, h Hints, o Options) Choice {
	if len(p.Blocks) == 0 {
		return Choice{}
	}
	r := Read(p, h, m.Lexicon)
	t := tables.Get().(*table)
	defer tables.Put(t)
	rows := r.first(t.sized(len(p.Blocks) * int(featureCount)))
	first := m.First.Probabilities(rows, int(featureCount))
	return Choose(p, r.Together(m.again(r, rows, first)), o.Caution)
}

// tables keep the memory of rows from page to page.
var tables = sync.Pool{New: func() any { return &table{} }}

type table struct{ rows []float32 }

// maxTable bounds the memory that is kept, in numbers: 4 MB.
const maxTable = 1 << 20

// sized returns n numbers of any value.
func (t *table) sized(n int) []float32 {
	if n > maxTable {
		return make([]float32, n)
	}
	if cap(t.rows) < n {
		t.rows = make([]float32, n)
	}
	return t.rows[:n]
}

// again applies the second forest to the blocks of which the first is not sure, and averages both.
// Applied to all blocks, it changed the F1 of no page set of bench/extract by .001. rows are those
// of the first reading.
func (m *Model) again(r *Reading, rows, first []float32) []float32 {
	out := slices.Clone(first)
	var which []int
	for i, p := range first {
		if p > unsureFrom && p < 1-unsureFrom {
			which = append(which, i)
		}
	}
	for k, p := range m.Second.Probabilities(r.SecondOf(which, rows, first), int(secondCount)) {
		out[which[k]] = (first[which[k]] + p) / 2 // averaged, because the second forest overestimates its certainty
	}
	return out
}

// unsureFrom is the probability above which (and 1 minus it, below which) the second forest is
// asked.
const unsureFrom = 0.05

// Choose keeps the most probable blocks, as many as maximise the expected F1. A fixed threshold
// would keep too little on pages where nothing is sure (listings, forums) and too much on articles.
func Choose(p *Page, prob []float32, caution float64) Choice {
	c := Choice{Keep: make([]bool, len(prob)), P: prob}
	order := make([]int, len(prob))
	total := 0.0
	for i := range prob {
		order[i] = i
		total += float64(prob[i]) * weightOf(&p.Blocks[i])
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(prob[b], prob[a]) })
	var hit, size float64
	most := 0
	for k, i := range order {
		w := weightOf(&p.Blocks[i])
		hit += w * float64(prob[i])
		size += w
		if f := (1 + caution) * hit / (caution*size + total); f > c.Expected && prob[i] >= surelyNot {
			c.Expected, most = f, k+1
		}
	}
	for _, i := range order[:most] {
		c.Keep[i] = true
	}
	return c
}

// surelyNot: if no block is more probable than this, the page has no main text.
const surelyNot = 0.1

func weightOf(b *Block) float64 { return float64(b.Words) }

// Visible keeps the blocks that are visible and outside links, navigation, footer and aside; if
// there are none, all blocks. It is for pages without main text: lists of links, single sentences.
func (p *Page) Visible() []bool {
	keep := make([]bool, len(p.Blocks))
	found := false
	for i := range p.Blocks {
		b := &p.Blocks[i]
		keep[i] = !p.Boxes[b.Box].Hidden && b.Links*2 <= b.Words && !p.Inside(b.Box, atom.Nav, atom.Footer, atom.Aside)
		found = found || keep[i]
	}
	for i := range keep {
		keep[i] = keep[i] || !found
	}
	return keep
}

// Inside reports whether a box, or one around it, is one of some elements.
func (p *Page) Inside(box int, tags ...atom.Atom) bool {
	for ; box >= 0; box = p.Boxes[box].Parent {
		if slices.Contains(tags, p.Boxes[box].Node.DataAtom) {
			return true
		}
	}
	return false
}

// Text joins the kept blocks, one per line, up to max bytes.
func (p *Page) Text(keep []bool, max int) string {
	var out strings.Builder
	for i := range p.Blocks {
		if !keep[i] {
			continue
		}
		if out.Len() > 0 {
			out.WriteByte('\n')
		}
		out.WriteString(p.Blocks[i].Text)
		if out.Len() >= max {
			break
		}
	}
	return strings.TrimRight(plain.Cut(out.String(), max), "\n")
}
