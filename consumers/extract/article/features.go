package article

import (
	"math"
	"strings"

	"golang.org/x/net/html/atom"
)

// A Reading computes the features of one page.
//
// It is large because each group of features is a method, and values that several of them need are
// computed once and kept.
type Reading struct {
	p      *Page
	h      Hints
	lex    *Lexicon
	sums   []sum // prefix sums over blocks
	boxes  []boxFacts
	signs  []uint64 // of the boxes: see signature
	top    int      // the box that looks most like the article
	window [2]int
	h1     int
	groups map[uint64]sum
	twins  map[string]int
	title  map[string]bool
	begins [256]bool // first bytes of the words in title
	body   string
	about  string

	posts, postWords float32
	articles         int // article elements
}

// sum adds up counts of blocks.
type sum struct {
	words, links, stops, commas, blocks, paragraphs int
}

func (a sum) minus(b sum) sum {
	return sum{a.words - b.words, a.links - b.links, a.stops - b.stops, a.commas - b.commas, a.blocks - b.blocks, a.paragraphs - b.paragraphs}
}

func (a *sum) add(b *Block) {
	a.words += b.Words
	a.links += b.Links
	a.stops += b.Stops
	a.commas += b.Comma
	a.blocks++
	if isParagraph(b) {
		a.paragraphs += b.Words
	}
}

func (a sum) linkShare() float32 {
	if a.words == 0 {
		return -1
	}
	return float32(a.links) / float32(a.words)
}

// isParagraph reports whether the block is running text by its own counts.
func isParagraph(b *Block) bool { return b.Words >= 10 && b.Links*3 < b.Words && b.Stops > 0 }

// Read prepares the features of a page. The lexicon must be the one learned together with the
// forests.
func Read(p *Page, h Hints, lex *Lexicon) *Reading {
	r := &Reading{p: p, h: h, lex: lex}
	if len(p.Blocks) > 0 {
		r.prepare()
	}
	return r
}

// First returns the rows of the first reading: featureCount numbers for each block.
func (r *Reading) First() []float32 {
	if len(r.p.Blocks) == 0 {
		return nil
	}
	return r.first(make([]float32, len(r.p.Blocks)*int(featureCount)))
}

// first writes the rows of the first reading to out.
func (r *Reading) first(out []float32) []float32 {
	var shared [featureCount]float32
	r.whole(shared[:])
	for i := range r.p.Blocks {
		row := out[i*int(featureCount) : (i+1)*int(featureCount)]
		copy(row, shared[:])
		r.own(i, row)
		r.place(i, row)
		r.near(i, row)
		r.around(i, row)
		r.named(i, row)
	}
	return out
}

func (r *Reading) prepare() {
	p := r.p
	r.sums = make([]sum, len(p.Blocks)+1)
	r.groups = make(map[uint64]sum)
	r.twins = make(map[string]int, len(p.Blocks))
	r.h1 = -1
	for i := range p.Blocks {
		b := &p.Blocks[i]
		r.sums[i+1] = r.sums[i]
		r.sums[i+1].add(b)
		r.twins[b.Text]++
		if r.h1 < 0 && b.Tag == atom.H1 {
			r.h1 = i
		}
	}
	r.describeBoxes()
	for i := range p.Blocks {
		b := &p.Blocks[i]
		g := r.groups[r.boxes[b.Box].path]
		g.add(b)
		r.groups[r.boxes[b.Box].path] = g
	}
	r.findTop()
	r.countPosts()
	r.findWindow()
	r.title = wordSet(r.h.Title)
	for w := range r.title {
		r.begins[w[0]] = true
	}
	r.body = squeeze(r.h.Body)
	r.about = squeeze(r.h.Summary)
}

// over returns the sum of the blocks in [from, to).
func (r *Reading) over(from, to int) sum { return r.sums[to].minus(r.sums[from]) }

func (r *Reading) box(i int) sum {
	if i < 0 {
		return sum{}
	}
	return r.over(r.p.Boxes[i].First, r.p.Boxes[i].Last)
}

// own sets the features of the block itself.
func (r *Reading) own(i int, row []float32) {
	b := &r.p.Blocks[i]
	words := float32(b.Words)
	row[fWords] = logOf(b.Words)
	row[fChars] = float32(b.Chars) / words
	row[fLinkShare] = float32(b.Links) / words
	row[fStops] = float32(b.Stops) / words
	row[fCommas] = float32(b.Comma) / words
	row[fUpper] = float32(b.Upper) / words
	row[fDigits] = float32(b.Digit) / float32(b.Chars)
	row[fEndsSentence] = boolean(endsSentence(b.Text))
	row[fTag] = tagOf(b.Tag)
	row[fHidden] = boolean(r.p.Boxes[b.Box].Hidden)
	row[fCopyright] = boolean(strings.Contains(b.Text, "©") || strings.Contains(b.Text, "(c) "))
	row[fPipes] = float32(strings.Count(b.Text, "|")+strings.Count(b.Text, "»")+strings.Count(b.Text, "›")) / words
	row[fIdeographic] = boolean(isWideText(b.Text))
	row[fTitleShare] = r.titleShare(b)
	row[fInSummary], row[fInBody] = r.inStated(b)
	row[fTwins] = float32(min(r.twins[b.Text], 10))
}

