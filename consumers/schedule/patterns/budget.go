package patterns

import "millrace/schema"

// The budget of a node, in first fetches.
const (
	leafBudget = 40  // of a leaf that nothing is known of
	nodeBudget = 80  // of the node above it, and of those that stand for many segments
	mostBudget = 150 // that a node keeps
	leastLeft  = -60

	perUseful = 9 // what a new text earns, beside the fetch itself
	perLed    = 3 // what a useful page of another shape earns for the page that named it first
	perListed = 1 // what a feed or sitemap earns that names a new page

	firstRoom  = 8 // URLs of a leaf that may be on their way before anything is known of it
	provenFrom = 8 // new texts from which a leaf is judged by itself
	trials     = 5 // first fetches that a leaf has below a closed node
	again      = 3 // and that a closed leaf has after each week

	weekMs = 7 * 24 * 3600 * 1000
)

// When a shape is taken for endless.
const (
	endlessTried = 100 // first fetches
	endlessOwn   = 300 // URLs named by pages of the shape,
	perPage      = 2   // and by each of them: a chain is none
	suspectOwn   = 50  // from which it may turn out to be
	suspectRoom  = 16  // and of which only so many may be on their way
	crossings    = 2   // links to known pages beside their own parent that it may have
	suspectEnds  = 20  // of so many pages one leads to no new one: then it is not suspected,
	endlessEnds  = 100 // and of so many: then it has an end
)

// left is what is left of a node's budget.
func left(n *schema.PatternNode) int32 {
	if isLeaf(n) {
		return leafBudget - n.Spent
	}
	return nodeBudget - n.Spent
}

// clampSpent keeps what is left within its bounds.
func clampSpent(n *schema.PatternNode, spent int32) int32 {
	start := int32(nodeBudget)
	if isLeaf(n) {
		start = leafBudget
	}
	return max(start-mostBudget, min(spent, start-leastLeft))
}

// tried is the number of URLs that were judged once.
func tried(n *schema.PatternNode) int64 {
	return n.Useful + n.Duplicate + n.Soft404 + n.Noindex + n.Empty + n.Missing + n.Redirect + n.Lists
}

func proven(n *schema.PatternNode) bool { return n.Useful >= provenFrom && left(n) > 0 && !n.Endless }

// shut reports whether a node's budget is used up, but for the trials of each week.
func shut(n *schema.PatternNode, now int64) bool {
	if n.ClosedMs == 0 {
		return false
	}
	weeks := int32(max(0, min((now-n.ClosedMs)/weekMs, 100)))
	return left(n) <= -again*weeks
}

// judges are the nodes above a leaf whose budget counts for it: the one just above, and
// those that stand for many segments.
func judges(way []*schema.PatternNode, leafKnown bool) []*schema.PatternNode {
	if leafKnown {
		way = way[:len(way)-1]
	}
	var out []*schema.PatternNode
	for i, n := range way {
		if i > 0 && (i == len(way)-1 || wild(n.Token)) {
			out = append(out, n)
		}
	}
	return out
}

// Gate is a part of a shape with the number of URLs below it that may be on their way:
// asked for and not judged. 0: it is closed.
type Gate struct {
	Node *schema.PatternNode // tells gates apart
	Room int64
}

// Closed reports whether a URL's shape has used up its budget.
func (t *Tree) Closed(path string, now int64) bool {
	for _, g := range t.Gates(path, now) {
		if g.Room <= 0 {
			return true
		}
	}
	return false
}

// Gates returns what a URL must pass: its own shape and, as long as that has proven
// nothing, the nodes above that judge it.
func (t *Tree) Gates(path string, now int64) []Gate {
	tokens := Tokens(path)
	way := t.shapes.route(tokens)
	known := len(way) == len(tokens)+1
	var out []Gate
	had := int64(0)
	if known {
		leaf := way[len(way)-1]
		had = tried(leaf)
		out = append(out, Gate{leaf, leafRoom(leaf, had, now)})
		if proven(leaf) {
			return out
		}
	}
	for _, n := range judges(way, known) {
		switch {
		case len(way) < len(tokens) && !wild(n.Token): // not the node just above
		case shut(n, now):
			out = append(out, Gate{n, trials - had})
		default:
			out = append(out, Gate{n, max(int64(left(n)), 1)})
		}
	}
	return out
}

// leafRoom is the room of a leaf by itself. What it brought lets more be on their way.
func leafRoom(leaf *schema.PatternNode, had, now int64) int64 {
	if shut(leaf, now) {
		return 0
	}
	room := max(int64(left(leaf)), 1) + leaf.Useful/2
	// few at first, so that what they lead to is asked for before more of them
	room = min(room, firstRoom+leaf.Useful+leaf.Led)
	if suspect(leaf) && had < endlessTried {
		room = min(room, suspectRoom)
	}
	return room
}

// suspect reports whether a leaf may turn out to be endless.
func suspect(n *schema.PatternNode) bool {
	return n.Own >= suspectOwn && grows(n) && suspectEnds*ends(n) <= tried(n)
}

// grows reports whether the pages of a leaf lead to nothing but new ones of their own kind.
func grows(n *schema.PatternNode) bool {
	return 20*n.Own >= 19*n.Found && n.Own >= perPage*n.Parents && n.Met <= crossings
}

// ends is the number of pages that lead to no new one of their shape: a tree of pages that someone
// made has as many of them as it has pages that do, or more.
func ends(n *schema.PatternNode) int64 {
	return max(0, n.Useful+n.Duplicate+n.Empty+n.Noindex-n.Parents)
}

// endless reports whether a leaf has no end, as far as can be told.
func endless(n *schema.PatternNode) bool {
	return n.Own >= endlessOwn && tried(n) >= endlessTried && grows(n) && endlessEnds*ends(n) <= tried(n)
}

// budget writes down what nodes spend and earn.
type budget struct{ history }

// judged spends for a URL that was judged for the first time, and looks whether its
// shape is endless.
func (b budget) judged(way []*schema.PatternNode, cost int32, now int64) {
	leaf := way[len(way)-1]
	wasProven := proven(leaf)
	if now := endless(leaf); now != leaf.Endless {
		leaf.Endless, leaf.Spent = now, 0
		if now {
			leaf.Spent = leafBudget
		}
		b.turn()
	}
	b.spend(way, cost, now)
	if n := tried(leaf); wasProven != proven(leaf) || n <= trials {
		b.turn()
	}
}

// spend changes the budgets on a way by n fetches; below 0 it earns.
func (b budget) spend(way []*schema.PatternNode, n int32, now int64) {
	for _, node := range way[1:] {
		was, cost := node.ClosedMs > 0, n
		if node.Endless { // new texts earn it nothing
			cost = max(n, 1)
		}
		node.Spent = clampSpent(node, node.Spent+cost)
		openOrClose(node, now)
		if was != (node.ClosedMs > 0) || was {
			b.turn()
		}
	}
}

// openOrClose sets whether a node is closed by what is left of its budget.
func openOrClose(n *schema.PatternNode, now int64) {
	switch open := left(n) > 0 && !n.Endless; {
	case open:
		n.ClosedMs = 0
	case n.ClosedMs == 0:
		n.ClosedMs = max(now, 1)
	}
}
