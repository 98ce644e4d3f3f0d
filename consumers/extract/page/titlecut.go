package page

import (
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"millrace/consumers/extract/plain"
)

// A cut says what was removed from a source to get a title.
type cut struct {
	kind cutKind
	rest int // the candidate that is the removed part
}

// A cutKind is the kind of a separator; the kinds are ordered by how surely what is on the other
// side is no part of the title.
type cutKind uint8

const (
	uncut     cutKind = iota
	byColon           // mostly inside a title
	byDash            // as often inside as at the end
	byBar             // nearly always before the site's name
	byElement         // between children of a heading: a line above or below the title
)

// titleSeparators are the separators for candidates. There are more than in separators, because
// here a wrong cut only adds a candidate.
var titleSeparators = [...]struct {
	text string
	kind cutKind
}{
	{" | ", byBar}, {" - ", byDash}, {" – ", byDash}, {" — ", byDash}, {" :: ", byBar}, {" » ", byBar}, {" « ", byBar}, {" · ", byBar},
	{" • ", byBar}, {" / ", byBar}, {" ‹ ", byBar}, {" > ", byBar}, {"_", byBar}, {"|", byBar}, {"ㅣ", byBar}, {": ", byColon}, {" : ", byColon}, {"--", byDash},
	{"－", byDash}, {" @ ", byBar}, {" ~ ", byDash},
}

// maxPieces: a text with more pieces is a list, or a path of breadcrumbs.
const maxPieces = 6

// headingPieces returns the texts of a heading's children, if they are separate parts and not only
// emphasis: a line above, the headline, a line below, buttons.
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

// onlyChild returns the only element in n, if there is nothing else with text.
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
