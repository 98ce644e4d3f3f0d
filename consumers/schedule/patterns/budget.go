package patterns

import (
	"math/bits"

	"millrace/schema"
)

// The budget of a node. The unit is the first fetch of one URL.
const (
	leafBudget = 40  // of a new leaf
	nodeBudget = 80  // of any other new node
	mostBudget = 150 // the most that a node keeps
	leastLeft  = -60

	perUseful = 9 // a new text earns
	perLed    = 3 // the shape of a page that led to a useful page of another shape earns
	perBarren = 2 // a page costs that has an old text, names no new page of another shape, and is of a leaf that is not proven
	perListed = 1 // a feed or sitemap that names new pages earns

	firstRoom  = 8 // URLs of a new leaf that may be on their way: sent to fetch and not judged
	aboveRoom  = 3 // times as many below a node above leaves
	perRoom    = 2 // one more for so many pages that were useful, or led to useful ones
	provenFrom = 8 // new texts from which a leaf is proven: nodes above do not close it
	trials     = 5 // first fetches of a leaf below a closed node,
	perTrial   = 6 // and fewer, the deeper that is below zero: with leastLeft none
	again      = 3 // further ones for each week that a node is closed

	weekMs = 7 * 24 * 3600 * 1000

	// patienceMs is the longest that a digest may take. Where nothing was fetched or judged for so
	// long, what is awaited is lost, and does not count any more.
	patienceMs = 10 * 60 * 1000
)

// Conditions under which a shape is suspected, or taken for endless.
const (
	endlessTried = 100 // first fetches
	endlessOwn   = 300 // URLs of the shape that pages of the shape named,
	perPage      = 2   // at least so many per naming page
	suspectOwn   = 50  // URLs from which a shape is suspected
	suspectRoom  = 16  // URLs of a suspected shape that may be on their way
	entrances    = 2   // URLs of a shape that others name, and that do not show that it has an end
	crossings    = 2   // most links of its pages to known pages of the shape, parents not counted
	suspectEnds  = 20  // not suspected if one page in so many names no new one,
	endlessEnds  = 100 // not endless if one in so many does
	chainOwn     = 150 // URLs of a chain, each named by the one before, from which it may be endless
	drawnTurns   = 4   // of whose steps at least one in so many goes up, and one in so many down
)

