package page

import (
	"bytes"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// parse builds the tree of a page as a browser without scripts sees it: what stands in noscript is
// part of the page. flat says that it was nested too deeply for the standard's algorithm and was
// built by flatTree.
func parse(body []byte) (root *html.Node, flat bool) {
	root, err := html.ParseWithOptions(bytes.NewReader(body), html.ParseOptionEnableScripting(false))
	if err == nil {
		return root, false
	}
	return flatTree(body), true
}

// flatDepth bounds the tree that flatTree builds; what is nested deeper hangs on its last level.
const flatDepth = 64

// flatTree builds a tree from tokens alone: no adoption agency, no foster parents, an end tag closes the nearest open
// element of its name. It takes time and memory linear in body, however its tags are nested.
func flatTree(body []byte) *html.Node {
	z := html.NewTokenizer(bytes.NewReader(body))
	root := &html.Node{Type: html.DocumentNode}
	open := []*html.Node{root}
	for {
		switch z.Next() {
		case html.ErrorToken:
			return root
		case html.TextToken:
			open[len(open)-1].AppendChild(&html.Node{Type: html.TextNode, Data: string(z.Text())})
		case html.StartTagToken:
			n := element(z.Token())
			open[len(open)-1].AppendChild(n)
			if !isVoid(n.DataAtom) && len(open) < flatDepth {
				open = append(open, n)
			}
		case html.SelfClosingTagToken:
			open[len(open)-1].AppendChild(element(z.Token()))
		case html.EndTagToken:
			name, _ := z.TagName()
			open = closeElement(open, string(name))
		}
	}
}

func element(t html.Token) *html.Node {
	return &html.Node{Type: html.ElementNode, Data: t.Data, DataAtom: t.DataAtom, Attr: t.Attr}
}

func closeElement(open []*html.Node, name string) []*html.Node {
	for i := len(open) - 1; i > 0; i-- {
		if open[i].Data == name {
			return open[:i]
		}
	}
	return open
}

func isVoid(a atom.Atom) bool {
	switch a {
	case atom.Area, atom.Base, atom.Br, atom.Col, atom.Embed, atom.Hr, atom.Img, atom.Input, atom.Link, atom.Meta,
		atom.Param, atom.Source, atom.Track, atom.Wbr:
		return true
	}
	return false
}

// attr returns an attribute's value, "" without it.
func attr(n *html.Node, key string) string {
	for i := range n.Attr {
		if n.Attr[i].Key == key {
			return n.Attr[i].Val
		}
	}
	return ""
}
