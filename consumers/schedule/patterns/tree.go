package patterns

import (
	"fmt"
	"slices"
	"strings"

	"millrace/schema"
)

// Bounds of a tree.
const (
	maxNodes = 96 // nodes, "*" included
	maxKids  = 12 // children of a node, beside "*"

	// MaxBytes is the most that an encoded row takes.
	MaxBytes = 20 << 10
)

// Tree is what the URLs of one host brought, by shape. The zero value has met nothing.
type Tree struct {
	row   *schema.PatternsRow
	nodes int
}

// New returns a tree that continues a row, which belongs to it from then on; nil begins
// a new one.
func New(row *schema.PatternsRow) *Tree {
	if row == nil {
		row = &schema.PatternsRow{}
	}
	if row.Root == nil {
		row.Root = &schema.PatternNode{}
	}
	return &Tree{row: row, nodes: count(row.Root)}
}

func count(n *schema.PatternNode) int {
	sum := 1
	for _, k := range n.Kids {
		sum += count(k)
	}
	return sum
}

// Row is the tree as it is kept.
func (t *Tree) Row() *schema.PatternsRow { return t.row }

// Has reports whether a write is in the tree already.
func (t *Tree) Has(ts int64) bool { return ts <= t.row.At }

// TurnedSince reports whether which URLs are let in has changed at or after a write.
func (t *Tree) TurnedSince(ts int64) bool { return t.row.TurnedAt >= ts }

// turn notes that a write changed which URLs are let in.
func (t *Tree) turn(ts int64) { t.row.TurnedAt = max(t.row.TurnedAt, ts) }

// route returns the nodes on the way to a shape, the root first. Where the way is not
// known it ends early.
func (t *Tree) route(tokens []string) []*schema.PatternNode {
	out := make([]*schema.PatternNode, 1, len(tokens)+1)
	n := t.row.Root
	out[0] = n
	for i, token := range tokens {
		if n = child(n, token, i == len(tokens)-1); n == nil {
			break
		}
		out = append(out, n)
	}
	return out
}

// whole returns the way to a shape if all of it is known, else nil.
func (t *Tree) whole(path string) []*schema.PatternNode {
	tokens := Tokens(path)
	if way := t.route(tokens); len(way) == len(tokens)+1 {
		return way
	}
	return nil
}

// child is the node that a token leads to: its own, else the one for any other.
func child(n *schema.PatternNode, token string, leaf bool) *schema.PatternNode {
	rest := restToken(leaf)
	var other *schema.PatternNode
	for _, k := range n.Kids {
		switch k.Token {
		case token:
			return k
		case rest:
			other = k
		}
	}
	return other
}

// restToken names the node for any other: parameters and segments are kept apart.
func restToken(leaf bool) string {
	if leaf {
		return anyParams
	}
	return anyToken
}

func isLeaf(n *schema.PatternNode) bool { return strings.HasPrefix(n.Token, "?") }

// grow returns the whole way to a shape, with the nodes that were missing. ts is the
// write that needs it.
func (t *Tree) grow(tokens []string, ts int64) []*schema.PatternNode {
	way := t.route(tokens)
	if len(way) == len(tokens)+1 {
		return way
	}
	n := way[len(way)-1]
	for _, token := range tokens[len(way)-1:] {
		k := &schema.PatternNode{Token: token}
		n.Kids = append(n.Kids, k)
		t.nodes++
		n = k
	}
	for _, n := range way {
		t.narrow(n, ts)
	}
	for t.nodes > maxNodes && t.shrink(ts) {
	}
	return t.route(tokens)
}

// narrow merges the children of a node that are too many, segments and parameters each
// by themselves.
func (t *Tree) narrow(n *schema.PatternNode, ts int64) {
	for _, leaf := range []bool{false, true} {
		if len(named(n, leaf)) > maxKids {
			t.merge(n, leaf, ts)
		}
	}
}

