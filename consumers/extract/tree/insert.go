package tree

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Slabs hold so many nodes, attributes.
const (
	nodeSlab = 64
	attrSlab = 64
)

// node returns a node from the slab.
func (b *builder) node(kind html.NodeType, tag atom.Atom, data string, attr []html.Attribute) *html.Node {
	if len(b.slab) == 0 {
		b.slab = make([]html.Node, nodeSlab)
	}
	n := &b.slab[0]
	b.slab = b.slab[1:]
	n.Type, n.DataAtom, n.Data, n.Attr = kind, tag, data, attr
	return n
}

// insert makes an HTML element of the token, and the current node of it (13.2.6.1, insert an HTML
// element).
func (b *builder) insert() *html.Node {
	n := b.node(html.ElementNode, b.tok.DataAtom, b.tok.Data, b.tok.Attr)
	b.put(n)
	b.push(n, categories(n.DataAtom))
	return n
}

// insertImplied inserts an element whose start tag is not there.
func (b *builder) insertImplied(tag atom.Atom) *html.Node {
	n := b.node(html.ElementNode, tag, tag.String(), nil)
	b.put(n)
	b.push(n, categories(tag))
	return n
}

// insertVoid inserts an element without content.
func (b *builder) insertVoid() {
	b.insert()
	b.pop()
}

// insertComment puts a comment where the next node belongs.
func (b *builder) insertComment() {
	b.put(b.node(html.CommentNode, 0, b.tok.Data, nil))
}

// put puts a node where the next one belongs (13.2.6.1, appropriate place for inserting a node).
func (b *builder) put(n *html.Node) {
	parent, before := b.spot()
	parent.InsertBefore(n, before)
}

// spot returns the parent of the next node and the node that comes after it; nil for the end.
func (b *builder) spot() (parent, before *html.Node) {
	if len(b.stack) == 0 {
		return b.doc, nil
	}
	top := b.top()
	if b.foster && top.is&fosters != 0 {
		return b.fosterSpot()
	}
	return top.node, nil
}

// fosterSpot returns where misplaced content of a table goes: before the table.
func (b *builder) fosterSpot() (parent, before *html.Node) {
	table := b.last(atom.Table)
	template := len(b.stack) - 1
	for template >= 0 && b.stack[template].node.DataAtom != atom.Template {
		template--
	}
	if template > table {
		return b.stack[template].node, nil
	}
	if table < 0 {
		return b.stack[0].node, nil
	}
	if n := b.stack[table].node; n.Parent != nil {
		return n.Parent, n
	}
	return b.stack[table-1].node, nil
}

// insertText puts characters where the next node belongs (13.2.6.1, insert a character). Text that
// follows on text becomes one node.
func (b *builder) insertText(s string) {
	if s == "" {
		return
	}
	parent, before := b.spot()
	previous := parent.LastChild
	switch {
	case before != nil:
		previous = before.PrevSibling
	case b.foster && b.top().is&fosters != 0:
		previous = nil // misplaced text of a template's rows stays in pieces
	}
	if previous == nil || previous.Type != html.TextNode {
		parent.InsertBefore(b.node(html.TextNode, 0, s, nil), before)
		return
	}
	text, ok := b.merged[previous]
	if !ok {
		if b.merged == nil {
			b.merged = map[*html.Node][]byte{}
		}
		text = []byte(previous.Data)
	}
	b.merged[previous] = append(text, s...)
}

// takeSpace takes the white space from the beginning of a text token.
func (b *builder) takeSpace() (space string) {
	s := b.tok.Data
	i := 0
	for i < len(s) && isSpace(s[i]) {
		i++
	}
	b.tok.Data = s[i:]
	return s[:i]
}

func onlySpace(s string) bool {
	for i := range len(s) {
		if !isSpace(s[i]) {
			return false
		}
	}
	return true
}

// dropNUL returns a text without zero bytes.
func dropNUL(s string) string {
	if strings.IndexByte(s, 0) < 0 {
		return s
	}
	return strings.ReplaceAll(s, "\x00", "")
}

// dropLineEnd returns a text without a line end at its beginning, which may be written as character
// references.
func dropLineEnd(s string) string {
	return strings.TrimPrefix(strings.TrimPrefix(s, "\r"), "\n")
}

// clone returns an element like n without its content.
func (b *builder) clone(n *html.Node) *html.Node {
	return b.node(html.ElementNode, n.DataAtom, n.Data, slices.Clone(n.Attr))
}

// addAttributes gives an element those attributes of the token that it does not have.
func (b *builder) addAttributes(n *html.Node) {
	if len(b.tok.Attr) == 0 {
		return
	}
	had := make(map[string]bool, len(n.Attr))
	for _, a := range n.Attr {
		had[a.Key] = true
	}
	for _, a := range b.tok.Attr {
		if !had[a.Key] {
			n.Attr = append(n.Attr, a)
		}
	}
}
