package page

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"millrace/consumers/extract/article"
	"millrace/consumers/extract/plain"
)

// A title is a candidate: one string that may be the page's title, with all places where it was
// found.
type title struct {
	text    string
	words   []string       // lower case
	key     string         // words separated by spaces: equal for two spellings of one title
	in      [sources]place // which part of each source it is
	cut     cut            // how it was cut from a source, if it is never a whole one
	isWhole bool
	order   int // of the heading, or of an h1 among the h1s; -1 if it is none
	level   int // of the heading; 9 if it is none
	box     int // of the heading; -1 if it is none
	node    *html.Node
}

// A source is a place from which titles are read.
type source int

const (
	inH1 source = iota
	inHeading
	inNamed // an element named title or headline
	inOG
	inTwitter
	inLinked
	inDoc
	inMeta
	inPicked // the choice of pickTitle
	sources
)

// A place says which part of a source a title is, the least trusted first.
type place uint8

const (
	nowhere place = iota
	between
	atEnd
	atBeginning
	whole
)

// Bounds for hostile pages, and for pages with many headings.
const (
	maxTitles   = 64
	maxH1       = 6
	maxHeadings = 12
	maxNamed    = 8
)

// titles collects the candidates of a page.
type titles struct {
	list  []title
	index map[string]int
}

func gatherTitles(f *facts, l linked, p *article.Page, picked string) *titles {
	t := &titles{index: make(map[string]int, 32)}
	t.add(picked, inPicked, whole)
	t.source(f.meta["og:title"], inOG)
	t.source(f.meta["twitter:title"], inTwitter)
	t.source(l.headline, inLinked)
	t.source(f.title, inDoc)
	t.source(firstOf(f.meta["title"], f.meta["dc.title"], f.meta["dc:title"], f.meta["dcterms.title"], f.meta["parsely-title"], f.meta["sailthru.title"]), inMeta)
	boxes := headingBoxes(p)
	for i, n := range f.h1[:min(len(f.h1), maxH1)] { // they may come after many headings of a menu
		t.heading(n, i, boxes)
	}
	for i, n := range f.heads[:min(len(f.heads), maxHeadings)] {
		t.heading(n, i, boxes)
	}
	for _, n := range f.titled[:min(len(f.titled), maxNamed)] {
		if c := t.source(textOf(n), inNamed); c != nil && c.node == nil {
			c.node = n
		}
	}
	return t
}

func headingBoxes(p *article.Page) map[*html.Node]int {
	m := make(map[*html.Node]int, 16)
	for i := range p.Boxes {
		switch n := p.Boxes[i].Node; n.DataAtom {
		case atom.H1, atom.H2, atom.H3:
			m[n] = i
		}
	}
	return m
}

func (t *titles) heading(n *html.Node, order int, boxes map[*html.Node]int) {
	from, level := inHeading, 2
	switch n.DataAtom {
	case atom.H1:
		from, level = inH1, 1
	case atom.H3:
		level = 3
	}
	c := t.source(textOf(n), from)
	if c == nil {
		return
	}
	if c.order < 0 {
		c.order, c.level, c.node = order, level, n
		if b, ok := boxes[n]; ok {
			c.box = b
		}
	}
	if from == inH1 {
		t.pieces(headingPieces(n), " ", from, byElement)
	}
}

// source adds a text as a candidate, and the pieces of it between separators.
func (t *titles) source(s string, from source) *title {
	s = plain.Clean(html.UnescapeString(s))
	i := t.add(s, from, whole)
	if i < 0 {
		return nil
	}
	for _, sep := range titleSeparators {
		t.pieces(strings.Split(s, sep.text), sep.text, from, sep.kind)
	}
	return &t.list[i]
}

// pieces adds all beginnings and ends of a source, and the pieces between.
func (t *titles) pieces(pieces []string, sep string, from source, kind cutKind) {
	if len(pieces) < 2 || len(pieces) > maxPieces {
		return
	}
	for k := 1; k < len(pieces); k++ {
		head := t.add(strings.Join(pieces[:k], sep), from, atBeginning)
		tail := t.add(strings.Join(pieces[k:], sep), from, atEnd)
		t.part(head, kind, tail)
		t.part(tail, kind, head)
		if k < len(pieces)-1 {
			t.part(t.add(pieces[k], from, between), kind, tail)
		}
	}
}

// part notes from what a candidate was cut, unless that is known.
func (t *titles) part(i int, kind cutKind, rest int) {
	if i >= 0 && rest >= 0 && i != rest && !t.list[i].isWhole && t.list[i].cut.kind == uncut {
		t.list[i].cut = cut{kind, rest}
	}
}

// add adds a candidate or a place of one, and returns its index; -1 if the text cannot be a title.
func (t *titles) add(s string, from source, at place) int {
	if len(s) > 600 || s == "" {
		return -1
	}
	s = plain.Clean(s)
	ws := wordsOf(s)
	if len(ws) == 0 {
		return -1
	}
	key := strings.Join(ws, " ")
	i, seen := t.index[key]
	if !seen {
		if len(t.list) >= maxTitles {
			return -1
		}
		i = len(t.list)
		t.index[key] = i
		t.list = append(t.list, title{text: s, words: ws, key: key, order: -1, level: 9, box: -1})
	}
	o := &t.list[i]
	o.in[from] = max(o.in[from], at)
	if at == whole {
		o.isWhole, o.cut = true, cut{}
	}
	return i
}

// from names the places where a candidate was found.
func (t *title) from() string {
	names := [...]string{"h1", "heading", "element named title", "og:title", "twitter:title", "json-ld", "title element", "meta title"}
	var out []string
	for i, name := range names {
		switch t.in[i] {
		case nowhere:
		case whole:
			out = append(out, name)
		default:
			out = append(out, "part of "+name)
		}
	}
	return strings.Join(out, ", ")
}

// wordsOf splits s into words in lower case; a wide character (Han, kana) is a word.
func wordsOf(s string) []string {
	var out []string
	article.EachWord(s, func(w string) { out = append(out, w) })
	return out
}
