package article

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// isSkipped says that the element's text is never part of what a reader reads.
func isSkipped(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Noscript:
		return !holdsText(n, noscriptWords)
	case atom.Script, atom.Style, atom.Template, atom.Iframe, atom.Object, atom.Embed, atom.Svg, atom.Canvas,
		atom.Audio, atom.Video, atom.Select, atom.Option, atom.Datalist, atom.Textarea, atom.Head, atom.Title, atom.Map,
		atom.Rp, atom.Rt, atom.Progress, atom.Meter, atom.Noframes, atom.Applet:
		return true
	}
	return false
}

// noscriptWords is the number of words from which the content of a noscript element is text of the
// page: some forum programs serve their threads there. Shorter ones ask for scripts to be enabled.
const noscriptWords = 60

// holdsText reports whether the text below n has at least so many words. It stops counting there.
func holdsText(n *html.Node, words int) bool {
	left := words
	var count func(*html.Node)
	count = func(n *html.Node) {
		for c := n.FirstChild; c != nil && left > 0; c = c.NextSibling {
			switch {
			case c.Type == html.TextNode:
				EachWord(c.Data, func(string) { left-- })
			case c.DataAtom != atom.Script && c.DataAtom != atom.Style:
				count(c)
			}
		}
	}
	count(n)
	return left <= 0
}

// isBlock says that the element starts and ends a paragraph.
func isBlock(a atom.Atom) bool {
	switch a {
	case atom.Address, atom.Article, atom.Aside, atom.Blockquote, atom.Body, atom.Button, atom.Caption, atom.Center, atom.Dd,
		atom.Details, atom.Dialog, atom.Dir, atom.Div, atom.Dl, atom.Dt, atom.Fieldset, atom.Figcaption, atom.Figure,
		atom.Footer, atom.Form, atom.Frameset, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Header,
		atom.Hgroup, atom.Hr, atom.Html, atom.Label, atom.Legend, atom.Li, atom.Main, atom.Menu, atom.Nav, atom.Ol, atom.P,
		atom.Pre, atom.Section, atom.Summary, atom.Table, atom.Tbody, atom.Td, atom.Tfoot, atom.Th, atom.Thead, atom.Tr,
		atom.Ul, atom.Search, atom.Noscript:
		return true
	}
	return false
}

// isHidden reads what the page itself says; style sheets are not read. A dialog is hidden until it
// is opened.
func isHidden(n *html.Node) bool {
	closed := n.DataAtom == atom.Dialog
	for _, a := range n.Attr {
		switch a.Key {
		case "open":
			closed = false
		case "hidden":
			return a.Val != "until-found"
		case "aria-hidden":
			if strings.EqualFold(a.Val, "true") {
				return true
			}
		case "style":
			if v := a.Val; len(v) < 500 && strings.Contains(v, "none") {
				v = strings.ReplaceAll(strings.ToLower(v), " ", "")
				if strings.Contains(v, "display:none") {
					return true
				}
			}
		}
	}
	return closed
}

func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}
