package tree

import (
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// open is an entry of the stack of open elements (HTML standard, 13.2.4.2).
type open struct {
	node *html.Node
	tag  atom.Atom // of an HTML element; 0 for foreign and unknown ones
	is   set
}

// top returns the current node; the stack must not be empty.
func (b *builder) top() *open { return &b.stack[len(b.stack)-1] }

// current returns the atom of the current node; 0 if there is none.
func (b *builder) current() atom.Atom {
	if len(b.stack) == 0 {
		return 0
	}
	return b.top().tag
}

func (b *builder) push(n *html.Node, is set) {
	e := open{node: n, is: is}
	if is&foreign == 0 {
		e.tag = n.DataAtom
	} else {
		e.is |= categories(n.DataAtom) & (implied | impliedAll)
	}
	b.stack = append(b.stack, e)
	if len(b.stack) > maxOpen {
		b.err = errDeep
	}
}

func (b *builder) pop() { b.popTo(len(b.stack) - 1) }

// popTo closes the elements from i on.
func (b *builder) popTo(i int) { b.stack = b.stack[:i] }

// inScope returns the place of the nearest open element with a tag; -1 if an element with a
// category in boundary comes first.
func (b *builder) inScope(tag atom.Atom, boundary set) int {
	for i := len(b.stack) - 1; i >= 0; i-- {
		e := &b.stack[i]
		if e.tag == tag {
			return i
		}
		if e.is&boundary != 0 {
			return -1
		}
	}
	return -1
}

// kindInScope is inScope for the elements of a category.
func (b *builder) kindInScope(kind, boundary set) int {
	for i := len(b.stack) - 1; i >= 0; i-- {
		e := &b.stack[i]
		if e.is&kind != 0 {
			return i
		}
		if e.is&boundary != 0 {
			return -1
		}
	}
	return -1
}

// last returns the place of the nearest open element with a tag, in any scope; -1 if there is none.
func (b *builder) last(tag atom.Atom) int { return b.inScope(tag, 0) }

// place returns where an element is in the stack; -1 if it is not open.
func (b *builder) place(n *html.Node) int {
	for i := len(b.stack) - 1; i >= 0; i-- {
		if b.stack[i].node == n {
			return i
		}
	}
	return -1
}

// removeOpen takes the entry at i out of the stack.
func (b *builder) removeOpen(i int) { b.stack = append(b.stack[:i], b.stack[i+1:]...) }

// popScope closes the nearest element with a tag, with those in it; not if it is not in scope.
func (b *builder) popScope(tag atom.Atom, boundary set) bool {
	i := b.inScope(tag, boundary)
	if i >= 0 {
		b.popTo(i)
	}
	return i >= 0
}

// implyEnds closes the elements whose end tags are implied (13.2.6.3), but none with the tag
// except.
func (b *builder) implyEnds(except atom.Atom, kind set) {
	i := len(b.stack)
	for i > 0 && b.stack[i-1].is&kind != 0 && (except == 0 || b.stack[i-1].node.DataAtom != except) {
		i--
	}
	b.popTo(i)
}

// closeP closes a paragraph that is open in button scope.
func (b *builder) closeP() { b.popScope(atom.P, buttonScope) }

// clearTo closes elements up to one of a category, or html or template (13.2.6.4.9: clear the stack
// back to a table context, and so on).
func (b *builder) clearTo(tag atom.Atom, kind set) {
	i := len(b.stack)
	for i > 1 {
		name := b.stack[i-1].node.DataAtom
		if name != 0 && name == tag || categories(name)&kind != 0 || name == atom.Html || name == atom.Template {
			break
		}
		i--
	}
	b.popTo(i)
}

// resetMode sets the mode that fits the open elements (13.2.4.1, reset the insertion mode
// appropriately).
func (b *builder) resetMode() {
	for i := len(b.stack) - 1; i >= 0; i-- {
		if m, ok := b.modeFor(i); ok {
			b.mode = m
			return
		}
	}
	b.mode = inBody
}

// modeFor returns the mode that an open element asks for: by its name, in any namespace, as
// html.Parse does.
func (b *builder) modeFor(i int) (m mode, ok bool) {
	switch b.stack[i].node.DataAtom {
	case atom.Td, atom.Th:
		return inCell, i > 0
	case atom.Tr:
		return inRow, true
	case atom.Tbody, atom.Thead, atom.Tfoot:
		return inTableBody, true
	case atom.Caption:
		return inCaption, true
	case atom.Colgroup:
		return inColumnGroup, true
	case atom.Table:
		return inTable, true
	case atom.Template:
		if b.stack[i].tag == 0 {
			return 0, false
		}
		return b.templates[len(b.templates)-1], true
	case atom.Head:
		return inHead, i > 0
	case atom.Body:
		return inBody, true
	case atom.Frameset:
		return inFrameset, true
	case atom.Html:
		if b.head == nil {
			return beforeHead, true
		}
		return afterHead, true
	}
	return 0, false
}
