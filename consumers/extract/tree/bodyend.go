package tree

import (
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// endInBody processes an end tag in the body (HTML standard, 13.2.6.4.7).
func (b *builder) endInBody() bool {
	switch tag := b.tok.DataAtom; tag {
	case atom.Address, atom.Article, atom.Aside, atom.Blockquote, atom.Button, atom.Center, atom.Details, atom.Dialog, atom.Dir, atom.Div,
		atom.Dl, atom.Fieldset, atom.Figcaption, atom.Figure, atom.Footer, atom.Header, atom.Hgroup, atom.Listing, atom.Main, atom.Menu,
		atom.Nav, atom.Ol, atom.Pre, atom.Search, atom.Section, atom.Select, atom.Summary, atom.Ul:
		b.popScope(tag, scope)
	case atom.A, atom.B, atom.Big, atom.Code, atom.Em, atom.Font, atom.I, atom.Nobr, atom.S, atom.Small, atom.Strike, atom.Strong, atom.Tt, atom.U:
		b.adopt(tag)
	case atom.P:
		b.endP()
	case atom.Li:
		b.popScope(tag, listScope)
	case atom.Dd, atom.Dt:
		b.popScope(tag, scope)
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		if i := b.kindInScope(heading, scope); i >= 0 {
			b.popTo(i)
		}
	case atom.Form:
		b.endForm()
	case atom.Body, atom.Html:
		if b.inScope(atom.Body, scope) >= 0 {
			b.mode = afterBody
			return tag == atom.Html
		}
	case atom.Applet, atom.Marquee, atom.Object:
		if b.popScope(tag, scope) {
			b.clearToMarker()
		}
	case atom.Br:
		b.tok.Type = html.StartTagToken
		return true
	case atom.Template:
		b.endTemplate()
	default:
		b.endOther()
	}
	return false
}

// endP processes the end tag of a paragraph. One that is not open is opened before.
func (b *builder) endP() {
	if b.inScope(atom.P, buttonScope) < 0 {
		b.tok.Type = html.StartTagToken
		for b.dispatch() {
		}
		b.tok.Type = html.EndTagToken
	}
	b.closeP()
}

// endForm processes the end tag of a form, which need not be the current node.
func (b *builder) endForm() {
	if b.last(atom.Template) >= 0 {
		b.popScope(atom.Form, scope)
		return
	}
	form := b.form
	b.form = nil
	if form == nil {
		return
	}
	if i := b.place(form); i < 0 || b.boundaryAbove(i) {
		return
	}
	b.implyEnds(0, implied)
	if i := b.place(form); i >= 0 {
		b.removeOpen(i)
	}
}

// endOther processes the end tag of any other element: it closes the nearest one with its name, not
// through a special element.
func (b *builder) endOther() {
	tag := b.tok.DataAtom
	for i := len(b.stack) - 1; i >= 0; i-- {
		e := &b.stack[i]
		if e.tag == tag && e.is&foreign == 0 && (tag != 0 || e.node.Data == b.tok.Data) {
			b.popTo(i)
			return
		}
		if e.is&special != 0 {
			return
		}
	}
}
