package patterns

import (
	"slices"
	"strings"

	"millrace/schema"
)

// Found notes a new URL, and the page of the host that named it; "" = it was not named by a page of
// the host.
func (t *Tree) Found(path, source string) {
	way := t.grow(path)
	own := source != "" && t.shapes.akin(way, source)
	turn := 0
	if own {
		turn = compareIdentity(path, source)
	}
	for _, n := range way {
		n.Found++
		if own {
			n.Own++
		}
		switch {
		case turn > 0:
			n.Ups++
		case turn < 0:
			n.Downs++
		}
	}
}

// Named notes that a page of the host named new URLs, whether they were let in or not. It counts
// only if one of them has the page's own shape.
func (t *Tree) Named(source string, paths []string) {
	from := t.shapes.whole(source)
	if from == nil || !slices.ContainsFunc(paths, func(p string) bool { return t.shapes.akin(from, p) }) {
		return
	}
	for _, n := range from {
		n.Parents++
	}
}

// Brought notes that a page named new pages of another shape. A list is worth what it names, so its
// text says nothing of its parameters (parameters.compare). A page that has parameters of the list
// and no others is as new as those are, and does not count.
func (t *Tree) Brought(source string, paths []string) {
	_, query, _ := strings.Cut(source, "?")
	if slices.ContainsFunc(paths, func(p string) bool { return !t.Alike(p, source) && !onlyParamsOf(p, query) }) {
		t.texts.brings(source)
	}
}

// onlyParamsOf reports whether a URL has parameters, and all of them are in a query.
func onlyParamsOf(path, query string) bool {
	_, own, found := strings.Cut(path, "?")
	for p := range strings.SplitSeq(own, "&") {
		if name, _, _ := strings.Cut(p, "="); !has(query, name) {
			return false
		}
	}
	return found
}

// Met counts the links of a page to known pages of its own shape. They show that the shape has an
// end. Links to the page itself and to its parent (the page that named it first) do not count, and
// a page that many name counts once.
func (t *Tree) Met(source, parent string, known []string) {
	from := t.shapes.whole(source)
	if from == nil {
		return
	}
	n := int64(0)
	for _, path := range known {
		if path != source && path != parent && t.shapes.akin(from, path) && !t.texts.met(path) {
			n++
		}
	}
	for _, node := range from {
		node.Met += n
	}
}

// Doubtful reports whether the shape of a path may be endless. The first URLs of a shape, which
// lead into it, do not count.
func (t *Tree) Doubtful(path string) bool {
	way := t.shapes.whole(path)
	if way == nil {
		return false
	}
	n := way[len(way)-1]
	return n.Met <= crossings && 20*(n.Found-n.Own-entrances) <= n.Found
}

// Scout reports whether a new URL is to be fetched before others: too little is known of its shape,
// or whether that has an end. scout says that the page that names the URL is a scout itself. If the
// shape grows, and the naming page is of the same shape, only URLs that a scout names are scouts,
// and those that one in four other pages names: so a few ways are followed to their ends, not all
// of them at once.
func (t *Tree) Scout(path, source string, scout bool) bool {
	way := t.shapes.whole(path)
	if way == nil {
		return true
	}
	leaf := way[len(way)-1]
	if !suspect(leaf) && (proven(leaf) || tried(leaf) >= provenFrom && leaf.Useful+leaf.Led == 0) {
		return false
	}
	return scout || !grows(leaf) || !t.Alike(path, source) || hash(source)%4 == 0
}

// Listed notes that a feed or a sitemap named new pages.
func (t *Tree) Listed(source string, now int64) {
	if way := t.shapes.whole(source); way != nil {
		t.budget.spend(way, -perListed, now)
	}
}

// Answer is the result of a request, as far as the shape of its URL counts it.
type Answer uint8

// The answers.
const (
	Body     Answer = iota // a page: its text is judged later (Read)
	Judged                 // a page whose text is judged already: its digest came first
	List                   // a feed or a sitemap
	Redirect               // to another URL
	Missing                // 4xx
)

