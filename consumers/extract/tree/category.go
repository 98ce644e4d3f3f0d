package tree

import "golang.org/x/net/html/atom"

// set is a set of the standard's categories of elements, and of what they do as open elements.
type set uint32

const (
	special    set = 1 << iota // 13.2.4.2
	endsScope                  // the boundary of every scope but the next two (13.2.4.2)
	endsTable                  // the boundary of a table scope
	endsList                   // the boundary of a list item scope, too
	endsButton                 // the boundary of a button scope, too
	implied                    // its end tag is implied (13.2.6.3)
	impliedAll                 // implied where a template ends
	heading                    // h1 to h6
	fosters                    // misplaced content in it is foster parented (13.2.6.1)
	rowGroup                   // tbody, tfoot, thead
	foreign                    // not an HTML element
	mathText                   // a MathML text integration point (13.2.6)
	htmlPoint                  // an HTML integration point
	annotation                 // annotation-xml of MathML
)

// The boundaries of the scopes (13.2.4.2).
const (
	scope       = endsScope
	listScope   = endsScope | endsList
	buttonScope = endsScope | endsButton
	tableScope  = endsTable
)

// table finds the categories of an element by its atom: open addressing, a few times as large as
// its
// content.
type table [512]struct {
	tag atom.Atom
	is  set
}

var known = newTable()

// slot returns where an element is, or would be.
func (t *table) slot(tag atom.Atom) int {
	i := int(uint32(tag)>>8^uint32(tag)<<4) & (len(t) - 1)
	for t[i].tag != 0 && t[i].tag != tag {
		i = (i + 1) & (len(t) - 1)
	}
	return i
}

// categories returns those of an HTML element.
func categories(tag atom.Atom) set { return known[known.slot(tag)].is }

func newTable() *table {
	var t table
	for _, c := range []struct {
		is   set
		tags []atom.Atom
	}{
		{special, []atom.Atom{
			atom.Address, atom.Applet, atom.Area, atom.Article, atom.Aside, atom.Base, atom.Basefont, atom.Bgsound, atom.Blockquote, atom.Body,
			atom.Br, atom.Button, atom.Caption, atom.Center, atom.Col, atom.Colgroup, atom.Dd, atom.Details, atom.Dir, atom.Div, atom.Dl, atom.Dt,
			atom.Embed, atom.Fieldset, atom.Figcaption, atom.Figure, atom.Footer, atom.Form, atom.Frame, atom.Frameset, atom.H1, atom.H2, atom.H3,
			atom.H4, atom.H5, atom.H6, atom.Head, atom.Header, atom.Hgroup, atom.Hr, atom.Html, atom.Iframe, atom.Img, atom.Input, atom.Keygen,
			atom.Li, atom.Link, atom.Listing, atom.Main, atom.Marquee, atom.Menu, atom.Meta, atom.Nav, atom.Noembed, atom.Noframes, atom.Noscript,
			atom.Object, atom.Ol, atom.P, atom.Param, atom.Plaintext, atom.Pre, atom.Script, atom.Section, atom.Select, atom.Source, atom.Style,
			atom.Summary, atom.Table, atom.Tbody, atom.Td, atom.Template, atom.Textarea, atom.Tfoot, atom.Th, atom.Thead, atom.Title, atom.Tr,
			atom.Track, atom.Ul, atom.Wbr, atom.Xmp}},
		{endsScope, []atom.Atom{atom.Applet, atom.Caption, atom.Html, atom.Table, atom.Td, atom.Th, atom.Marquee, atom.Object, atom.Select, atom.Template}},
		{endsTable, []atom.Atom{atom.Html, atom.Table, atom.Template}},
		{endsList, []atom.Atom{atom.Ol, atom.Ul}},
		{endsButton, []atom.Atom{atom.Button}},
		{implied | impliedAll, []atom.Atom{atom.Dd, atom.Dt, atom.Li, atom.Optgroup, atom.Option, atom.P, atom.Rb, atom.Rp, atom.Rt, atom.Rtc}},
		{impliedAll, []atom.Atom{atom.Caption, atom.Colgroup, atom.Tbody, atom.Td, atom.Tfoot, atom.Th, atom.Thead, atom.Tr}},
		{heading, []atom.Atom{atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6}},
		{fosters, []atom.Atom{atom.Table, atom.Tbody, atom.Tfoot, atom.Thead, atom.Tr}},
		{rowGroup, []atom.Atom{atom.Tbody, atom.Tfoot, atom.Thead}},
	} {
		for _, tag := range c.tags {
			i := t.slot(tag)
			t[i].tag = tag
			t[i].is |= c.is
		}
	}
	return &t
}
