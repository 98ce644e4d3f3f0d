package page

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"millrace/consumers/extract/article"
	"millrace/consumers/extract/plain"
)

// A title is one string that may be the page's title, with every place it was found in.
type title struct {
	text    string
	words   []string // lower case
	key     string   // words with blanks between: two spellings of one title share it
	sources int      // bits
	part    int      // 0 the whole of a source, 1 its beginning, 2 its end, 3 a piece between
	of      int      // words of the source it is part of
	order   int      // of the heading, -1 if it is none
	level   int      // of the heading, 9 if it is none
	box     int      // of the heading, -1 if it is none
	node    *html.Node
}

// The sources, as bits.
const (
	inH1 = 1 << iota
	inHeading
	inNamed // an element named title or headline
	inOG
	inTwitter
	inLinked
	inDoc
	inMeta
	inPicked // what the rule of thumb took
)

const maxTitles = 60

// titles gathers the candidates of a page.
type titles struct {
	list  []title
	index map[string]int
}

func gatherTitles(f *facts, l linked, p *article.Page, picked string) *titles {
	t := &titles{index: make(map[string]int, 32)}
	t.whole(picked, inPicked)
	t.source(f.meta["og:title"], inOG)
	t.source(f.meta["twitter:title"], inTwitter)
	t.source(l.headline, inLinked)
	t.source(f.title, inDoc)
	t.source(firstOf(f.meta["title"], f.meta["dc.title"], f.meta["dcterms.title"]), inMeta)
	boxes := headingBoxes(p)
	for i, n := range f.heads[:min(len(f.heads), 12)] {
		t.heading(n, i, boxes)
	}
	for _, n := range f.titled[:min(len(f.titled), 8)] {
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
	bit, level := inHeading, 2
	switch n.DataAtom {
	case atom.H1:
		bit, level = inH1, 1
	case atom.H3:
		level = 3
	}
	s := textOf(n)
	c := t.source(s, bit)
	if c != nil && c.order < 0 {
		c.order, c.level, c.node = order, level, n
		if b, ok := boxes[n]; ok {
			c.box = b
		}
	}
}

// source adds a text and its pieces between separators.
func (t *titles) source(s string, bit int) *title {
	s = plain.Clean(html.UnescapeString(s))
	i := t.whole(s, bit)
	if i < 0 {
		return nil
	}
	of := len(t.list[i].words)
	for _, sep := range titleSeparators {
		pieces := strings.Split(s, sep)
		if len(pieces) < 2 || len(pieces) > 6 {
			continue
		}
		for k := 1; k < len(pieces); k++ {
			t.part(strings.Join(pieces[:k], sep), bit, 1, of)
			t.part(strings.Join(pieces[k:], sep), bit, 2, of)
			if k < len(pieces)-1 {
				t.part(pieces[k], bit, 3, of)
			}
		}
	}
	return &t.list[i]
}

// titleSeparators stand between the pieces of titles; more of them than separators, for here a wrong cut costs nothing.
var titleSeparators = [...]string{" | ", " - ", " – ", " — ", " :: ", " » ", " « ", " · ", " • ", " / ", " ‹ ", " > ", "_", "|", ": ", " : ", "--", "－", " @ ", " ~ "}

// whole notes a candidate and returns its index, -1 if it is none.
func (t *titles) whole(s string, bit int) int {
	if len(s) > 600 || s == "" {
		return -1
	}
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
		t.list = append(t.list, title{text: s, words: ws, key: key, part: 0, of: len(ws), order: -1, level: 9, box: -1})
	}
	c := &t.list[i]
	c.sources |= bit
	c.part = 0
	c.of = len(ws)
	return i
}

func (t *titles) part(s string, bit, part, of int) {
	s = plain.Clean(s)
	ws := wordsOf(s)
	if len(ws) == 0 || len(t.list) >= maxTitles {
		return
	}
	key := strings.Join(ws, " ")
	if i, seen := t.index[key]; seen {
		t.list[i].sources |= bit << partShift
		return
	}
	t.index[key] = len(t.list)
	t.list = append(t.list, title{text: s, words: ws, key: key, sources: bit << partShift, part: part, of: of, order: -1, level: 9, box: -1})
}

// from names the places a candidate was found in.
func (t *title) from() string {
	names := [...]string{"h1", "heading", "element named title", "og:title", "twitter:title", "json-ld", "title element", "meta title"}
	var out []string
	for bit, name := range names {
		switch {
		case t.sources>>bit&1 == 1:
			out = append(out, name)
		case t.sources>>(bit+partShift)&1 == 1:
			out = append(out, "part of "+name)
		}
	}
	return strings.Join(out, ", ")
}

// partShift moves a source's bit to where it says that only a piece of the source is meant.
const partShift = 10

// wordsOf cuts s into words in lower case, wide characters one by one.
func wordsOf(s string) []string {
	var out []string
	article.EachWord(s, func(w string) { out = append(out, w) })
	return out
}
