package policy

import (
	"math"

	"millrace/schema"
)

const (
	nearDepth = 3  // clicks from a seed up to which a page is not deep
	hostCash  = 10 // cash of a host from which its pages count as well linked

	fitFrom  = 0.6 // worth from which a page is taken for fit,
	poorTo   = 0.2 // and up to which it comes last,
	judgedBy = 8   // if so many URLs of its shape were judged
)

// New is what the place of a new URL follows from.
type New struct {
	Kind     schema.Kind
	Depth    int32   // clicks from a seed
	Stranger bool    // another site named it
	Worth    float64 // what URLs of its shape brought, 0 to 1.5
	Tried    int64   // from how many of them that is known
	Breadth  bool    // pages come in the order in which they were found, whatever they are worth
}

// Place is where a new URL waits first.
type Place struct {
	Class int32
	Score float64
	Fit   bool // pages of its shape are what one comes for, as far as is known
}

// Scorer gives a new URL a factor of its score.
type Scorer func(n New, host *schema.HostRow) float64

// Scorers are the factors in use: they multiply, so that none can be outweighed.
func Scorers() []Scorer {
	return []Scorer{
		func(n New, _ *schema.HostRow) float64 { return n.Worth },
		func(n New, _ *schema.HostRow) float64 { return 1 / float64(1+max(n.Depth, 0)) },
		func(_ New, host *schema.HostRow) float64 {
			if host.Cash >= hostCash {
				return 2
			}
			return 1
		},
	}
}

// FirstPlace is the place of a new URL. Feeds, sitemaps and seeds come first, then pages
// of shapes that brought what one comes for, then the others, nearer to a seed first;
// shapes that bring little, and what another site named, come last. It depends on nothing
// but the record and the state of the host.
func FirstPlace(n New, host *schema.HostRow) Place {
	p := Place{Class: ClassRest + 1, Score: 1, Fit: n.Worth >= fitFrom}
	for _, f := range Scorers() {
		p.Score *= f(n, host)
	}
	p.Score = math.Round(p.Score*1e6) / 1e6 // the same on every processor
	known := n.Tried >= judgedBy
	switch {
	case n.Breadth && n.Kind == schema.Kind_PAGE && n.Depth > 0:
		p.Class = ClassRest
	case n.Stranger:
	case n.Kind != schema.Kind_PAGE || n.Depth <= 0:
		p.Class = ClassFit
	case known && p.Fit:
		p.Class = ClassFit + 1
	case known && n.Worth <= poorTo:
	case n.Depth <= nearDepth:
		p.Class = ClassRest
	}
	return p
}