// place sets the features of the block's position in the page.
func (r *Reading) place(i int, row []float32) {
	all := r.sums[len(r.p.Blocks)]
	row[fPosition] = float32(r.sums[i].words) / float32(all.words)
	row[fPositionBack] = logOf(all.words - r.sums[i+1].words)
	row[fIndex] = logOf(i)
	row[fAfterH1], row[fBeforeH1] = -1, -1
	if r.h1 >= 0 && i >= r.h1 {
		row[fAfterH1] = logOf(r.over(r.h1, i).words)
	} else if r.h1 >= 0 {
		row[fBeforeH1] = logOf(r.over(i, r.h1).words)
	}
	row[fWindow] = float32(-1)
	switch {
	case i < r.window[0]:
		row[fWindow] = -logOf(r.window[0] - i)
	case i < r.window[1]:
		row[fWindow] = 1
	default:
		row[fWindow] = -logOf(i-r.window[1]+1) - 10
	}
	row[fSinceHeading], row[fHeadingTag] = -1, -1
	for k := i - 1; k >= 0 && k > i-12; k-- {
		if level := headingLevel(r.p.Blocks[k].Tag); level > 0 {
			row[fSinceHeading], row[fHeadingTag] = float32(i-k), float32(level)
			break
		}
	}
	row[fHeadingLevel] = float32(headingLevel(r.p.Blocks[i].Tag))
}

// near sets the features of the blocks before and after.
func (r *Reading) near(i int, row []float32) {
	for _, n := range []struct {
		at                int
		words, links, tag feature
	}{{i - 1, fPrevWords, fPrevLinks, fPrevTag}, {i + 1, fNextWords, fNextLinks, fNextTag}, {i - 2, fPrev2Words, fPrev2Links, -1}, {i + 2, fNext2Words, fNext2Links, -1}} {
		words, links, tag := float32(-1), float32(-1), float32(-1)
		if n.at >= 0 && n.at < len(r.p.Blocks) {
			b := &r.p.Blocks[n.at]
			words, links, tag = logOf(b.Words), float32(b.Links)/float32(b.Words), tagOf(b.Tag)
		}
		row[n.words], row[n.links] = words, links
		if n.tag >= 0 {
			row[n.tag] = tag
		}
	}
	around := r.over(max(i-4, 0), min(i+5, len(r.p.Blocks)))
	row[fNearWords], row[fNearLinks] = logOf(around.words), around.linkShare()
	around = r.over(max(i-10, 0), min(i+11, len(r.p.Blocks)))
	row[fParagraphsNear] = logOf(around.paragraphs)
}

// whole sets the features that are equal for all blocks of the page.
func (r *Reading) whole(row []float32) {
	all := r.sums[len(r.p.Blocks)]
	row[fPageWords] = logOf(all.words)
	row[fPageLinks] = all.linkShare()
	row[fPageBlocks] = logOf(all.blocks)
	row[fPageParagraphs] = float32(all.paragraphs) / float32(all.words)
	row[fPageForm] = r.h.Form
	row[fArticles] = float32(min(r.articles, 10))
	row[fPosts], row[fPostWords] = r.posts, r.postWords
}

// titleShare returns how much of the block is in the title, and the other way round.
func (r *Reading) titleShare(b *Block) float32 {
	if len(r.title) == 0 || b.Words > 40 {
		return 0
	}
	hit, n := 0, 0
	EachWord(b.Text, func(w string) {
		if n++; r.begins[w[0]] && r.title[w] {
			hit++
		}
	})
	if n == 0 {
		return 0
	}
	return float32(hit) / float32(max(n, len(r.title)))
}

// inStated returns whether the page's own description, and the article in its data, contain the
// block's beginning.
func (r *Reading) inStated(b *Block) (about, body float32) {
	start := ""
	if b.Words >= 4 && (r.about != "" || r.body != "") {
		start = squeeze(cutRunes(b.Text, 80))
	}
	return contains(r.about, start), contains(r.body, start)
}

// contains returns 1 if the text contains the beginning of a block, 0 if not or if that is too
// short, -1 if there is no text.
func contains(text, start string) float32 {
	if text == "" {
		return -1
	}
	return boolean(len(start) > 8 && strings.Contains(text, start))
}

// logOf is the logarithm of 1 + n.
func logOf(n int) float32 {
	if n = max(n, 0); n < len(logs) {
		return logs[n]
	}
	return float32(math.Log1p(float64(n)))
}

// logs are those of small numbers: nearly all.
var logs = func() (table [2048]float32) {
	for n := range table {
		table[n] = float32(math.Log1p(float64(n)))
	}
	return table
}()

func boolean(b bool) float32 {
	if b {
		return 1
	}
	return 0
}

// tagOf orders tags from most to least article-like, so that one threshold divides them.
func tagOf(a atom.Atom) float32 {
	switch a {
	case atom.P:
		return 0
	case atom.Blockquote:
		return 1
	case atom.Pre:
		return 2
	case atom.H1:
		return 3
	case atom.H2:
		return 4
	case atom.H3:
		return 5
	case atom.H4, atom.H5, atom.H6:
		return 6
	case atom.Dd, atom.Dt:
		return 7
	case atom.Figcaption, atom.Caption:
		return 8
	case atom.Td, atom.Th:
		return 9
	case atom.Li:
		return 10
	case atom.Article, atom.Section, atom.Main:
		return 11
	case atom.Div, atom.Center:
		return 12
	case atom.Header, atom.Footer, atom.Aside, atom.Nav:
		return 13
	case atom.Form, atom.Label, atom.Button, atom.Legend, atom.Fieldset:
		return 14
	}
	return 15
}

func headingLevel(a atom.Atom) int {
	switch a {
	case atom.H1:
		return 1
	case atom.H2:
		return 2
	case atom.H3:
		return 3
	case atom.H4:
		return 4
	case atom.H5, atom.H6:
		return 5
	}
	return 0
}
