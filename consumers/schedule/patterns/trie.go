package patterns

import (
	"cmp"
	"slices"
	"strings"

	"millrace/schema"
)

// Bounds of a trie.
const (
	maxNodes = 96 // nodes of a tree
	maxKids  = 12 // children of one node, "*" not counted
	keptFrom = 8  // URLs of a child of the root that stays beside "*" while there is room
)

// trie is the tree of a host's shapes, a node for each token. It bounds the number of nodes: if a
// node has too many children, those that are not proven are merged into one.
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

// route returns the nodes of a shape, root first. It ends early where a token has no node.
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

// whole returns the nodes of a path's shape, or nil if not all of them exist.
func (t *trie) whole(path string) []*schema.PatternNode {
	tokens := Tokens(path)
	if way := t.route(tokens); len(way) == len(tokens)+1 {
		return way
	}
	return nil
}

// child returns the node of a token: its own, else the merged one ("*"), else nil.
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

// restToken names the merged node. Parameters (leaves) and segments have separate ones.
func restToken(leaf bool) string {
	if leaf {
		return anyParams
	}
	return anyToken
}

func isLeaf(n *schema.PatternNode) bool { return strings.HasPrefix(n.Token, "?") }

// grow returns all nodes of a shape and creates those that are missing. merged says that it had to
// merge nodes.
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

// narrow merges the children of a node if there are too many, segments and parameters separately.
func (t *trie) narrow(n *schema.PatternNode) {
	for _, leaf := range []bool{false, true} {
		if len(named(n, leaf)) > maxKids {
			t.merge(n, leaf)
		}
	}
}

// named returns the children of a node that stand for one token: segments, or with leaf = true
// parameters.
func named(n *schema.PatternNode, leaf bool) []*schema.PatternNode {
	var out []*schema.PatternNode
	for _, k := range n.Kids {
		if isLeaf(k) == leaf && k.Token != restToken(leaf) && k.Token != noParams {
			out = append(out, k)
		}
	}
	return out
}

// merge makes one node of the children that stand for few URLs and are not proven, and always of at
// least half of them, those with the fewest URLs first.
func (t *trie) merge(n *schema.PatternNode, leaf bool) {
	list := named(n, leaf)
	slices.SortStableFunc(list, func(a, b *schema.PatternNode) int {
		return cmp.Or(cmp.Compare(a.Found, b.Found), cmp.Compare(a.Fetched, b.Fetched))
	})
	few := slices.IndexFunc(list, func(k *schema.PatternNode) bool { return n == t.root && k.Found >= keptFrom || proven(k) })
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

// add adds a node and everything below it to another node.
func add(into, n *schema.PatternNode) {
	into.Spent = clampSpent(into, into.Spent+n.Spent)
	into.Endless = into.Endless || n.Endless
	if n.ClosedMs > 0 && (into.ClosedMs == 0 || n.ClosedMs < into.ClosedMs) {
		into.ClosedMs = n.ClosedMs
	}
	for i, p := range counts(into) {
		*p += *counts(n)[i]
	}
	into.AwaitedMs = max(into.AwaitedMs, n.AwaitedMs)
	into.LedAway += n.LedAway
	into.Recent |= n.Recent
	into.Guesses = append(into.Guesses, n.Guesses[:min(len(n.Guesses), guesses-len(into.Guesses))]...)
	into.Invented, into.GuessFrom = max(into.Invented, n.Invented), max(into.GuessFrom, n.GuessFrom)
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

// counts returns pointers to the sums of a node.
func counts(n *schema.PatternNode) []*int64 {
	return []*int64{&n.Found, &n.Own, &n.Met, &n.Fetched, &n.Useful, &n.Fit, &n.Duplicate, &n.Soft404, &n.Noindex,
		&n.Empty, &n.Missing, &n.Redirect, &n.Led, &n.Lists, &n.Checked, &n.Changed, &n.Bytes, &n.Parents, &n.Awaited, &n.Twice, &n.Ups, &n.Downs}
}

// shrink merges the children of the node that has the most; false = nothing can be merged.
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

// absorb merges the named children of the first node that has a "*" beside them.
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

// akin reports whether a path has the shape at the end of a way, or differs only in whether the
// value of a parameter is a number or an identifier (a signature may be either), or both consist
// only of tokens that stand for many segments.
func (t *trie) akin(way []*schema.PatternNode, path string) bool {
	other := t.route(Tokens(path))
	a, b := way[len(way)-1], other[len(other)-1]
	sameValues := isLeaf(a) && isLeaf(b) && way[len(way)-2] == other[len(other)-2] && anyValue(a.Token) == anyValue(b.Token)
	return a == b || sameValues || allWild(way) && allWild(other)
}

// anyValue returns a token of parameters in which numbers stand as identifiers.
func anyValue(token string) string { return strings.ReplaceAll(token, "="+numberToken, "="+anyToken) }

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
