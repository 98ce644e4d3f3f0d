package patterns

import (
	"slices"

	"millrace/schema"
)

// Found notes a new URL, and which page of the host named it; "" = something else did.
func (t *Tree) Found(path, source string) {
	way := t.grow(path)
	own := source != "" && t.shapes.akin(way, source)
	for _, n := range way {
		n.Found++
		if own {
			n.Own++
		}
	}
}

// Named notes that a page of the host named new URLs, whether they were let in or not.
func (t *Tree) Named(source string, paths []string) {
	from := t.shapes.whole(source)
	if from == nil || !slices.ContainsFunc(paths, func(p string) bool { return t.shapes.akin(from, p) }) {
		return
	}
	for _, n := range from {
		n.Parents++
	}
}

// Met notes links of a page to known URLs of the host. Pages of its own shape beside its parent,
// the page that named it first, show that the shape has an end; what every page names counts once.
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

// Doubtful reports whether it is not known yet if the shape of a path has an end.
func (t *Tree) Doubtful(path string) bool {
	way := t.shapes.whole(path)
	return way != nil && grows(way[len(way)-1])
}

// Scout reports whether a new URL that a page names is to be asked for before others, since little
// is known of its shape, or whether that has an end. Of pages that name their own kind only those
// that a scout names are scouts, and those that one in four others name: so a few ways are followed
// to their ends, not all of them side by side. scout says that the page that names it is one.
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

// Answer is what a request for a URL itself came to, where there is no text to judge.
type Answer uint8

// The answers.
const (
	Body     Answer = iota // a page: its text is judged later
	List                   // a feed or a sitemap
	Redirect               // to elsewhere
	Missing                // 4xx
)

// Fetched notes an answer. first says that the URL was never answered before: only that
// counts against its shape.
func (t *Tree) Fetched(path string, a Answer, bytes int64, first bool, now int64) {
	way := t.grow(path)
	for _, n := range way {
		n.Fetched++
		n.Bytes += bytes
		if first {
			switch a {
			case List:
				n.Lists++
			case Redirect:
				n.Redirect++
			case Missing:
				n.Missing++
			}
		}
	}
	if first && a != Body {
		t.budget.judged(way, 1, now)
	}
}

// Text is what became of a page.
type Text struct {
	Fingerprint uint32 // of its words without dates and words of the URL; 0 = none
	Exact       uint32 // of all its words
	Document    bool   // it makes one
	NoIndex     bool
	Soft404     bool
	Fit         bool     // its text is what one comes for
	First       bool     // it was never read before
	Changed     bool     // since it was read last
	Sources     []string // paths of the page of this host that named it first, of the one that named that, …
}

// Read notes the text of a page, and reports whether it is useful: a text that the host
// did not have.
func (t *Tree) Read(path string, x Text, now int64) bool {
	way := t.grow(path)
	fresh := x.Document && !t.texts.had(x.Fingerprint)
	t.compare(path, way, x)
	if !x.First {
		t.readAgain(way, x, fresh, now)
		return false
	}
	useful := fresh && !x.Soft404
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
	cost := int32(1)
	if useful {
		cost = -perUseful
		t.lead(way, x.Sources, now)
	}
	t.budget.judged(way, cost, now)
	return useful
}

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

// lead rewards the shapes of the pages that led to a useful one first, up to a page of its own
// shape.
func (t *Tree) lead(way []*schema.PatternNode, sources []string, now int64) {
	for _, source := range sources {
		from := t.shapes.whole(source)
		if from == nil || from[len(from)-2] == way[len(way)-2] {
			return
		}
		for _, n := range from {
			n.Led++
		}
		t.budget.spend(from, -perLed, now)
	}
}

// Alike reports whether two paths are of one shape.
func (t *Tree) Alike(a, b string) bool {
	x, y := t.shapes.whole(a), t.shapes.whole(b)
	return x != nil && y != nil && x[len(x)-2] == y[len(y)-2]
}
