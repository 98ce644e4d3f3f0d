package page

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"millrace/consumers/extract/article"
	"millrace/consumers/extract/plain"
)

// facts holds the elements and values that one walk over the tree collects: all but the text.
//
// It is large because it has one field for each kind.
type facts struct {
	lang    string
	base    string
	based   bool              // an element has said what the base is
	title   string            // of the title element
	meta    map[string]string // name, property or itemprop in lower case: first value
	metas   []string          // names in meta, in order
	stamps  []string          // dates of publication in scripts
	refresh []string
	robots  [][2]string // name, content
	h1      []*html.Node
	heads   []*html.Node // h1 to h3
	times   []*html.Node // time elements and those with a date in an attribute
	bylines []*html.Node // elements that name an author
	dated   []*html.Node // elements whose class indicates a date
	titled  []*html.Node // elements named title or headline
	anchors []*html.Node
	links   []*html.Node
	json    []string
	jsonLen int
	maxJSON int
}

// Bounds for hostile pages.
const (
	maxMeta  = 500
	maxNodes = 5000
)

func scan(root *html.Node, maxJSON int) *facts {
	f := &facts{meta: make(map[string]string, 32), maxJSON: maxJSON}
	f.walk(root)
	return f
}

func (f *facts) walk(n *html.Node) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type == html.ElementNode {
			f.element(c)
			switch c.DataAtom {
			case atom.Svg:
				f.drawing(c)
				continue
			case atom.Script, atom.Style:
				continue
			case atom.Template:
				if !article.IsShadow(c) {
					continue
				}
			}
			f.walk(c)
		}
	}
}

// drawing notes the links of a drawing: the regions of a map, the bars of a chart.
func (f *facts) drawing(svg *html.Node) {
	for n := range svg.Descendants() {
		if n.Type == html.ElementNode && n.DataAtom == atom.A {
			f.anchors = keep(f.anchors, n)
		}
	}
}

func (f *facts) element(n *html.Node) {
	switch n.DataAtom {
	case atom.Html:
		f.lang = firstOf(attr(n, "lang"), attr(n, "xml:lang"), f.lang)
	case atom.Base:
		if href, ok := attribute(n, "href"); ok && !f.based { // the first one counts, also if it is empty
			f.base, f.based = href, true
		}
	case atom.Title:
		if f.title == "" && n.Namespace == "" {
			f.title = plain.Clean(textOf(n))
		}
	case atom.Meta:
		f.metaElement(n)
	case atom.Link:
		f.links = keep(f.links, n)
	case atom.A, atom.Area, atom.Frame, atom.Iframe, atom.Object, atom.Embed:
		f.anchors = keep(f.anchors, n)
	case atom.H1, atom.H2, atom.H3:
		if n.DataAtom == atom.H1 {
			f.h1 = keep(f.h1, n)
		}
		f.heads = keep(f.heads, n)
	case atom.Time, atom.Abbr:
		f.times = keep(f.times, n)
	case atom.Script:
		f.script(n)
	}
	f.marked(n)
}

// marked notes elements whose attributes indicate authors or dates.
func (f *facts) marked(n *html.Node) {
	for i := range n.Attr {
		a := &n.Attr[i]
		switch a.Key {
		case "itemprop":
			f.itemprop(n, a.Val)
		case "property": // RDFa
			if n.DataAtom != atom.Meta && isAuthor(a.Val) {
				f.bylines = keep(f.bylines, n)
			}
		case "class", "id":
			f.named(n, a.Val)
		case "rel":
			if a.Val == "author" {
				f.bylines = keep(f.bylines, n)
			}
		}
	}
}

// isAuthor reports whether a property of RDFa names the author.
func isAuthor(property string) bool {
	switch property[strings.LastIndexAny(property, "/#:")+1:] {
	case "author", "creator":
		return true
	}
	return false
}

func (f *facts) itemprop(n *html.Node, v string) {
	switch v = strings.ToLower(v); v {
	case "headline", "name":
		f.titled = keep(f.titled, n)
	case "author", "creator":
		f.bylines = keep(f.bylines, n)
	case "datepublished", "datemodified", "datecreated", "dateupdated", "uploaddate":
		f.times = keep(f.times, n)
	}
}

func (f *facts) named(n *html.Node, name string) {
	if len(name) > 200 {
		return
	}
	says := saidBy(strings.ToLower(name))
	if says&saysAuthor != 0 {
		f.bylines = keep(f.bylines, n)
	}
	if says&saysTitle != 0 {
		f.titled = keep(f.titled, n)
	}
	if says&saysDate != 0 {
		f.dated = keep(f.dated, n)
	}
}

// What the class or id of an element may say of its content.
const (
	saysAuthor = 1 << iota
	saysTitle
	saysDate
)

