package article

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// isSkipped says that the element's text is never part of what a reader reads.
func isSkipped(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Noscript, atom.Template, atom.Iframe, atom.Object, atom.Embed, atom.Svg, atom.Canvas,
		atom.Audio, atom.Video, atom.Select, atom.Option, atom.Datalist, atom.Textarea, atom.Head, atom.Title, atom.Map,
		atom.Rp, atom.Rt, atom.Progress, atom.Meter, atom.Noframes, atom.Applet:
		return true
	}
	return false
}

// isBlock says that the element starts and ends a paragraph.
func isBlock(a atom.Atom) bool {
	switch a {
	case atom.Address, atom.Article, atom.Aside, atom.Blockquote, atom.Body, atom.Button, atom.Caption, atom.Center, atom.Dd,
		atom.Details, atom.Dialog, atom.Dir, atom.Div, atom.Dl, atom.Dt, atom.Fieldset, atom.Figcaption, atom.Figure,
		atom.Footer, atom.Form, atom.Frameset, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Header,
		atom.Hgroup, atom.Hr, atom.Html, atom.Label, atom.Legend, atom.Li, atom.Main, atom.Menu, atom.Nav, atom.Ol, atom.P,
		atom.Pre, atom.Section, atom.Summary, atom.Table, atom.Tbody, atom.Td, atom.Tfoot, atom.Th, atom.Thead, atom.Tr,
		atom.Ul, atom.Search:
		return true
	}
	return false
}

// isHidden reads what the page itself says; style sheets are not read.
func isHidden(n *html.Node) bool {
	for _, a := range n.Attr {
		switch a.Key {
		case "hidden":
			return a.Val != "until-found"
		case "style":
			if v := a.Val; len(v) < 500 && strings.Contains(v, "none") {
				v = strings.ReplaceAll(strings.ToLower(v), " ", "")
				if strings.Contains(v, "display:none") {
					return true
				}
			}
		}
	}
	return false
}

func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}
