package patterns

import "millrace/schema"

// The budget of a node. The unit is the first fetch of one URL.
const (
	leafBudget = 40  // of a new leaf
	nodeBudget = 80  // of any other new node
	mostBudget = 150 // the most that a node keeps
	leastLeft  = -60

	perUseful = 9 // a new text earns
	perLed    = 3 // the shape of a page that led to a useful page of another shape earns
	perListed = 1 // a feed or sitemap that names new pages earns

	firstRoom  = 8 // URLs of a new leaf that may be in flight
	provenFrom = 8 // new texts from which a leaf is proven: nodes above do not close it
	trials     = 5 // first fetches of a leaf below a closed node
	again      = 3 // further ones for each week that a node is closed

	weekMs = 7 * 24 * 3600 * 1000
)

// Conditions under which a shape is suspected, or taken for endless.
const (
	endlessTried = 100 // first fetches
	endlessOwn   = 300 // URLs of the shape that pages of the shape named,
	perPage      = 2   // at least so many per naming page
	suspectOwn   = 50  // URLs from which a shape is suspected
	suspectRoom  = 16  // URLs of a suspected shape that may be in flight
	crossings    = 2   // most links of its pages to known pages of the shape, parents not counted
	suspectEnds  = 20  // not suspected if one page in so many names no new one,
	endlessEnds  = 100 // not endless if one in so many does
)

// left returns what is left of a node's budget.
func left(n *schema.PatternNode) int32 {
	if isLeaf(n) {
		return leafBudget - n.Spent
	}
	return nodeBudget - n.Spent
}

// clampSpent bounds what a node has spent, so that leastLeft <= left <= mostBudget.
func clampSpent(n *schema.PatternNode, spent int32) int32 {
	start := int32(nodeBudget)
	if isLeaf(n) {
		start = leafBudget
	}
	return max(start-mostBudget, min(spent, start-leastLeft))
}

// tried is the number of URLs whose first answer was judged.
func tried(n *schema.PatternNode) int64 {
	return n.Useful + n.Duplicate + n.Soft404 + n.Noindex + n.Empty + n.Missing + n.Redirect + n.Lists
}

// proven reports whether a leaf is judged by its own budget only.
func proven(n *schema.PatternNode) bool { return n.Useful >= provenFrom && left(n) > 0 && !n.Endless }

// shut reports whether a node is closed, and the trials of the weeks since then are used up.
func shut(n *schema.PatternNode, now int64) bool {
	if n.ClosedMs == 0 {
		return false
	}
	weeks := int32(max(0, min((now-n.ClosedMs)/weekMs, 100)))
	return left(n) <= -again*weeks
}

// judges returns the nodes above a leaf whose budgets count for it: its parent, and those whose
// token stands for many segments.
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

// Gate is a node that a URL must pass. Room is how many URLs below it may be in flight: fetched or
// being fetched, and not judged. 0 or less: it is closed.
type Gate struct {
	Node *schema.PatternNode // identifies the gate
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

// Gates returns the nodes that a URL must pass: the leaf of its shape and, as long as that is not
// proven, the nodes above that judge it.
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

// leafRoom returns the room of a leaf by its own budget. The more useful pages it brought, the more
// may be in flight.
func leafRoom(leaf *schema.PatternNode, had, now int64) int64 {
	if shut(leaf, now) {
		return 0
	}
	room := max(int64(left(leaf)), 1) + leaf.Useful/2
	// few at first, so that the pages that they name are fetched before more of the shape
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

// grows reports whether the pages of a leaf name almost only new pages of their own shape, and
// almost nobody else names these.
func grows(n *schema.PatternNode) bool {
	return 20*n.Own >= 19*n.Found && n.Own >= perPage*n.Parents && n.Met <= crossings
}

// ends is the number of a leaf's pages that name no new page of their shape. A real tree of pages
// has at least as many of them as of the others.
func ends(n *schema.PatternNode) int64 {
	return max(0, n.Useful+n.Duplicate+n.Empty+n.Noindex-n.Parents)
}

// endless reports whether a leaf is taken for endless.
func endless(n *schema.PatternNode) bool {
	return n.Own >= endlessOwn && tried(n) >= endlessTried && grows(n) && endlessEnds*ends(n) <= tried(n)
}

// budget counts what nodes spend and earn.
type budget struct{ history }

// judged spends cost for a URL that was judged for the first time, and decides again whether its
// leaf is endless.
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

// spend takes n from the budgets of all nodes on a way, except the root; a negative n adds to them.
// An endless node earns nothing.
func (b budget) spend(way []*schema.PatternNode, n int32, now int64) {
	for _, node := range way[1:] {
		was, cost := node.ClosedMs > 0, n
		if node.Endless { // even a new text costs it one
			cost = max(n, 1)
		}
		node.Spent = clampSpent(node, node.Spent+cost)
		openOrClose(node, now)
		if was != (node.ClosedMs > 0) || was {
			b.turn()
		}
	}
}

// openOrClose opens or closes a node by what is left of its budget.
func openOrClose(n *schema.PatternNode, now int64) {
	switch open := left(n) > 0 && !n.Endless; {
	case open:
		n.ClosedMs = 0
	case n.ClosedMs == 0:
		n.ClosedMs = max(now, 1)
	}
}