// Fetched notes an answer. first says that the URL was never answered before; only then it is
// counted by kind and costs budget.
func (t *Tree) Fetched(path string, a Answer, bytes int64, first bool, now int64) {
	way := t.grow(path)
	for _, n := range way {
		n.Fetched++
		n.Bytes += bytes
		if first {
			switch a {
			case Body:
				await(n, 1, now)
			case List:
				n.Lists++
			case Redirect:
				n.Redirect++
			case Missing:
				n.Missing++
			}
		}
	}
	if first && a != Body && a != Judged {
		t.guessed(path, way[len(way)-1], false)
		t.budget.judged(way, 1, now)
	}
}

// Text describes the text that extract found in a page.
type Text struct {
	Fingerprint uint32 // of its words without dates and words of the URL; 0 = none
	Exact       uint32 // of all its words
	Document    bool   // it became a document
	NoIndex     bool
	Soft404     bool
	Fit         bool     // extract judged it useful
	First       bool     // the page had no digest before
	Awaited     bool     // its answer was noted before (Fetched)
	Changed     bool     // the text changed since the last digest
	Sources     []string // paths of the pages of this host that led to it, nearest first
}

// Read notes the text of a page. It reports whether the text is useful: a document that the host
// did not have, in the first digest of its page.
func (t *Tree) Read(path string, x Text, now int64) bool {
	way := t.grow(path)
	known := t.texts.had(x.Fingerprint)
	fresh := x.Document && !known && !t.asked(x.Exact)
	t.compare(path, way, x)
	for _, n := range way {
		if x.First && x.Awaited {
			await(n, -1, now)
		}
	}
	if !x.First {
		t.readAgain(way, x, fresh, now)
		return false
	}
	if x.Document && x.Exact != 0 {
		t.blanked(path, x.Exact)
	}
	useful := fresh && !x.Soft404
	t.guessed(path, way[len(way)-1], useful)
	for _, n := range way {
		switch {
		case useful:
			n.Useful++
			if x.Fit {
				n.Fit++
			}
		case x.NoIndex:
			n.Noindex++
		case x.Soft404:
			n.Soft404++
		case !x.Document:
			n.Empty++
		default:
			n.Duplicate++
		}
	}
	for _, n := range way {
		if n.Recent <<= 1; useful {
			n.Recent |= 1
		}
	}
	if known && x.Document && t.texts.twice(x.Fingerprint) {
		for _, n := range way {
			n.Twice++
		}
	}
	cost := int32(1)
	switch leaf := way[len(way)-1]; {
	case useful:
		cost = -perUseful
		t.lead(way, x.Sources, now)
	case x.Document && leaf.Useful < provenFrom && tried(leaf) > provenFrom && !t.texts.brought(path):
		cost = perBarren
	}
	t.budget.judged(way, cost, now)
	return useful
}

// readAgain notes a further digest of a page. A changed text that the host did not have earns as a
// new one does.
func (t *Tree) readAgain(way []*schema.PatternNode, x Text, fresh bool, now int64) {
	for _, n := range way {
		n.Checked++
		if x.Changed {
			n.Changed++
		}
	}
	if fresh && x.Changed {
		t.budget.spend(way, -perUseful, now)
	}
}

// lead rewards the shapes of the pages that led to a useful page. It stops at the first one with
// the useful page's own shape, or with an unknown shape.
func (t *Tree) lead(way []*schema.PatternNode, sources []string, now int64) {
	for _, source := range sources {
		from := t.shapes.whole(source)
		if from == nil || from[len(from)-2] == way[len(way)-2] {
			return
		}
		for _, n := range from {
			n.Led++
			if !slices.Contains(way, n) {
				n.LedAway++
			}
		}
		t.budget.spend(from, -perLed, now)
	}
}

// Alike reports whether two paths have the same shape, parameters aside. Unknown shapes are not
// alike.
func (t *Tree) Alike(a, b string) bool {
	x, y := t.shapes.whole(a), t.shapes.whole(b)
	return x != nil && y != nil && x[len(x)-2] == y[len(y)-2]
}
