package patterns

import (
	"encoding/binary"
	"slices"

	"millrace/schema"
)

// Begin says that the events that follow are a write's. It reports false if the tree has
// that write already: then they must be left out.
func (t *Tree) Begin(ts int64) bool {
	if t.Has(ts) {
		return false
	}
	t.row.At = ts
	return true
}

// Found notes a new URL, and which page of the host named it; "" = something else did.
func (t *Tree) Found(path, source string) {
	ts := t.row.At
	way := t.grow(Tokens(path), ts)
	own := source != "" && t.akin(way, source)
	for _, n := range way {
		n.Found++
		if own {
			n.Own++
		}
	}
}

// Met notes links of a page to known URLs of the host: those that stay in its shape show
// that the shape has an end.
func (t *Tree) Met(source string, known []string) {
	from := t.whole(source)
	if from == nil {
		return
	}
	n := int64(0)
	for _, path := range known {
		if path != source && t.akin(from, path) {
			n++
		}
	}
	for _, node := range from {
		node.Met += n
	}
}

// Listed notes that a feed or a sitemap named new pages.
func (t *Tree) Listed(source string, now int64) {
	if way := t.whole(source); way != nil {
		t.spend(way, -perListed, t.row.At, now)
	}
}

// akin reports whether a path has the shape at the end of a way, or both are nothing but
// tokens that stand for many.
func (t *Tree) akin(way []*schema.PatternNode, path string) bool {
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
	ts := t.row.At
	way := t.grow(Tokens(path), ts)
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
		t.judged(way, 1, now)
	}
}

// Text is what became of a page.
type Text struct {
	Fingerprint uint32 // of its words without dates and words of the URL; 0 = none
	Exact       uint32 // of all its words
	Document    bool   // it makes one
	NoIndex     bool
	Soft404     bool
	Fit         bool   // its text is what one comes for
	First       bool   // it was never read before
	Changed     bool   // since it was read last
	Source      string // path of the page of this host that named it first; "" = something else
}

// Read notes the text of a page, and reports whether it is useful: a text that the host
// did not have.
func (t *Tree) Read(path string, x Text, now int64) bool {
	ts := t.row.At
	way := t.grow(Tokens(path), ts)
	fresh := x.Document && !t.had(x.Fingerprint)
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
		t.lead(way, x.Source, now)
	}
	t.judged(way, cost, now)
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
		t.spend(way, -perUseful, t.row.At, now)
	}
}

// lead rewards the shape of the page that named a useful one first, if that is another.
func (t *Tree) lead(way []*schema.PatternNode, source string, now int64) {
	if source == "" {
		return
	}
	from := t.whole(source)
	if from == nil || from[len(from)-2] == way[len(way)-2] {
		return
	}
	for _, n := range from {
		n.Led++
	}
	t.spend(from, -perLed, t.row.At, now)
}

// judged spends for a URL that was judged for the first time, and looks whether its
// shape is endless.
func (t *Tree) judged(way []*schema.PatternNode, cost int32, now int64) {
	leaf := way[len(way)-1]
	wasProven := proven(leaf)
	if endless := suspect(leaf) && leaf.Own >= endlessOwn && tried(leaf) >= endlessTried; endless != leaf.Endless {
		leaf.Endless = endless
		t.turn(t.row.At)
	}
	t.spend(way, cost, t.row.At, now)
	if n := tried(leaf); wasProven != proven(leaf) || n <= trials {
		t.turn(t.row.At)
	}
}

// textRing is how many texts a tree remembers.
const textRing = 512

// had reports whether the host had a text lately, and remembers it.
func (t *Tree) had(f uint32) bool {
	if f == 0 {
		return false
	}
	if slices.Contains(t.row.Texts, f) {
		return true
	}
	t.row.Texts, t.row.TextsNext = push(t.row.Texts, t.row.TextsNext, textRing, f)
	return false
}

// push writes to a ring of n numbers.
func push(ring []uint32, next uint32, n int, values ...uint32) ([]uint32, uint32) {
	for _, v := range values {
		if len(ring) < n {
			ring = append(ring, v)
		} else {
			ring[int(next)%n] = v
		}
		next = (next + 1) % uint32(n)
	}
	return ring, next
}

// Fingerprint is 32 bits of a hash, never 0 but for an empty one.
func Fingerprint(hash []byte) uint32 {
	if len(hash) < 4 {
		return 0
	}
	return max(1, binary.LittleEndian.Uint32(hash))
}

// Fold is 32 bits of a fingerprint of 64, never 0 but for 0.
func Fold(f uint64) uint32 {
	if f == 0 {
		return 0
	}
	return max(1, uint32(f^f>>32))
}
