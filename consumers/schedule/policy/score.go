package policy

import (
	"math"

	"millrace/schema"
)

const (
	nearDepth = 3  // most clicks from a seed at which a page is not deep
	hostCash  = 10 // cash of a host from which its pages count as well linked

	fitFrom  = 0.6 // least worth of a fit page,
	poorTo   = 0.2 // most worth of a page that comes last,
	judgedBy = 8   // both only if so many URLs of its shape were judged
)

// New holds everything on which the first place of a URL depends.
type New struct {
	Kind     schema.Kind
	Depth    int32   // clicks from a seed
	Stranger bool    // another site named it
	Worth    float64 // what URLs of its shape brought, 0 to 1.5
	Tried    int64   // number of judged URLs of its shape
	Breadth  bool    // pages come in the order in which they were found, whatever they are worth
}

// Place is the class and score with which a new URL is queued.
type Place struct {
	Class int32
	Score float64
	Fit   bool // pages of its shape were judged useful
}

// Scorer returns one factor of a new URL's score.
type Scorer func(n New, host *schema.HostRow) float64

// Scorers returns the factors in use. They are multiplied.
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

// FirstPlace returns the class and score of a new URL. Seeds, feeds and sitemaps come first, then
// pages of shapes known to be good, then other pages near a seed, then the rest. It depends only on
// the record and the state of the host.
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
