package patterns

import (
	"cmp"
	"slices"
	"strings"

	"millrace/schema"
)

// Shape is a shape and what its URLs brought, for reports.
//
// It is large because each column of a report is a field.
type Shape struct {
	Name      string   `json:"shape"` // /news/#?page=#
	Found     int64    `json:"found"`
	Fetched   int64    `json:"fetched"`
	Tried     int64    `json:"tried"` // URLs whose first answer was judged
	Useful    int64    `json:"useful"`
	Fit       int64    `json:"fit"`
	Duplicate int64    `json:"duplicate"`
	Soft404   int64    `json:"soft404"`
	NoIndex   int64    `json:"noindex"`
	Empty     int64    `json:"empty"`
	Missing   int64    `json:"missing"`
	Redirect  int64    `json:"redirect"`
	Lists     int64    `json:"lists"`
	Led       int64    `json:"led"`
	Checked   int64    `json:"checked"`
	Changed   int64    `json:"changed"`
	Bytes     int64    `json:"bytes"`
	Left      int32    `json:"budget_left"`
	Closed    bool     `json:"closed"`
	Endless   bool     `json:"endless"`
	Dropped   []string `json:"parameters_dropped"`

	tokens []string
}

// Each calls fn for every shape, most fetched first.
func (t *Tree) Each(fn func(Shape)) {
	for _, s := range t.Shapes() {
		fn(s)
	}
}

// Shapes returns the leaves of the tree, most fetched first.
func (t *Tree) Shapes() []Shape {
	var out []Shape
	var walk func(n *schema.PatternNode, above []*schema.PatternNode)
	walk = func(n *schema.PatternNode, above []*schema.PatternNode) {
		above = append(above[:len(above):len(above)], n)
		if isLeaf(n) {
			out = append(out, t.shape(above))
		}
		for _, k := range n.Kids {
			walk(k, above)
		}
	}
	walk(t.row.Root, nil)
	slices.SortStableFunc(out, func(a, b Shape) int {
		return cmp.Or(cmp.Compare(b.Fetched, a.Fetched), cmp.Compare(b.Found, a.Found), strings.Compare(a.Name, b.Name))
	})
	return out
}

func (t *Tree) shape(way []*schema.PatternNode) Shape {
	n := way[len(way)-1]
	s := Shape{Found: n.Found, Fetched: n.Fetched, Tried: tried(n), Useful: n.Useful, Fit: n.Fit, Duplicate: n.Duplicate,
		Soft404: n.Soft404, NoIndex: n.Noindex, Empty: n.Empty, Missing: n.Missing, Redirect: n.Redirect, Lists: n.Lists,
		Led: n.Led, Checked: n.Checked, Changed: n.Changed, Bytes: n.Bytes, Left: left(n), Endless: n.Endless}
	for _, w := range way[1:] {
		s.tokens = append(s.tokens, w.Token)
	}
	segments := s.tokens[:len(s.tokens)-1]
	s.Name = "/" + strings.Join(segments, "/")
	if last := s.tokens[len(s.tokens)-1]; last != noParams {
		s.Name += last
	}
	s.Closed = closedWay(way)
	for _, list := range [][]*schema.PatternParam{t.row.Root.Params, way[len(way)-2].Params} {
		for _, p := range list {
			if p.Dropped && !slices.Contains(s.Dropped, p.Name) {
				s.Dropped = append(s.Dropped, p.Name)
			}
		}
	}
	return s
}

// closedWay reports whether new URLs of a leaf are put aside, the weekly trials not counted.
func closedWay(way []*schema.PatternNode) bool {
	leaf := way[len(way)-1]
	if leaf.ClosedMs > 0 {
		return true
	}
	if proven(leaf) || tried(leaf) < trials {
		return false
	}
	return slices.ContainsFunc(judges(way, true), func(n *schema.PatternNode) bool { return n.ClosedMs > 0 })
}
