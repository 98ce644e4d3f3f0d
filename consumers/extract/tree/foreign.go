package tree

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// foreignContent processes a token in an element of SVG or MathML (HTML standard, 13.2.6.5).
func (b *builder) foreignContent() bool {
	switch b.tok.Type {
	case html.TextToken:
		if b.framesetOK {
			b.framesetOK = onlySpace(strings.ReplaceAll(b.tok.Data, "\x00", ""))
		}
		b.insertText(strings.ReplaceAll(b.tok.Data, "\x00", "\ufffd"))
	case html.CommentToken:
		b.insertComment()
	case html.StartTagToken:
		return b.startForeign()
	case html.EndTagToken:
		return b.endForeign()
	}
	return false
}

func (b *builder) startForeign() bool {
	if b.breaksOut() {
		b.leaveForeign()
		return true
	}
	b.insertForeign(b.top().node.Namespace)
	b.z.nextIsNotRawText()
	return false
}

// breaksOut reports whether a start tag is HTML content that ends the foreign content.
func (b *builder) breaksOut() bool {
	switch b.tok.DataAtom {
	case atom.B, atom.Big, atom.Blockquote, atom.Body, atom.Br, atom.Center, atom.Code, atom.Dd, atom.Div, atom.Dl, atom.Dt, atom.Em, atom.Embed,
		atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Head, atom.Hr, atom.I, atom.Img, atom.Li, atom.Listing, atom.Menu, atom.Meta,
		atom.Nobr, atom.Ol, atom.P, atom.Pre, atom.Ruby, atom.S, atom.Small, atom.Span, atom.Strong, atom.Strike, atom.Sub, atom.Sup, atom.Table,
		atom.Tt, atom.U, atom.Ul, atom.Var:
		return true
	case atom.Font:
		for _, a := range b.tok.Attr {
			if a.Key == "color" || a.Key == "face" || a.Key == "size" {
				return true
			}
		}
	}
	return false
}

// leaveForeign closes foreign elements up to one that HTML elements may be in.
func (b *builder) leaveForeign() {
	i := len(b.stack)
	for i > 0 {
		if is := b.stack[i-1].is; is&foreign == 0 || is&(mathText|htmlPoint) != 0 {
			break
		}
		i--
	}
	b.popTo(i)
}

// endForeign closes the nearest foreign element with the name of an end tag; behind those, the mode
// decides.
func (b *builder) endForeign() bool {
	for i := len(b.stack) - 1; i >= 0; i-- {
		e := &b.stack[i]
		if e.is&foreign == 0 {
			return b.process(b.mode)
		}
		if strings.EqualFold(e.node.Data, b.tok.Data) {
			b.popTo(i)
			break
		}
	}
	return false
}

// insertForeign inserts an element of SVG or MathML, with the names that these have.
func (b *builder) insertForeign(namespace string) {
	name := b.tok.Data
	for i := range b.tok.Attr {
		a := &b.tok.Attr[i]
		switch namespace {
		case "svg":
			a.Key = adjusted(svgAttributes, a.Key)
		case "math":
			a.Key = adjusted(mathAttributes, a.Key)
		}
		if foreignAttributes[a.Key] {
			a.Namespace, a.Key, _ = strings.Cut(a.Key, ":")
		}
	}
	if namespace == "svg" {
		name = adjusted(svgElements, name)
	}
	tag := b.tok.DataAtom
	if name != b.tok.Data {
		tag = atom.Lookup([]byte(name))
	}
	n := b.node(html.ElementNode, tag, name, b.tok.Attr)
	n.Namespace = namespace
	b.put(n)
	b.push(n, foreignCategories(n))
	if b.closed {
		b.pop()
	}
}

// foreignCategories returns those of an element of SVG or MathML.
func foreignCategories(n *html.Node) set {
	switch n.Namespace + " " + n.Data {
	case "math mi", "math mo", "math mn", "math ms", "math mtext":
		return foreign | mathText | special | endsScope
	case "svg foreignObject", "svg desc", "svg title":
		return foreign | htmlPoint | special | endsScope
	case "math annotation-xml":
		is := foreign | annotation | special | endsScope
		for _, a := range n.Attr {
			if a.Key == "encoding" && (strings.EqualFold(a.Val, "text/html") || strings.EqualFold(a.Val, "application/xhtml+xml")) {
				is |= htmlPoint
			}
		}
		return is
	}
	return foreign
}
