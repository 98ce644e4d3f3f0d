package page

import (
	"math"
	"slices"
	"strings"

	"golang.org/x/net/html/atom"

	"millrace/consumers/extract/article"
	"millrace/consumers/extract/forest"
)

// A titleColumn is the index of a feature of a candidate.
type titleColumn int

// The features of a candidate.
const (
	tcH1 titleColumn = iota
	tcHeading
	tcNamed
	tcOg
	tcLinked
	tcDoc
	tcMeta
	tcCut
	tcCutWords
	tcCutSite
	tcShare
	tcOrder
	tcLevel
	tcHolds
	tcHeld
	tcAgree
	tcAgreeGap
	tcSlugShare
	tcSite
	tcPathDepth
	tcDistance
	tcKept
	tcDocWords
	tcDocShare
	tcWholeSources
	tcSources
	tcInFurniture
	tcTextShare
	tcEnd
)

// titleNames are the names of the features in the model file.
func titleNames() [tcEnd]string {
	return [tcEnd]string{
		tcH1:           "h1",
		tcHeading:      "heading",
		tcNamed:        "named",
		tcOg:           "og",
		tcLinked:       "linked",
		tcDoc:          "doc",
		tcMeta:         "meta",
		tcCut:          "cut",
		tcCutWords:     "cut-words",
		tcCutSite:      "cut-site",
		tcShare:        "share",
		tcOrder:        "order",
		tcLevel:        "level",
		tcHolds:        "holds",
		tcHeld:         "held",
		tcAgree:        "agree",
		tcAgreeGap:     "agree-gap",
		tcSlugShare:    "slug-share",
		tcSite:         "site",
		tcPathDepth:    "path-depth",
		tcDistance:     "distance",
		tcKept:         "kept",
		tcDocWords:     "doc-words",
		tcDocShare:     "doc-share",
		tcWholeSources: "whole-sources",
		tcSources:      "sources",
		tcInFurniture:  "in-furniture",
		tcTextShare:    "text-share",
	}
}

// TitleNames returns the names of the features of a candidate, in order.
func TitleNames() []string {
	names := titleNames()
	return names[:]
}

// titleContext has everything with which candidates are compared, computed once per page.
//
// It is large because it is a list of such things.
type titleContext struct {
	f      *facts
	p      *article.Page
	choice article.Choice
	list   []title
	at     address
	site   siteNames
	slug   []string
	depth  int
	doc    map[string]bool
	text   map[string]bool // words in the first blocks of the main text
	first  int             // block where the main text begins; -1 if there is none

	like, agree []float32 // by candidate: resemblance to the site's name, and overlap with the sources
	best        float32   // the greatest of agree
}

// maxTitleText is how many different words of the main text are compared with titles.
const maxTitleText = 300

func newTitleContext(f *facts, l linked, p *article.Page, choice article.Choice, url string, t *titles) *titleContext {
	c := &titleContext{f: f, p: p, choice: choice, list: t.list, at: addressOf(url), first: -1, doc: map[string]bool{}, text: map[string]bool{}}
	c.site = namesOfSite(f, l, c.at)
	article.EachWord(f.title, func(w string) { c.doc[w] = true })
	c.readAddress()
	c.readText()
	c.compareAll()
	return c
}

// readAddress takes the words of the path segment with the most words.
func (c *titleContext) readAddress() {
	path, _, _ := strings.Cut(c.at.path, "?")
	c.depth = strings.Count(path, "/")
	if path == "" {
		c.depth = -1
	}
	for segment := range strings.SplitSeq(path, "/") {
		if ws := wordsOf(segment); len(ws) >= len(c.slug) {
			c.slug = ws
		}
	}
}

func (c *titleContext) readText() {
	for i, keep := range c.choice.Keep {
		if !keep || c.p.Blocks[i].Words < 8 {
			continue
		}
		if c.first < 0 {
			c.first = i
		}
		if len(c.text) >= maxTitleText {
			return
		}
		article.EachWord(c.p.Blocks[i].Text, func(w string) { c.text[w] = true })
	}
}

// compareAll computes what every candidate has in common with the sources that name the page.
func (c *titleContext) compareAll() {
	var voters []*title
	for i := range c.list {
		if in := &c.list[i].in; in[inOG] == whole || in[inTwitter] == whole || in[inLinked] == whole || in[inDoc] == whole || in[inH1] == whole {
			voters = append(voters, &c.list[i])
		}
	}
	for i := range c.list {
		t := &c.list[i]
		agree := float32(0)
		for _, v := range voters {
			agree += overlap(t.words, v.words)
		}
		agree /= float32(max(len(voters), 1))
		c.like, c.agree, c.best = append(c.like, c.site.like(t)), append(c.agree, agree), max(c.best, agree)
	}
}

// overlap returns the F1 of two lists of words.
func overlap(a, b []string) float32 {
	return 2 * float32(shared(a, b)) / float32(len(a)+len(b))
}

