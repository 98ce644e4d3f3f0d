package tree

import (
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// initial is the mode before the doctype (HTML standard, 13.2.6.4.1).
func (b *builder) initial() bool {
	switch b.tok.Type {
	case html.TextToken:
		if b.takeSpace(); b.tok.Data == "" {
			return false
		}
	case html.CommentToken:
		b.commentTo(b.doc)
		return false
	case html.DoctypeToken:
		var n *html.Node
		n, b.quirks = b.doctype(b.tok.Data)
		b.doc.AppendChild(n)
		b.mode = beforeHTML
		return false
	}
	b.quirks = true
	return b.become(beforeHTML)
}

func (b *builder) commentTo(parent *html.Node) {
	parent.AppendChild(b.node(html.CommentNode, 0, b.tok.Data, nil))
}

// startsContent reports whether an end tag makes the elements that come before content: the others
// are left out there.
func startsContent(tag atom.Atom) bool {
	return tag == atom.Head || tag == atom.Body || tag == atom.Html || tag == atom.Br
}

// beforeHTML is the mode before the html element (13.2.6.4.2).
func (b *builder) beforeHTML() bool {
	switch b.tok.Type {
	case html.DoctypeToken:
		return false
	case html.TextToken:
		if b.takeSpace(); b.tok.Data == "" {
			return false
		}
	case html.StartTagToken:
		if b.tok.DataAtom == atom.Html {
			b.insert()
			b.mode = beforeHead
			return false
		}
	case html.EndTagToken:
		if !startsContent(b.tok.DataAtom) {
			return false
		}
	case html.CommentToken:
		b.commentTo(b.doc)
		return false
	}
	b.insertImplied(atom.Html)
	return b.become(beforeHead)
}

// beforeHead is the mode before the head (13.2.6.4.3).
func (b *builder) beforeHead() bool {
	switch b.tok.Type {
	case html.DoctypeToken:
		return false
	case html.TextToken:
		if b.takeSpace(); b.tok.Data == "" {
			return false
		}
	case html.StartTagToken:
		switch b.tok.DataAtom {
		case atom.Html:
			return b.inBody()
		case atom.Head:
			b.head = b.insert()
			b.mode = inHead
			return false
		}
	case html.EndTagToken:
		if !startsContent(b.tok.DataAtom) {
			return false
		}
	case html.CommentToken:
		b.insertComment()
		return false
	}
	b.head = b.insertImplied(atom.Head)
	return b.become(inHead)
}

// inHead is the mode of the head (13.2.6.4.4).
func (b *builder) inHead() bool {
	switch b.tok.Type {
	case html.DoctypeToken:
		return false
	case html.TextToken:
		if b.insertText(b.takeSpace()); b.tok.Data == "" {
			return false
		}
	case html.CommentToken:
		b.insertComment()
		return false
	case html.StartTagToken:
		if again, ok := b.startInHead(); ok {
			return again
		}
	case html.EndTagToken:
		switch b.tok.DataAtom {
		case atom.Head:
			b.pop()
			b.mode = afterHead
			return false
		case atom.Template:
			b.endTemplate()
			return false
		case atom.Body, atom.Html, atom.Br:
		default:
			return false
		}
	}
	b.pop()
	return b.become(afterHead)
}

// startInHead processes a start tag in the head; not ok if it ends the head.
func (b *builder) startInHead() (again, ok bool) {
	switch b.tok.DataAtom {
	case atom.Html:
		return b.inBody(), true
	case atom.Base, atom.Basefont, atom.Bgsound, atom.Link, atom.Meta:
		b.insertVoid()
	case atom.Noscript:
		b.z.nextIsNotRawText()
		b.insert()
		b.mode = inHeadNoscript
	case atom.Title, atom.Noframes, atom.Style, atom.Script:
		b.insertRaw()
	case atom.Template:
		b.startTemplate()
	case atom.Head:
	default:
		return false, false
	}
	return false, true
}

// insertRaw inserts an element whose content is text (13.2.6.2).
func (b *builder) insertRaw() {
	b.insert()
	b.original = b.mode
	b.mode = text
}

// text is the mode in an element whose content is text (13.2.6.4.8).
func (b *builder) text() bool {
	switch b.tok.Type {
	case html.ErrorToken:
		b.pop()
		return b.become(b.original)
	case html.TextToken:
		s := b.tok.Data
		if b.current() == atom.Textarea && b.top().node.FirstChild == nil {
			s = dropLineEnd(s)
		}
		b.insertText(s)
	case html.CommentToken:
		b.insertComment()
	case html.EndTagToken:
		b.pop()
		b.mode = b.original
	}
	return false
}

// inHeadNoscript is the mode of noscript in the head (13.2.6.4.5).
func (b *builder) inHeadNoscript() bool {
	switch b.tok.Type {
	case html.DoctypeToken:
		return false
	case html.TextToken:
		if onlySpace(b.tok.Data) {
			return b.inHead()
		}
	case html.CommentToken:
		return b.inHead()
	case html.StartTagToken:
		switch b.tok.DataAtom {
		case atom.Html:
			return b.inBody()
		case atom.Basefont, atom.Bgsound, atom.Link, atom.Meta, atom.Noframes, atom.Style:
			return b.inHead()
		case atom.Head, atom.Noscript:
			b.z.nextIsNotRawText()
			return false
		}
	case html.EndTagToken:
		switch b.tok.DataAtom {
		case atom.Noscript, atom.Br:
		default:
			return false
		}
	}
	b.pop()
	b.mode = inHead
	return b.tok.Type != html.EndTagToken || b.tok.DataAtom == atom.Br
}

// afterHead is the mode between head and body (13.2.6.4.6).
func (b *builder) afterHead() bool {
	switch b.tok.Type {
	case html.DoctypeToken:
		return false
	case html.TextToken:
		if b.insertText(b.takeSpace()); b.tok.Data == "" {
			return false
		}
	case html.CommentToken:
		b.insertComment()
		return false
	case html.StartTagToken:
		if again, ok := b.startAfterHead(); ok {
			return again
		}
	case html.EndTagToken:
		switch b.tok.DataAtom {
		case atom.Template:
			return b.inHead()
		case atom.Body, atom.Html, atom.Br:
		default:
			return false
		}
	}
	b.insertImplied(atom.Body)
	b.framesetOK = true // even after a template in the head
	return b.become(inBody)
}

// startAfterHead processes a start tag after the head; not ok if it is part of the body.
func (b *builder) startAfterHead() (again, ok bool) {
	switch b.tok.DataAtom {
	case atom.Html:
		return b.inBody(), true
	case atom.Body:
		b.insert()
		b.framesetOK = false
		b.mode = inBody
	case atom.Frameset:
		b.insert()
		b.mode = inFrameset
	case atom.Base, atom.Basefont, atom.Bgsound, atom.Link, atom.Meta, atom.Noframes, atom.Script, atom.Style, atom.Template, atom.Title:
		b.push(b.head, categories(atom.Head))
		again = b.inHead()
		if i := b.place(b.head); i >= 0 {
			b.removeOpen(i)
		}
		return again, true
	case atom.Head:
	default:
		return false, false
	}
	return false, true
}