// saidBy returns what a name in lower case says, by the words in it.
func saidBy(name string) (says int) {
	for i := range len(name) {
		rest := name[i:]
		switch name[i] {
		case 'a':
			says |= saysIf(saysAuthor, rest, "author", "autor")
		case 'b':
			says |= saysIf(saysAuthor|saysDate, rest, "byline")
		case 'c':
			says |= saysIf(saysDate, rest, "created")
		case 'd':
			says |= saysIf(saysDate, rest, "date", "datum")
		case 'f':
			says |= saysIf(saysDate, rest, "fecha")
		case 'h':
			says |= saysIf(saysTitle, rest, "headline")
		case 'i':
			says |= saysIf(saysDate, rest, "info")
		case 'm':
			says |= saysIf(saysDate, rest, "meta")
		case 'p':
			says |= saysIf(saysDate, rest, "publish", "posted")
		case 't':
			says |= saysIf(saysTitle, rest, "title", "titel") | saysIf(saysDate, rest, "time")
		case 'w':
			says |= saysIf(saysAuthor, rest, "writer")
		}
	}
	return says
}

func saysIf(says int, rest string, words ...string) int {
	for _, w := range words {
		if strings.HasPrefix(rest, w) {
			return says
		}
	}
	return 0
}

func (f *facts) metaElement(n *html.Node) {
	content := attr(n, "content")
	if content == "" || len(f.meta) >= maxMeta {
		return
	}
	if equiv := strings.ToLower(attr(n, "http-equiv")); equiv != "" {
		switch equiv {
		case "refresh":
			f.refresh = append(f.refresh, content)
		default:
			f.put(equiv, content)
		}
	}
	name := strings.ToLower(strings.TrimSpace(attr(n, "name")))
	if name != "" {
		if len(f.robots) < 20 {
			f.robots = append(f.robots, [2]string{name, content})
		}
		f.put(name, content)
	}
	for property := range strings.FieldsSeq(strings.ToLower(attr(n, "property"))) {
		f.put(property, content)
	}
	f.put(strings.ToLower(attr(n, "itemprop")), content)
}

func (f *facts) put(name, content string) {
	if _, seen := f.meta[name]; name != "" && !seen {
		f.meta[name] = content
		f.metas = append(f.metas, name)
	}
}

func (f *facts) script(n *html.Node) {
	if n.FirstChild == nil {
		return
	}
	if !strings.Contains(strings.ToLower(attr(n, "type")), "ld+json") {
		f.stamps = scriptDates(n.FirstChild.Data, f.stamps)
		return
	}
	if data := n.FirstChild.Data; f.jsonLen+len(data) <= f.maxJSON {
		f.json = append(f.json, data)
		f.jsonLen += len(data)
	}
}

// Bounds for dates in scripts. Pages with their whole state in a script also have the dates of
// other pages there, further down.
const (
	maxStamps      = 6
	maxScriptBytes = 512 << 10
)

// scriptDates returns the values of keys like "publishedAt" in the data that pages give to their
// own scripts.
func scriptDates(script string, out []string) []string {
	script = plain.Cut(script, maxScriptBytes)
	publish := strings.Contains(script, "ubli") // a part of all keys but two
	for _, key := range [...]string{"ublishedDate", "ublishDate", "ublishedAt", "ublished_at", "ublish_date", "atePublished", "ublicationDate", "ublicationdate", "ubDate", "reatedAt"} {
		if !publish && key != "ubDate" && key != "reatedAt" {
			continue
		}
		rest := script
		for len(out) < maxStamps {
			i := strings.Index(rest, key)
			if i < 0 {
				break
			}
			rest = rest[i+len(key):]
			if v := stampValue(rest); v != "" {
				out = append(out, v)
			}
		}
	}
	return out
}

// stampValue reads the value after a key: ":"2020-01-02", possibly with escaped quotes.
func stampValue(s string) string {
	s = plain.Cut(s, 60)
	s = strings.TrimLeft(s, "\\\"': =")
	if end := strings.IndexAny(s, "\"'\\,;}"); end >= 8 {
		return s[:end]
	}
	return ""
}

// first returns the first non-empty value among meta names.
func (f *facts) first(names ...string) (value, name string) {
	for _, name := range names {
		if v := plain.Clean(f.meta[name]); v != "" {
			return v, name
		}
	}
	return "", ""
}

func keep(list []*html.Node, n *html.Node) []*html.Node {
	if len(list) >= maxNodes {
		return list
	}
	return append(list, n)
}

func firstOf(values ...string) string {
	for _, v := range values {
		if v != "" {
			return v
		}
	}
	return ""
}

// textOf returns the text below n on one line, scripts left out.
func textOf(n *html.Node) string {
	var b plain.Builder
	gatherText(n, &b, 4<<10)
	return b.String()
}

func gatherText(n *html.Node, b *plain.Builder, max int) {
	for c := n.FirstChild; c != nil && b.Len() < max; c = c.NextSibling {
		switch {
		case c.Type == html.TextNode:
			b.WriteString(c.Data)
		case c.Type != html.ElementNode, c.DataAtom == atom.Script, c.DataAtom == atom.Style, c.DataAtom == atom.Svg, c.DataAtom == atom.Annotation,
			c.DataAtom == atom.Template && !article.IsShadow(c), article.IsHidden(c):
		default:
			if c.DataAtom != atom.Span && c.DataAtom != atom.A && c.DataAtom != atom.B && c.DataAtom != atom.I && c.DataAtom != atom.Em && c.DataAtom != atom.Strong {
				b.Space()
			}
			gatherText(c, b, max)
		}
	}
}
