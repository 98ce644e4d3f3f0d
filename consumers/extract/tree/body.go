package tree

import (
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// inBody is the mode of the body (HTML standard, 13.2.6.4.7).
func (b *builder) inBody() bool {
	switch b.tok.Type {
	case html.TextToken:
		b.bodyText()
	case html.CommentToken:
		b.insertComment()
	case html.StartTagToken:
		return b.startInBody()
	case html.EndTagToken:
		return b.endInBody()
	case html.ErrorToken:
		if len(b.templates) > 0 {
			return b.inTemplate()
		}
	}
	return false
}

func (b *builder) bodyText() {
	s := b.tok.Data
	if tag := b.current(); (tag == atom.Pre || tag == atom.Listing) && b.top().node.FirstChild == nil {
		s = dropLineEnd(s)
	}
	if s = dropNUL(s); s == "" {
		return
	}
	b.reconstruct()
	b.insertText(s)
	if b.framesetOK && !onlySpace(s) {
		b.framesetOK = false
	}
}

// startInBody processes a start tag. The cases of the standard are in the methods that it calls.
func (b *builder) startInBody() bool {
	switch tag := b.tok.DataAtom; tag {
	case atom.Address, atom.Article, atom.Aside, atom.Blockquote, atom.Center, atom.Details, atom.Dialog, atom.Dir, atom.Div, atom.Dl,
		atom.Fieldset, atom.Figcaption, atom.Figure, atom.Footer, atom.Header, atom.Hgroup, atom.Main, atom.Menu, atom.Nav, atom.Ol, atom.P,
		atom.Search, atom.Section, atom.Summary, atom.Ul:
		b.closeP()
		b.insert()
	case atom.A, atom.B, atom.Big, atom.Code, atom.Em, atom.Font, atom.I, atom.Nobr, atom.S, atom.Small, atom.Strike, atom.Strong, atom.Tt, atom.U:
		b.startFormatting(tag)
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		b.closeP()
		if b.top().is&heading != 0 {
			b.pop()
		}
		b.insert()
	case atom.Li:
		b.startItem(atom.Li, 0)
	case atom.Dd, atom.Dt:
		b.startItem(atom.Dd, atom.Dt)
	case atom.Pre, atom.Listing:
		b.closeP()
		b.insert()
		b.framesetOK = false
	case atom.Area, atom.Br, atom.Embed, atom.Img, atom.Keygen, atom.Wbr, atom.Input, atom.Param, atom.Source, atom.Track, atom.Hr, atom.Image:
		b.startVoid(tag)
	case atom.Base, atom.Basefont, atom.Bgsound, atom.Link, atom.Meta, atom.Noframes, atom.Script, atom.Style, atom.Template, atom.Title:
		return b.inHead()
	case atom.Html, atom.Body, atom.Frameset:
		b.startPage(tag)
	case atom.Caption, atom.Col, atom.Colgroup, atom.Frame, atom.Head, atom.Tbody, atom.Td, atom.Tfoot, atom.Th, atom.Thead, atom.Tr:
	case atom.Textarea, atom.Xmp, atom.Iframe, atom.Noembed, atom.Plaintext, atom.Noscript:
		b.startText(tag)
	case atom.Form, atom.Button, atom.Select, atom.Optgroup, atom.Option:
		b.startControl(tag)
	case atom.Rb, atom.Rtc, atom.Rp, atom.Rt:
		b.startRuby(tag)
	case atom.Math, atom.Svg:
		b.reconstruct()
		b.insertForeign(tag.String())
	case atom.Table:
		if !b.quirks {
			b.closeP()
		}
		b.insert()
		b.framesetOK = false
		b.mode = inTable
	case atom.Applet, atom.Marquee, atom.Object:
		b.reconstruct()
		b.insert()
		b.pushMarker()
		b.framesetOK = false
	default:
		b.reconstruct()
		b.insert()
	}
	return false
}

// startPage processes a second start tag of html or body, or that of a frameset.
func (b *builder) startPage(tag atom.Atom) {
	if b.last(atom.Template) >= 0 {
		return
	}
	if tag == atom.Html {
		b.addAttributes(b.stack[0].node)
		return
	}
	if len(b.stack) < 2 || b.stack[1].tag != atom.Body {
		return
	}
	body := b.stack[1].node
	if tag == atom.Body {
		b.framesetOK = false
		b.addAttributes(body)
		return
	}
	if !b.framesetOK {
		return
	}
	if body.Parent != nil {
		body.Parent.RemoveChild(body)
	}
	b.popTo(1)
	b.insert()
	b.mode = inFrameset
}

// startFormatting processes the start tag of a formatting element. Links do not nest, nor do nobr.
func (b *builder) startFormatting(tag atom.Atom) {
	if tag == atom.A {
		if i := b.activeTag(tag); i >= 0 {
			n := b.formatting[i].node
			b.adopt(tag)
			if i := b.activePlace(n); i >= 0 {
				b.removeActive(i)
			}
			if i := b.place(n); i >= 0 {
				b.removeOpen(i)
			}
		}
	}
	b.reconstruct()
	if tag == atom.Nobr && b.inScope(tag, scope) >= 0 {
		b.adopt(tag)
		b.reconstruct()
	}
	b.insertFormatting()
}

// startItem processes the start tag of an item of a list: it closes the item before it, which has
// one of two tags.
func (b *builder) startItem(tag, other atom.Atom) {
	b.framesetOK = false
	for i := len(b.stack) - 1; i >= 0; i-- {
		e := &b.stack[i]
		if e.tag == tag || other != 0 && e.tag == other {
			b.popTo(i)
			break
		}
		if e.is&special != 0 && e.tag != atom.Address && e.tag != atom.Div && e.tag != atom.P {
			break
		}
	}
	b.closeP()
	b.insert()
}

// startVoid processes the start tag of an element without content.
func (b *builder) startVoid(tag atom.Atom) {
	switch tag {
	case atom.Param, atom.Source, atom.Track:
		b.insertVoid()
		return
	case atom.Hr:
		b.closeP()
		if b.inScope(atom.Select, scope) >= 0 {
			b.implyEnds(0, implied)
		}
		b.insertVoid()
		b.framesetOK = false
		return
	case atom.Input:
		b.popScope(atom.Select, scope)
	case atom.Image:
		b.tok.DataAtom, b.tok.Data = atom.Img, "img"
	}
	b.reconstruct()
	b.insertVoid()
	if tag != atom.Input || !b.hiddenInput() {
		b.framesetOK = false
	}
}

// hiddenInput reports whether the token is an input that is not shown.
func (b *builder) hiddenInput() bool {
	for _, a := range b.tok.Attr {
		if a.Key == "type" {
			return lower(a.Val) == "hidden"
		}
	}
	return false
}

// startText processes the start tag of an element whose content is text.
func (b *builder) startText(tag atom.Atom) {
	switch tag {
	case atom.Plaintext:
		b.closeP()
		b.insert()
		return
	case atom.Noscript:
		b.z.nextIsNotRawText()
		b.reconstruct()
		b.insert()
		return
	case atom.Xmp:
		b.closeP()
		b.reconstruct()
		b.framesetOK = false
	case atom.Textarea, atom.Iframe:
		b.framesetOK = false
	}
	b.insertRaw()
}

// startControl processes the start tag of a part of a form.
func (b *builder) startControl(tag atom.Atom) {
	switch tag {
	case atom.Form:
		b.startForm()
		return
	case atom.Button:
		b.popScope(tag, scope)
		b.reconstruct()
		b.insert()
		b.framesetOK = false
		return
	case atom.Select:
		if b.popScope(tag, scope) {
			return
		}
		b.reconstruct()
		b.insert()
		b.framesetOK = false
		return
	}
	b.startOption(tag)
}

// startOption processes the start tag of option and optgroup, which close others in a select.
func (b *builder) startOption(tag atom.Atom) {
	switch {
	case b.inScope(atom.Select, scope) >= 0:
		except := atom.Atom(0)
		if tag == atom.Option {
			except = atom.Optgroup
		}
		b.implyEnds(except, implied)
	case b.current() == atom.Option:
		b.pop()
	}
	b.reconstruct()
	b.insert()
}

func (b *builder) startForm() {
	template := b.last(atom.Template) >= 0
	if b.form != nil && !template {
		return
	}
	b.closeP()
	if n := b.insert(); !template {
		b.form = n
	}
}

// startRuby processes the start tag of a part of a ruby annotation.
func (b *builder) startRuby(tag atom.Atom) {
	if b.inScope(atom.Ruby, scope) >= 0 {
		except := atom.Atom(0)
		if tag == atom.Rp || tag == atom.Rt {
			except = atom.Rtc
		}
		b.implyEnds(except, implied)
	}
	b.insert()
}
