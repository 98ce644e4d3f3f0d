package page

import (
	"math"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"millrace/consumers/extract/article"
	"millrace/consumers/extract/forest"
)

// titleNames are the columns that titleRow fills.
const titleNames = `h1 heading named og twitter linked doc meta picked part-h1 part-heading part-named part-og part-twitter part-linked part-doc part-meta
part of words chars order level h1-count holds held slug-share slug-back site path-depth upper digits count distance kept hidden
doc-words doc-share first-block sources type link named in-furniture in-article text-share summary-share heading-count`

// TitleNames lists what the columns of a candidate's row are.
func TitleNames() []string { return strings.Fields(titleNames) }

// titleContext is what candidates are compared with.
type titleContext struct {
	f      *facts
	l      linked
	p      *article.Page
	choice article.Choice
	url    string
	t      *titles
	slug   []string
	site   string
	doc    map[string]bool
	text   map[string]bool // words of the main text's first blocks
	about  map[string]bool // words of the description
	first  int             // block where the main text begins, -1 without one
	depth  int
}

// maxTitleText is how many different words of the main text titles are compared with.
const maxTitleText = 300

func newTitleContext(f *facts, l linked, p *article.Page, choice article.Choice, url string, t *titles) *titleContext {
	c := &titleContext{f: f, l: l, p: p, choice: choice, url: url, t: t, first: -1}
	_, rest, _ := strings.Cut(url, "://")
	_, path, _ := strings.Cut(rest, "/")
	path, _, _ = strings.Cut(path, "?")
	path = strings.Trim(path, "/")
	c.depth = strings.Count(path, "/")
	if path == "" {
		c.depth = -1
	}
	for segment := range strings.SplitSeq(path, "/") {
		if ws := wordsOf(segment); len(ws) >= len(c.slug) {
			c.slug = ws
		}
	}
	site, _ := f.first("og:site_name", "application-name")
	c.site = strings.Join(wordsOf(site), " ")
	c.doc = map[string]bool{}
	for _, w := range wordsOf(f.title) {
		c.doc[w] = true
	}
	c.text, c.about = map[string]bool{}, map[string]bool{}
	for i, keep := range choice.Keep {
		if !keep || p.Blocks[i].Words < 8 {
			continue
		}
		if c.first < 0 {
			c.first = i
		}
		if len(c.text) < maxTitleText {
			article.EachWord(p.Blocks[i].Text, func(w string) { c.text[w] = true })
		}
	}
	about, _ := f.first("description", "og:description")
	article.EachWord(about, func(w string) { c.about[w] = true })
	return c
}

// rows returns a row for every candidate, one after the other.
func (c *titleContext) rows() []float32 {
	columns := len(TitleNames())
	out := make([]float32, 0, columns*len(c.t.list))
	for i := range c.t.list {
		out = append(out, c.row(&c.t.list[i])...)
	}
	return out
}

func (c *titleContext) row(t *title) []float32 {
	row := make([]float32, 0, 56)
	for bit := range 9 {
		row = append(row, float32(t.sources>>bit&1))
	}
	for bit := range 8 {
		row = append(row, float32(t.sources>>(partShift+bit)&1))
	}
	holds, held := c.compare(t)
	slugShare, slugBack := c.slugShare(t)
	distance, kept, hidden := c.around(t)
	docShare := c.docShare(t)
	return append(row, float32(t.part), float32(len(t.words))/float32(t.of), float32(len(t.words)), float32(len(t.text)),
		float32(t.order), float32(t.level), float32(len(c.f.h1)), holds, held, slugShare, slugBack, c.siteLike(t),
		float32(c.depth), share(t.text, 'A', 'Z'), share(t.text, '0', '9'), float32(len(c.t.list)), distance, kept, hidden,
		float32(len(c.doc)), docShare, c.inFirstBlock(t), float32(ones(t.sources)), formOf(c.l.kind, c.f.meta["og:type"]),
		c.linkOf(t), namedOf(t), boolean(hasAncestor(t, atom.Header, atom.Nav, atom.Footer, atom.Aside)), boolean(hasAncestor(t, atom.Article, atom.Main)),
		shareIn(t, c.text), shareIn(t, c.about), float32(len(c.f.heads)))
}

// linkOf: 1 the heading leads to the site's home page (so it is the site's name), 2 to the page itself (so it is its title), 3 elsewhere.
func (c *titleContext) linkOf(t *title) float32 {
	if t.node == nil {
		return -1
	}
	ref, ok := linkIn(t.node)
	if !ok {
		return 0
	}
	ref, _, _ = strings.Cut(ref, "#")
	_, rest, absolute := strings.Cut(ref, "://")
	path := ref
	if absolute {
		_, path, _ = strings.Cut(rest, "/")
		path = "/" + path
	}
	_, own, _ := strings.Cut(c.url, "://")
	_, own, _ = strings.Cut(own, "/")
	switch {
	case path == "/" || path == "" || path == "/index.html" || path == "./":
		return 1
	case strings.Trim(path, "/") == strings.Trim(own, "/"):
		return 2
	}
	return 3
}

