package page

import (
	"bytes"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"millrace/consumers/extract/tree"
)

// parse builds the tree of a page as a browser without scripts sees it: the content of noscript is
// part of the page. flat says that the tree was built by flatTree, because the page is nested too
// deeply for the standard's algorithm or would make it build too many nodes.
func parse(body []byte) (root *html.Node, flat bool) {
	n, open := survey(body)
	if open.any(body) {
		body = endRunning(body)
	}
	if n > maxTree {
		return flatTree(body), true
	}
	root, err := tree.Parse(string(body))
	if err != nil {
		return flatTree(body), true
	}
	withoutFrames(root)
	return root, false
}

// withoutFrames gives a page of frames the text that its author wrote for browsers without frames:
// the standard's algorithm takes it for text without markup.
func withoutFrames(root *html.Node) {
	set := frameset(root)
	if set == nil {
		return
	}
	var texts []*html.Node
	for n := range set.Parent.Descendants() {
		if n.DataAtom == atom.Noframes && n.FirstChild != nil {
			texts = append(texts, n)
		}
	}
	for _, n := range texts {
		for _, part := range parseFragment(n.FirstChild.Data) {
			set.Parent.AppendChild(part)
		}
	}
}

// parseFragment returns the nodes of a part of a page; none of one that would make too many.
func parseFragment(s string) []*html.Node {
	body := []byte(s)
	if n, _ := survey(body); n > maxTree/4 {
		return nil
	}
	parts, err := html.ParseFragment(bytes.NewReader(body), &html.Node{Type: html.ElementNode, Data: "body", DataAtom: atom.Body})
	if err != nil {
		return nil
	}
	return parts
}

// frameset returns the element that a page of frames has instead of a body; nil for other pages.
func frameset(root *html.Node) *html.Node {
	for n := range root.ChildNodes() {
		if n.DataAtom != atom.Html {
			continue
		}
		for c := range n.ChildNodes() {
			if c.DataAtom == atom.Frameset {
				return c
			}
		}
	}
	return nil
}

// maxTree bounds the tree of a page: about 80 MB. Eight million bytes of tags would make two
// million nodes, and each of them as many more as there are open formatting elements.
const maxTree = 400_000

// survey returns an upper bound of how many nodes the standard's algorithm builds, and whether an
// element may not be ended. It counts the tags, and for each the formatting elements open before
// it, because the algorithm opens them again in every new block.
func survey(page []byte) (n int, running runsOn) {
	running.comment = -1
	open := 0
	for body := page; ; {
		i := bytes.IndexByte(body, '<')
		if i >= 0 && n > maxTree {
			if i = bytes.LastIndex(body, []byte("<!--")); i >= 0 {
				running.comment = len(page) - len(body) + i
			}
			return n, running
		}
		if i < 0 {
			return n, running
		}
		body = body[i+1:]
		if len(body) > 2 && body[0] == '!' && body[1] == '-' && body[2] == '-' {
			running.comment = len(page) - len(body) - 1
		}
		end := len(body) > 0 && body[0] == '/'
		if end {
			body = body[1:]
		}
		running.tag(body, end)
		switch formatting := formattingTag(body); {
		case formatting && end:
			open = max(0, open-1)
		case formatting:
			open++
		case !end:
			n += open
		}
		n += 2 // with a text
	}
}

// formattingTag reports whether a tag's name is one that the standard calls formatting.
func formattingTag(b []byte) bool {
	var name [8]byte
	n := 0
	for n < len(b) && n < len(name) && b[n]|0x20 >= 'a' && b[n]|0x20 <= 'z' {
		name[n] = b[n] | 0x20
		n++
	}
	switch string(name[:n]) {
	case "a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u":
		return true
	}
	return false
}

// flatDepth bounds the depth of flatTree's tree; deeper elements are put at the last level.
const flatDepth = 64

// flatTree builds a tree directly from tokens, without the standard's corrections: an end tag
// closes the nearest open element of its name. It takes time linear in body, however the tags are
// nested. Tokens after maxTree are left out.
func flatTree(body []byte) *html.Node {
	z := html.NewTokenizer(bytes.NewReader(body))
	root := &html.Node{Type: html.DocumentNode}
	open := []*html.Node{root}
	for n := 0; ; n++ {
		if n > maxTree {
			return root
		}
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

// attribute returns the value of an attribute, and whether there is one.
func attribute(n *html.Node, key string) (string, bool) {
	for i := range n.Attr {
		if n.Attr[i].Key == key {
			return n.Attr[i].Val, true
		}
	}
	return "", false
}

// attr returns the value of an attribute; "" if there is none.
func attr(n *html.Node, key string) string {
	for i := range n.Attr {
		if n.Attr[i].Key == key {
			return n.Attr[i].Val
		}
	}
	return ""
}