// shared returns how many words of a are in b.
func shared(a, b []string) int {
	n := 0
	for _, w := range a {
		if slices.Contains(b, w) {
			n++
		}
	}
	return n
}

// rows returns the features of all candidates, one row after the other.
func (c *titleContext) rows() []float32 {
	out := make([]float32, int(tcEnd)*len(c.list))
	for i := range c.list {
		c.fill(out[i*int(tcEnd):(i+1)*int(tcEnd)], i)
	}
	return out
}

func (c *titleContext) fill(row []float32, i int) {
	t := &c.list[i]
	wholes, all := 0, 0
	for _, at := range t.in {
		wholes += int(boolean(at == whole))
		all += int(boolean(at != nowhere))
	}
	row[tcH1] = float32(t.in[inH1])
	row[tcHeading] = float32(t.in[inHeading])
	row[tcNamed] = float32(t.in[inNamed])
	row[tcOg] = float32(t.in[inOG])
	row[tcLinked] = float32(t.in[inLinked])
	row[tcDoc] = float32(t.in[inDoc])
	row[tcMeta] = float32(t.in[inMeta])
	cutWords, cutSite := 0, float32(0)
	if t.cut.kind != uncut {
		cutWords, cutSite = len(c.list[t.cut.rest].words), c.like[t.cut.rest]
	}
	words := float32(len(t.words))
	holds, held := c.compare(t)
	distance, kept := c.around(t)
	row[tcCut] = float32(t.cut.kind)
	row[tcCutWords] = float32(cutWords)
	row[tcCutSite] = cutSite
	row[tcShare] = words / (words + float32(cutWords))
	row[tcOrder] = float32(t.order)
	row[tcLevel] = float32(t.level)
	row[tcHolds] = holds
	row[tcHeld] = held
	row[tcAgree] = c.agree[i]
	row[tcAgreeGap] = c.best - c.agree[i]
	row[tcSlugShare] = c.slugShare(t)
	row[tcSite] = c.like[i]
	row[tcPathDepth] = float32(c.depth)
	row[tcDistance] = distance
	row[tcKept] = kept
	row[tcDocWords] = float32(len(c.doc))
	row[tcDocShare] = shareIn(t.words, c.doc, 1)
	row[tcWholeSources] = float32(wholes)
	row[tcSources] = float32(all)
	row[tcInFurniture] = boolean(inFurniture(t))
	row[tcTextShare] = shareIn(t.words, c.text, 3)
}

func inFurniture(t *title) bool {
	if t.node == nil {
		return false
	}
	for p := t.node.Parent; p != nil; p = p.Parent {
		switch p.DataAtom {
		case atom.Header, atom.Nav, atom.Footer, atom.Aside:
			return true
		}
	}
	return false
}

// shareIn returns the share of the words of at least least bytes that are in a text; -1 if there is
// nothing to compare.
func shareIn(words []string, text map[string]bool, least int) float32 {
	hit, all := 0, 0
	for _, w := range words {
		if len(w) < least {
			continue
		}
		all++
		if text[w] {
			hit++
		}
	}
	if all == 0 || len(text) == 0 {
		return -1
	}
	return float32(hit) / float32(all)
}

// compare counts the candidates that this one contains (holds), and those that contain it (held).
func (c *titleContext) compare(t *title) (holds, held float32) {
	for i := range c.list {
		o := &c.list[i]
		switch {
		case len(o.key) > len(t.key) && strings.Contains(o.key, t.key):
			held++
		case len(o.key) < len(t.key) && strings.Contains(t.key, o.key):
			holds++
		}
	}
	return holds, held
}

// slugShare returns the share of the title's words that are in the address; -1 if the address has
// fewer than two words.
func (c *titleContext) slugShare(t *title) float32 {
	if len(c.slug) < 2 {
		return -1
	}
	return float32(shared(c.slug, t.words)) / float32(len(t.words))
}

// around returns how many words are between the heading and the main text (logarithm; negative if
// the heading is after the beginning), and whether the heading is part of the main text.
func (c *titleContext) around(t *title) (distance, kept float32) {
	if t.box < 0 || c.first < 0 {
		return -20, -1
	}
	b := &c.p.Boxes[t.box]
	if b.First < b.Last && c.choice.Keep[b.First] {
		kept = 1
	}
	words := 0
	for i := min(b.First, c.first); i < max(b.First, c.first); i++ {
		words += c.p.Blocks[i].Words
	}
	distance = float32(math.Log1p(float64(words)))
	if b.First > c.first {
		distance = -1 - distance
	}
	return distance, kept
}

// Pick returns the candidate with the best odds, -1 if there is none. Of equals the first wins: the
// sources are gathered in the order of trust.
func Pick(f *forest.Forest, rows []float32, columns int) int {
	best, most := -1, float32(0)
	for i := 0; i*columns < len(rows); i++ {
		if odds := f.Odds(rows[i*columns : (i+1)*columns]); best < 0 || odds > most {
			best, most = i, odds
		}
	}
	return best
}