// linkIn returns the target of the link in or around a heading.
func linkIn(n *html.Node) (string, bool) {
	for p := n.Parent; p != nil; p = p.Parent {
		if p.DataAtom == atom.A {
			return attr(p, "href"), true
		}
		if p.DataAtom != atom.Span && p.DataAtom != atom.Div {
			break
		}
	}
	for ch := n.FirstChild; ch != nil; ch = ch.NextSibling {
		if ch.DataAtom == atom.A {
			return attr(ch, "href"), true
		}
		if ch.FirstChild != nil && ch.FirstChild.DataAtom == atom.A {
			return attr(ch.FirstChild, "href"), true
		}
	}
	return "", false
}

// namedOf: what the names of the heading and its parent call it.
func namedOf(t *title) float32 {
	if t.node == nil {
		return -2
	}
	name := attr(t.node, "class") + " " + attr(t.node, "id") + " " + attr(t.node, "itemprop")
	if t.node.Parent != nil {
		name += " " + attr(t.node.Parent, "class") + " " + attr(t.node.Parent, "id")
	}
	name = strings.ToLower(name)
	switch {
	case containsAny(name, "site", "logo", "brand", "blog-title", "widget", "sidebar", "comment", "related", "footer", "banner", "newsletter"):
		return -1
	case containsAny(name, "entry", "post", "article", "story", "headline", "product", "thread", "topic"):
		return 2
	case containsAny(name, "title", "heading"):
		return 1
	}
	return 0
}

func hasAncestor(t *title, tags ...atom.Atom) bool {
	if t.node == nil {
		return false
	}
	for p := t.node.Parent; p != nil; p = p.Parent {
		if slices.Contains(tags, p.DataAtom) {
			return true
		}
	}
	return false
}

// shareIn is how many of the title's longer words stand in a text.
func shareIn(t *title, text map[string]bool) float32 {
	if len(text) == 0 {
		return -1
	}
	hit, all := 0, 0
	for _, w := range t.words {
		if len(w) < 3 {
			continue
		}
		all++
		if text[w] {
			hit++
		}
	}
	if all == 0 {
		return -1
	}
	return float32(hit) / float32(all)
}

// compare counts the other candidates that hold this one, and that this one holds.
func (c *titleContext) compare(t *title) (holds, held float32) {
	for i := range c.t.list {
		o := &c.t.list[i]
		switch {
		case o.key == t.key:
		case len(o.key) > len(t.key) && strings.Contains(o.key, t.key):
			held++
		case len(o.key) < len(t.key) && strings.Contains(t.key, o.key):
			holds++
		}
	}
	return holds, held
}

// slugShare compares with the words of the URL.
func (c *titleContext) slugShare(t *title) (share, back float32) {
	if len(c.slug) < 2 {
		return -1, -1
	}
	hit := 0
	for _, s := range c.slug {
		for _, w := range t.words {
			if w == s {
				hit++
				break
			}
		}
	}
	return float32(hit) / float32(len(c.slug)), float32(hit) / float32(len(t.words))
}

// siteLike: 2 the site's stated name, 1 something like its host.
func (c *titleContext) siteLike(t *title) float32 {
	if c.site != "" && t.key == c.site {
		return 2
	}
	key := strings.ReplaceAll(t.key, " ", "")
	host := strings.ReplaceAll(strings.ReplaceAll(hostOf(c.url), ".", ""), "-", "")
	if len(key) > 3 && strings.Contains(host, key) {
		return 1
	}
	return 0
}

// around: how many words lie between the heading and the main text (logarithm, negative if it stands behind its beginning), whether
// it is part of it, whether it is hidden.
func (c *titleContext) around(t *title) (distance, kept, hidden float32) {
	if t.box < 0 || c.first < 0 {
		return -20, -1, -1
	}
	b := &c.p.Boxes[t.box]
	if b.First < b.Last && c.choice.Keep[b.First] {
		kept = 1
	}
	if b.Hidden {
		hidden = 1
	}
	words := 0
	if b.First <= c.first {
		for i := b.First; i < c.first; i++ {
			words += c.p.Blocks[i].Words
		}
		return float32(math.Log1p(float64(words))), kept, hidden
	}
	for i := c.first; i < b.First; i++ {
		words += c.p.Blocks[i].Words
	}
	return -1 - float32(math.Log1p(float64(words))), kept, hidden
}

func (c *titleContext) docShare(t *title) float32 {
	hit := 0
	for _, w := range t.words {
		if c.doc[w] {
			hit++
		}
	}
	return float32(hit) / float32(len(t.words))
}

func (c *titleContext) inFirstBlock(t *title) float32 {
	if c.first < 0 {
		return -1
	}
	for i := c.first; i < min(c.first+2, len(c.p.Blocks)); i++ {
		if strings.HasPrefix(c.p.Blocks[i].Text, t.text) {
			return 1
		}
	}
	return 0
}

func share(s string, from, to byte) float32 {
	n := 0
	for i := range len(s) {
		if from <= s[i] && s[i] <= to {
			n++
		}
	}
	return float32(n) / float32(len(s))
}

func ones(bits int) int {
	n := 0
	for ; bits != 0; bits &= bits - 1 {
		n++
	}
	return n
}

// Pick returns the candidate with the best odds, -1 if there is none. Of equals the first wins: the sources are gathered in the order of trust.
func Pick(f *forest.Forest, rows []float32, columns int) int {
	best, most := -1, float32(0)
	for i := 0; i*columns < len(rows); i++ {
		if odds := f.Odds(rows[i*columns : (i+1)*columns]); best < 0 || odds > most {
			best, most = i, odds
		}
	}
	return best
}
