package article

import (
	"errors"
	"strings"

	"golang.org/x/net/html/atom"

	"millrace/consumers/extract/plain"
)

// Options shape the choice of blocks.
type Options struct {
	Threshold float64 // a block is kept from this probability on
}

// DefaultOptions is what cross-validation over 2,000 pages by site found best: see bench/extract.
func DefaultOptions() Options { return Options{Threshold: 0.5} }

// Validate reports a threshold that keeps all or nothing.
func (o Options) Validate() error {
	if o.Threshold <= 0 || o.Threshold >= 1 {
		return errors.New("article: Threshold must lie between 0 and 1")
	}
	return nil
}

// Hints is what the page says of itself outside its text.
type Hints struct {
	Title   string
	Summary string
	Body    string // the article as JSON-LD gives it
}

// Main decides for every block whether it belongs to the main text.
func Main(p *Page, h Hints, o Options) []bool {
	keep := make([]bool, len(p.Blocks))
	for i := range p.Blocks {
		keep[i] = p.heuristic(i)
	}
	return keep
}

func (p *Page) heuristic(i int) bool {
	b := &p.Blocks[i]
	if p.Boxes[b.Box].Hidden || p.inside(b.Box, atom.Nav, atom.Footer, atom.Aside) || b.Links*3 > b.Words {
		return false
	}
	near := 0
	for _, j := range []int{i - 1, i + 1} {
		if j >= 0 && j < len(p.Blocks) {
			near += p.Blocks[j].Words - 2*p.Blocks[j].Links
		}
	}
	return b.Words >= 15 || b.Words+near > 40
}

func (p *Page) inside(box int, tags ...atom.Atom) bool {
	for ; box >= 0; box = p.Boxes[box].Parent {
		for _, t := range tags {
			if p.Boxes[box].Node.DataAtom == t {
				return true
			}
		}
	}
	return false
}

// Text joins the kept blocks, one a line, up to max bytes.
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
