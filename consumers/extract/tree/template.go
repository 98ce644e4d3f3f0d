package tree

import (
	"slices"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// inTemplate is the mode of a template whose kind of content is not known yet (HTML standard,
// 13.2.6.4.18).
func (b *builder) inTemplate() bool {
	switch b.tok.Type {
	case html.TextToken, html.CommentToken, html.DoctypeToken:
		return b.inBody()
	case html.StartTagToken:
		return b.startInTemplate()
	case html.EndTagToken:
		if b.tok.DataAtom == atom.Template {
			b.endTemplate()
		}
		return false
	}
	i := b.last(atom.Template)
	if i < 0 {
		return false
	}
	b.popTo(i)
	b.clearToMarker()
	b.templates = b.templates[:len(b.templates)-1]
	b.resetMode()
	return true
}

// startInTemplate processes the start tag that shows what the content is.
func (b *builder) startInTemplate() bool {
	m := inBody
	switch b.tok.DataAtom {
	case atom.Base, atom.Basefont, atom.Bgsound, atom.Link, atom.Meta, atom.Noframes, atom.Script, atom.Style, atom.Template, atom.Title:
		return b.inHead()
	case atom.Caption, atom.Colgroup, atom.Tbody, atom.Tfoot, atom.Thead:
		m = inTable
	case atom.Col:
		m = inColumnGroup
	case atom.Tr:
		m = inTableBody
	case atom.Td, atom.Th:
		m = inRow
	}
	b.templates[len(b.templates)-1] = m
	return b.become(m)
}

// startTemplate processes the start tag of a template (13.2.6.4.4). One in SVG or MathML ends the
// page, as far as HTML elements go.
func (b *builder) startTemplate() {
	if slices.ContainsFunc(b.stack, func(e open) bool { return e.is&foreign != 0 }) {
		b.mode = ignored
		return
	}
	b.insert()
	b.pushMarker()
	b.framesetOK = false
	b.mode = inTemplate
	b.templates = append(b.templates, inTemplate)
}

// endTemplate processes the end tag of a template (13.2.6.4.4).
func (b *builder) endTemplate() {
	if b.last(atom.Template) < 0 {
		return
	}
	b.implyEnds(0, impliedAll)
	b.popScope(atom.Template, 0)
	b.clearToMarker()
	b.templates = b.templates[:len(b.templates)-1]
	b.resetMode()
}