// named returns the children of a sort that stand for one token.
func named(n *schema.PatternNode, leaf bool) []*schema.PatternNode {
	var out []*schema.PatternNode
	for _, k := range n.Kids {
		if isLeaf(k) == leaf && k.Token != restToken(leaf) && k.Token != noParams {
			out = append(out, k)
		}
	}
	return out
}

// merge makes one node of the children of a sort that have proven nothing; of the least
// used half if all have.
func (t *Tree) merge(n *schema.PatternNode, leaf bool, ts int64) {
	list := named(n, leaf)
	slices.SortStableFunc(list, func(a, b *schema.PatternNode) int { return int(min(a.Fetched, 1<<30) - min(b.Fetched, 1<<30)) })
	few := slices.IndexFunc(list, proven)
	if few < 0 {
		few = len(list)
	}
	few = max(few, (len(list)+1)/2)
	into := child(n, restToken(leaf), leaf)
	if into == nil {
		into = &schema.PatternNode{Token: restToken(leaf)}
		n.Kids = append(n.Kids, into)
	}
	for _, k := range list[:few] {
		n.Kids = slices.DeleteFunc(n.Kids, func(o *schema.PatternNode) bool { return o == k })
		add(into, k)
	}
	t.nodes = count(t.row.Root)
	t.turn(ts)
	t.narrow(into, ts)
}

// add sums a node and what is below it up in another one.
func add(into, n *schema.PatternNode) {
	into.Spent = clampSpent(into, into.Spent+n.Spent)
	into.Endless = into.Endless || n.Endless
	if n.ClosedMs > 0 && (into.ClosedMs == 0 || n.ClosedMs < into.ClosedMs) {
		into.ClosedMs = n.ClosedMs
	}
	for i, p := range counts(into) {
		*p += *counts(n)[i]
	}
	for _, p := range n.Params {
		addParam(into, p)
	}
	for _, k := range n.Kids {
		if own := exact(into, k.Token); own != nil {
			add(own, k)
			continue
		}
		into.Kids = append(into.Kids, k)
	}
	if left(into) > 0 && !into.Endless {
		into.ClosedMs = 0
	}
}

func exact(n *schema.PatternNode, token string) *schema.PatternNode {
	for _, k := range n.Kids {
		if k.Token == token {
			return k
		}
	}
	return nil
}

// counts are the sums of a node.
func counts(n *schema.PatternNode) []*int64 {
	return []*int64{&n.Found, &n.Own, &n.Met, &n.Fetched, &n.Useful, &n.Fit, &n.Duplicate, &n.Soft404, &n.Noindex,
		&n.Empty, &n.Missing, &n.Redirect, &n.Led, &n.Lists, &n.Checked, &n.Changed, &n.Bytes}
}

// shrink merges the children of the node that has most of them; false = none has two.
func (t *Tree) shrink(ts int64) bool {
	var most *schema.PatternNode
	var leaf bool
	size := 1
	var look func(n *schema.PatternNode)
	look = func(n *schema.PatternNode) {
		for _, sort := range []bool{false, true} {
			if k := len(named(n, sort)); k > size {
				most, leaf, size = n, sort, k
			}
		}
		for _, k := range n.Kids {
			look(k)
		}
	}
	look(t.row.Root)
	if most == nil {
		return t.absorb(t.row.Root, ts)
	}
	t.merge(most, leaf, ts)
	return true
}

// absorb merges the first named child of a node that has a "*" beside it.
func (t *Tree) absorb(n *schema.PatternNode, ts int64) bool {
	for _, leaf := range []bool{false, true} {
		if exact(n, restToken(leaf)) != nil && len(named(n, leaf)) > 0 {
			t.merge(n, leaf, ts)
			return true
		}
	}
	for _, k := range n.Kids {
		if t.absorb(k, ts) {
			return true
		}
	}
	return false
}

// String shows a tree for tests.
func (t *Tree) String() string {
	var b strings.Builder
	t.Each(func(s Shape) {
		fmt.Fprintf(&b, "%s useful %d of %d left %d\n", s.Name, s.Useful, s.Fetched, s.Left)
	})
	return b.String()
}