// Conditions under which the texts of a node are known, most of them (drained).
const (
	drainedFrom  = 60 // texts that were seen, copies included
	drainedTwice = 8  // texts that came again
	fewRecent    = 2  // of the last 32 texts were new, at most
	fewerNew     = 12 // fewer than one new text in so many pages is expected
	fewNew       = 10 // of a leaf that is judged by the nodes above, too
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
func proven(n *schema.PatternNode) bool {
	return n.Useful >= provenFrom && left(n) > 0 && !n.Endless && !scarce(n, fewNew)
}

// drained reports whether almost all texts that a node's URLs may bring have been seen, and most of
// them more than once: a calendar that says one of fifty proverbs a day.
func drained(n *schema.PatternNode) bool {
	return n.Twice >= drainedTwice && n.Useful+n.Duplicate >= drainedFrom && scarce(n, fewerNew) &&
		bits.OnesCount32(n.Recent) <= fewRecent && 10*n.LedAway < tried(n)
}

// scarce reports whether fewer than one in so many of a node's next pages will bring a new text, by
// the share of the texts that came once only among all pages (Good and Turing's estimate of the
// probability of what was not seen yet).
func scarce(n *schema.PatternNode, oneIn int64) bool {
	return oneIn*max(0, n.Useful-n.Twice) < n.Useful+n.Duplicate && n.Twice > 0
}

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

// await adds d to the URLs below a node whose answer came and whose text is not judged.
func await(n *schema.PatternNode, d, now int64) {
	n.Awaited = max(0, awaited(n, now)+d)
	n.AwaitedMs = max(n.AwaitedMs, now)
}

// awaited is the number of URLs below a node whose answer came and whose text is not judged.
func awaited(n *schema.PatternNode, now int64) int64 {
	if now-n.AwaitedMs > patienceMs {
		return 0
	}
	return n.Awaited
}

// Gate is a node that a URL must pass.
type Gate struct {
	Node   *schema.PatternNode // identifies the gate
	Closed bool                // nothing below it may be fetched
	Room   int64               // how many URLs below it may be at fetch; 0 or less: none at present
}

// Closed reports whether a URL's shape has used up its budget.
func (t *Tree) Closed(path string, now int64) bool {
	for _, g := range t.Gates(path, now) {
		if g.Closed {
			return true
		}
	}
	return false
}

// Gates returns the nodes that a URL must pass: the leaf of its shape and, as long as that is not
// proven, the nodes above that judge it. A URL counts against the room of a gate from when it is
// sent until it is judged, so that what a shape costs does not depend on how soon that is.
func (t *Tree) Gates(path string, now int64) []Gate {
	tokens := Tokens(path)
	way := t.shapes.route(tokens)
	known := len(way) == len(tokens)+1
	var out []Gate
	had := int64(0)
	if known {
		leaf := way[len(way)-1]
		had = tried(leaf)
		out = append(out, gate(leaf, shut(leaf, now), leafRoom(leaf, had), now))
		if proven(leaf) {
			return out
		}
	}
	for _, n := range judges(way, known) {
		switch {
		case len(way) < len(tokens) && !wild(n.Token): // not the node just above
		case shut(n, now):
			most := trialsOf(n)
			out = append(out, gate(n, had >= most, most-had, now))
		default:
			out = append(out, gate(n, false, min(max(int64(left(n)), 1), window(n, aboveRoom*firstRoom)), now))
		}
	}
	return out
}

// trialsOf is how many URLs of a leaf below a closed node are fetched to see what the leaf is.
func trialsOf(n *schema.PatternNode) int64 {
	if drained(n) {
		return 1
	}
	return int64(max(0, min(trials, (left(n)-leastLeft)/perTrial)))
}

func gate(n *schema.PatternNode, closed bool, room, now int64) Gate {
	return Gate{n, closed, room - awaited(n, now)}
}

// window is how many URLs below a node may be on their way. There are few at first, so that the
// pages that they name are fetched before more of the shape.
func window(n *schema.PatternNode, first int64) int64 { return first + (n.Useful+n.Led)/perRoom }

// leafRoom returns how many URLs of a leaf that is not shut may be on their way: not more than its
// budget has left.
func leafRoom(leaf *schema.PatternNode, had int64) int64 {
	room := min(max(int64(left(leaf)), 1), window(leaf, firstRoom))
	if suspect(leaf) && (had < endlessTried || leaf.Own < endlessOwn) {
		room = min(room, suspectRoom)
	}
	return room
}

// Nodes returns the nodes of a path's shape from the root on, as far as they exist.
func (t *Tree) Nodes(path string) []*schema.PatternNode { return t.shapes.route(Tokens(path)) }

// Version is another number whenever the nodes of some path may be others than before.
func (t *Tree) Version() int { return t.shapes.merges<<16 | t.shapes.nodes }

// suspect reports whether a leaf may turn out to be endless.
func suspect(n *schema.PatternNode) bool {
	return n.Own >= suspectOwn && grows(n) && suspectEnds*ends(n) <= tried(n)
}

// grows reports whether the pages of a leaf name almost only new pages of their own shape, and
// almost nobody else names these. Of an endless leaf no URL is let in or counted any more, so how
// many its pages name says nothing.
func grows(n *schema.PatternNode) bool {
	return apart(n) && (n.Endless || n.Own >= perPage*n.Parents)
}

// apart reports whether almost nobody but the pages of a leaf names its URLs, and these lead to no
// others of them that are known.
func apart(n *schema.PatternNode) bool { return 20*n.Own >= 19*n.Found && n.Met <= crossings }

// ends is the number of a leaf's pages that name no new page of their shape. A real tree of pages
// has at least as many of them as of the others.
func ends(n *schema.PatternNode) int64 {
	return max(0, n.Useful+n.Duplicate+n.Empty+n.Noindex-n.Parents)
}

// endless reports whether a leaf is taken for endless.
func endless(n *schema.PatternNode) bool {
	return invents(n) || chained(n) || n.Own >= endlessOwn && tried(n) >= endlessTried && grows(n) && endlessEnds*ends(n) <= tried(n)
}

// chained reports whether the pages of a leaf are a chain, each of which only the one before names,
// with addresses in no order: drawn numbers or identifiers. Chapters, days and posts are counted,
// or have identifiers that rise or fall.
func chained(n *schema.PatternNode) bool {
	least := min(n.Ups, n.Downs)
	return n.Own >= chainOwn && tried(n) >= chainOwn && apart(n) &&
		endlessEnds*ends(n) <= tried(n) && drawnTurns*least >= n.Ups+n.Downs && 2*(n.Ups+n.Downs) >= n.Own
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
		if drained(node) && node.ClosedMs == 0 {
			node.Spent += max(0, left(node))
		}
		if node.Endless || drained(node) { // even a new text costs it one
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
