package tree

import (
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// inTable is the mode of a table, outside of its parts (HTML standard, 13.2.6.4.9 and 10).
func (b *builder) inTable() bool {
	switch b.tok.Type {
	case html.TextToken:
		b.tok.Data = dropNUL(b.tok.Data)
		if b.top().is&fosters != 0 && onlySpace(b.tok.Data) {
			b.insertText(b.tok.Data)
			return false
		}
	case html.CommentToken:
		b.insertComment()
		return false
	case html.DoctypeToken:
		return false
	case html.StartTagToken:
		if again, ok := b.startInTable(); ok {
			return again
		}
	case html.EndTagToken:
		switch b.tok.DataAtom {
		case atom.Table:
			if b.popScope(atom.Table, tableScope) {
				b.resetMode()
			}
			return false
		case atom.Body, atom.Caption, atom.Col, atom.Colgroup, atom.Html, atom.Tbody, atom.Td, atom.Tfoot, atom.Th, atom.Thead, atom.Tr:
			return false
		case atom.Template:
			return b.inHead()
		}
	case html.ErrorToken:
		return b.inBody()
	}
	b.foster = true
	again := b.inBody()
	b.foster = false
	return again
}

// startInTable processes a start tag in a table; not ok if it is misplaced content.
func (b *builder) startInTable() (again, ok bool) {
	switch tag := b.tok.DataAtom; tag {
	case atom.Caption:
		b.clearTo(atom.Table, 0)
		b.pushMarker()
		b.insert()
		b.mode = inCaption
	case atom.Colgroup:
		b.clearTo(atom.Table, 0)
		b.insert()
		b.mode = inColumnGroup
	case atom.Col:
		b.clearTo(atom.Table, 0)
		b.insertImplied(atom.Colgroup)
		return b.become(inColumnGroup), true
	case atom.Tbody, atom.Tfoot, atom.Thead:
		b.clearTo(atom.Table, 0)
		b.insert()
		b.mode = inTableBody
	case atom.Td, atom.Th, atom.Tr:
		b.clearTo(atom.Table, 0)
		b.insertImplied(atom.Tbody)
		return b.become(inTableBody), true
	case atom.Table:
		if again = b.popScope(atom.Table, tableScope); again {
			b.resetMode()
		}
		return again, true
	case atom.Style, atom.Script, atom.Template:
		return b.inHead(), true
	case atom.Input:
		if !b.hiddenInput() {
			return false, false
		}
		b.insertVoid()
	case atom.Form:
		if b.form != nil || b.last(atom.Template) >= 0 {
			break
		}
		b.form = b.insert()
		b.pop()
	default:
		return false, false
	}
	return false, true
}

// tablePart reports whether a tag is of a part of a table that does not belong into a part like it.
func tablePart(tag atom.Atom) bool {
	switch tag {
	case atom.Caption, atom.Col, atom.Colgroup, atom.Tbody, atom.Td, atom.Tfoot, atom.Th, atom.Thead, atom.Tr:
		return true
	}
	return false
}

// inCaption is the mode of a table's caption (13.2.6.4.11).
func (b *builder) inCaption() bool {
	tag := b.tok.DataAtom
	switch b.tok.Type {
	case html.StartTagToken:
		if tablePart(tag) && tag != atom.Th {
			return b.closeCaption()
		}
	case html.EndTagToken:
		switch {
		case tag == atom.Caption:
			b.closeCaption()
			return false
		case tag == atom.Table:
			return b.closeCaption()
		case tag == atom.Body, tag == atom.Html, tablePart(tag):
			return false
		}
	}
	return b.inBody()
}

// closeCaption closes the caption; not if none is in scope.
func (b *builder) closeCaption() bool {
	if !b.popScope(atom.Caption, tableScope) {
		return false
	}
	b.clearToMarker()
	b.mode = inTable
	return true
}

// inColumnGroup is the mode of a colgroup (13.2.6.4.12).
func (b *builder) inColumnGroup() bool {
	switch b.tok.Type {
	case html.TextToken:
		if b.insertText(b.takeSpace()); b.tok.Data == "" {
			return false
		}
	case html.CommentToken:
		b.insertComment()
		return false
	case html.DoctypeToken:
		return false
	case html.StartTagToken:
		switch b.tok.DataAtom {
		case atom.Html:
			return b.inBody()
		case atom.Col:
			b.insertVoid()
			return false
		case atom.Template:
			return b.inHead()
		}
	case html.EndTagToken:
		switch b.tok.DataAtom {
		case atom.Colgroup:
			b.closeColumnGroup()
			return false
		case atom.Col:
			return false
		case atom.Template:
			return b.inHead()
		}
	case html.ErrorToken:
		return b.inBody()
	}
	return b.closeColumnGroup()
}

func (b *builder) closeColumnGroup() bool {
	if b.current() != atom.Colgroup {
		return false
	}
	b.pop()
	b.mode = inTable
	return true
}

// inTableBody is the mode of tbody, thead and tfoot (13.2.6.4.13).
func (b *builder) inTableBody() bool {
	tag := b.tok.DataAtom
	switch b.tok.Type {
	case html.StartTagToken:
		switch tag {
		case atom.Tr:
			b.clearTo(0, rowGroup)
			b.insert()
			b.mode = inRow
			return false
		case atom.Td, atom.Th:
			b.clearTo(0, rowGroup)
			b.insertImplied(atom.Tr)
			return b.become(inRow)
		case atom.Caption, atom.Col, atom.Colgroup, atom.Tbody, atom.Tfoot, atom.Thead:
			return b.closeRowGroup(b.kindInScope(rowGroup, tableScope))
		}
	case html.EndTagToken:
		switch tag {
		case atom.Tbody, atom.Tfoot, atom.Thead:
			if b.inScope(tag, tableScope) >= 0 {
				b.clearTo(0, rowGroup)
				b.pop()
				b.mode = inTable
			}
			return false
		case atom.Table:
			return b.closeRowGroup(b.kindInScope(rowGroup, tableScope))
		case atom.Body, atom.Caption, atom.Col, atom.Colgroup, atom.Html, atom.Td, atom.Th, atom.Tr:
			return false
		}
	}
	return b.inTable()
}

// closeRowGroup closes the row group at a place of the stack; not if there is none.
func (b *builder) closeRowGroup(i int) bool {
	if i < 0 {
		return false
	}
	b.popTo(i)
	b.mode = inTable
	return true
}

// inRow is the mode of a table's row (13.2.6.4.14).
func (b *builder) inRow() bool {
	tag := b.tok.DataAtom
	switch b.tok.Type {
	case html.StartTagToken:
		switch tag {
		case atom.Td, atom.Th:
			b.clearTo(atom.Tr, 0)
			b.insert()
			b.pushMarker()
			b.mode = inCell
			return false
		case atom.Caption, atom.Col, atom.Colgroup, atom.Tbody, atom.Tfoot, atom.Thead, atom.Tr:
			return b.closeRow()
		}
	case html.EndTagToken:
		switch tag {
		case atom.Tr:
			b.closeRow()
			return false
		case atom.Table:
			return b.closeRow()
		case atom.Tbody, atom.Tfoot, atom.Thead:
			return b.inScope(tag, tableScope) >= 0 && b.closeRow()
		case atom.Body, atom.Caption, atom.Col, atom.Colgroup, atom.Html, atom.Td, atom.Th:
			return false
		}
	}
	return b.inTable()
}

// closeRow closes the row; not if none is in scope.
func (b *builder) closeRow() bool {
	if b.inScope(atom.Tr, tableScope) < 0 {
		return false
	}
	b.clearTo(atom.Tr, 0)
	b.pop()
	b.mode = inTableBody
	return true
}

// inCell is the mode of a table's cell (13.2.6.4.15).
func (b *builder) inCell() bool {
	tag := b.tok.DataAtom
	switch b.tok.Type {
	case html.StartTagToken:
		if tablePart(tag) {
			return b.closeCell()
		}
	case html.EndTagToken:
		switch tag {
		case atom.Td, atom.Th:
			if b.popScope(tag, tableScope) {
				b.clearToMarker()
				b.mode = inRow
			}
			return false
		case atom.Body, atom.Caption, atom.Col, atom.Colgroup, atom.Html:
			return false
		case atom.Table, atom.Tbody, atom.Tfoot, atom.Thead, atom.Tr:
			return b.inScope(tag, tableScope) >= 0 && b.closeCell()
		}
	}
	return b.inBody()
}

// closeCell closes the cell (13.2.6.4.15, close the cell); not if none is in scope.
func (b *builder) closeCell() bool {
	for i := len(b.stack) - 1; i >= 0; i-- {
		if e := &b.stack[i]; e.tag == atom.Td || e.tag == atom.Th {
			b.popTo(i)
			b.clearToMarker()
			b.mode = inRow
			return true
		} else if e.is&endsTable != 0 {
			break
		}
	}
	return false
}
