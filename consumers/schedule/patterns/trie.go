package patterns

import (
	"slices"
	"strings"

	"millrace/schema"
)

// Bounds of a trie.
const (
	maxNodes = 96 // nodes, "*" included
	maxKids  = 12 // children of a node, beside "*"
)

// trie holds the shapes of a host, a node for each token, and bounds their number: where
// a node has too many children, those that have proven nothing become one.
type trie struct {
	root   *schema.PatternNode
	nodes  int
	merges int // how often children were merged
}

func newTrie(root *schema.PatternNode) trie { return trie{root: root, nodes: count(root)} }

func count(n *schema.PatternNode) int {
	sum := 1
	for _, k := range n.Kids {
		sum += count(k)
	}
	return sum
}

// route returns the nodes on the way to a shape, the root first. Where the way is not
// known it ends early.
func (t *trie) route(tokens []string) []*schema.PatternNode {
	out := make([]*schema.PatternNode, 1, len(tokens)+1)
	n := t.root
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
func (t *trie) whole(path string) []*schema.PatternNode {
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

// grow returns the whole way to a shape, with the nodes that were missing, and reports
// whether it had to merge others for them.
func (t *trie) grow(tokens []string) (way []*schema.PatternNode, merged bool) {
	way = t.route(tokens)
	if len(way) == len(tokens)+1 {
		return way, false
	}
	merges := t.merges
	n := way[len(way)-1]
	for _, token := range tokens[len(way)-1:] {
		k := &schema.PatternNode{Token: token}
		n.Kids = append(n.Kids, k)
		t.nodes++
		n = k
	}
	for _, n := range way {
		t.narrow(n)
	}
	for t.nodes > maxNodes && t.shrink() {
	}
	return t.route(tokens), t.merges > merges
}

// narrow merges the children of a node that are too many, segments and parameters each
// by themselves.
func (t *trie) narrow(n *schema.PatternNode) {
	for _, leaf := range []bool{false, true} {
		if len(named(n, leaf)) > maxKids {
			t.merge(n, leaf)
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
func (t *trie) merge(n *schema.PatternNode, leaf bool) {
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
	t.nodes = count(t.root)
	t.merges++
	t.narrow(into)
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
		&n.Empty, &n.Missing, &n.Redirect, &n.Led, &n.Lists, &n.Checked, &n.Changed, &n.Bytes, &n.Parents}
}

// shrink merges the children of the node that has most of them; false = none has two.
func (t *trie) shrink() bool {
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
	look(t.root)
	if most == nil {
		return t.absorb(t.root)
	}
	t.merge(most, leaf)
	return true
}

// absorb merges the first named child of a node that has a "*" beside it.
func (t *trie) absorb(n *schema.PatternNode) bool {
	for _, leaf := range []bool{false, true} {
		if exact(n, restToken(leaf)) != nil && len(named(n, leaf)) > 0 {
			t.merge(n, leaf)
			return true
		}
	}
	for _, k := range n.Kids {
		if t.absorb(k) {
			return true
		}
	}
	return false
}

// akin reports whether a path has the shape at the end of a way, or both are nothing but
// tokens that stand for many.
func (t *trie) akin(way []*schema.PatternNode, path string) bool {
	other := t.route(Tokens(path))
	return way[len(way)-1] == other[len(other)-1] || allWild(way) && allWild(other)
}

func allWild(way []*schema.PatternNode) bool {
	segments := 0
	for _, n := range way[1:] {
		if isLeaf(n) || n.Token == "" {
			continue
		}
		if segments++; !wild(n.Token) {
			return false
		}
	}
	return segments > 0
}
