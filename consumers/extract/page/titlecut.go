package page

import (
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"millrace/consumers/extract/plain"
)

// A cut is what was taken off a source to get a title.
type cut struct {
	kind cutKind
	rest int // candidate
}

// A cutKind orders separators by how surely they part a title from something else.
type cutKind uint8

const (
	uncut     cutKind = iota
	byColon           // more often inside a title than at its end
	byDash            // both
	byBar             // nearly always before the site's name
	byElement         // inside a heading: a kicker above or a line below
)

// titleSeparators stand between the pieces of titles; more of them than separators, for here a
// wrong cut costs nothing.
var titleSeparators = [...]struct {
	text string
	kind cutKind
}{
	{" | ", byBar}, {" - ", byDash}, {" – ", byDash}, {" — ", byDash}, {" :: ", byBar}, {" » ", byBar}, {" « ", byBar}, {" · ", byBar},
	{" • ", byBar}, {" / ", byBar}, {" ‹ ", byBar}, {" > ", byBar}, {"_", byBar}, {"|", byBar}, {"ㅣ", byBar}, {": ", byColon}, {" : ", byColon}, {"--", byDash},
	{"－", byDash}, {" @ ", byBar}, {" ~ ", byDash},
}

// maxPieces: what falls into more pieces is a list or a trail of breadcrumbs.
const maxPieces = 6

// headingPieces are the texts of a heading's children, where they are more than emphasis: kicker,
// headline, line below, buttons.
func headingPieces(n *html.Node) []string {
	for only := onlyChild(n); only != nil; only = onlyChild(n) {
		n = only
	}
	var out []string
	var b plain.Builder
	end := func() {
		if b.Len() > 0 {
			out = append(out, b.String())
		}
		b.Reset()
	}
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch {
		case c.Type == html.TextNode:
			b.WriteString(c.Data)
		case c.Type != html.ElementNode:
		case c.DataAtom == atom.Em || c.DataAtom == atom.I || c.DataAtom == atom.B || c.DataAtom == atom.Sup || c.DataAtom == atom.Sub || c.DataAtom == atom.Wbr:
			gatherText(c, &b, 4<<10)
		default:
			end()
			gatherText(c, &b, 4<<10)
			end()
		}
	}
	end()
	return out
}

// onlyChild returns the one element below n if there is nothing else with text.
func onlyChild(n *html.Node) *html.Node {
	var only *html.Node
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch {
		case c.Type == html.TextNode && plain.Clean(c.Data) == "":
		case c.Type == html.ElementNode && only == nil:
			only = c
		case c.Type == html.CommentNode:
		default:
			return nil
		}
	}
	return only
}
