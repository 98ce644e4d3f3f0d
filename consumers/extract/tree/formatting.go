package tree

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// active is an entry of the list of active formatting elements (HTML standard, 13.2.4.3); one
// without a node is a marker.
type active struct {
	node *html.Node
	tag  atom.Atom
}

func (b *builder) pushMarker() { b.formatting = append(b.formatting, active{}) }

// clearToMarker removes the entries up to the last marker, and it.
func (b *builder) clearToMarker() {
	i := len(b.formatting)
	for i > 0 {
		i--
		if b.formatting[i].node == nil {
			break
		}
	}
	b.formatting = b.formatting[:i]
}

// insertFormatting inserts an element and pushes it on the list. Of more than three equal ones the
// first is removed (Noah's Ark clause). Sorted attributes are the same in any order.
func (b *builder) insertFormatting() {
	slices.SortFunc(b.tok.Attr, func(x, y html.Attribute) int { return strings.Compare(x.Key, y.Key) })
	n := b.insert()
	equal, first := 0, 0
	for i := len(b.formatting) - 1; i >= 0 && b.formatting[i].node != nil; i-- {
		if e := b.formatting[i]; e.tag == n.DataAtom && slices.Equal(e.node.Attr, n.Attr) {
			equal, first = equal+1, i
		}
	}
	if equal >= 3 {
		b.formatting = slices.Delete(b.formatting, first, first+1)
	}
	b.formatting = append(b.formatting, active{n, n.DataAtom})
}

// activePlace returns where an element is in the list; -1 if it is not.
func (b *builder) activePlace(n *html.Node) int {
	for i := len(b.formatting) - 1; i >= 0; i-- {
		if b.formatting[i].node == n {
			return i
		}
	}
	return -1
}

// activeTag returns the place of the last entry with a tag behind the last marker; -1 if there is
// none.
func (b *builder) activeTag(tag atom.Atom) int {
	for i := len(b.formatting) - 1; i >= 0 && b.formatting[i].node != nil; i-- {
		if b.formatting[i].tag == tag {
			return i
		}
	}
	return -1
}

func (b *builder) removeActive(i int) { b.formatting = slices.Delete(b.formatting, i, i+1) }

// reconstruct opens again the formatting elements that were closed by others (13.2.4.3).
func (b *builder) reconstruct() {
	i := len(b.formatting)
	for i > 0 && b.formatting[i-1].node != nil && b.place(b.formatting[i-1].node) < 0 {
		i--
	}
	for ; i < len(b.formatting); i++ {
		n := b.clone(b.formatting[i].node)
		b.put(n)
		b.push(n, categories(n.DataAtom))
		b.formatting[i].node = n
	}
}

// maxAdoptions and maxInner bound the loops of the adoption agency algorithm.
const (
	maxAdoptions = 8
	maxInner     = 3
)

// adopt is the adoption agency algorithm (13.2.6.4.7): it closes a formatting element that other
// elements are nested in wrongly.
func (b *builder) adopt(tag atom.Atom) {
	if top := b.top(); top.tag == tag && b.activePlace(top.node) < 0 {
		b.pop()
		return
	}
	for range maxAdoptions {
		f := b.activeTag(tag)
		if f < 0 {
			b.endOther()
			return
		}
		at := b.place(b.formatting[f].node)
		if at < 0 {
			b.removeActive(f)
			return
		}
		if b.boundaryAbove(at) {
			return
		}
		furthest := at + 1
		for furthest < len(b.stack) && b.stack[furthest].is&special == 0 {
			furthest++
		}
		if furthest == len(b.stack) {
			b.popTo(at)
			b.removeActive(f)
			return
		}
		b.adoptBlock(f, at, furthest)
	}
}

// boundaryAbove reports whether the element at a place is not in scope.
func (b *builder) boundaryAbove(at int) bool {
	for _, e := range b.stack[at+1:] {
		if e.is&scope != 0 {
			return true
		}
	}
	return false
}

// adoptBlock moves the furthest block out of the formatting element at a place of the stack, which
// is entry f of the list, and puts an equal element into the block.
func (b *builder) adoptBlock(f, at, furthest int) {
	element, block := b.formatting[f].node, b.stack[furthest].node
	mark := f
	last := block
	for i, n := furthest-1, 1; i > at; i, n = i-1, n+1 {
		k := b.activePlace(b.stack[i].node)
		if k >= 0 && n > maxInner {
			b.removeActive(k)
			if k < mark {
				mark--
			}
			k = -1
		}
		if k < 0 {
			b.removeOpen(i)
			continue
		}
		again := b.clone(b.stack[i].node)
		b.formatting[k].node, b.stack[i].node = again, again
		if last == block {
			mark = k + 1
		}
		move(last, again)
		last = again
	}
	b.putAdopted(last, at-1)
	again := b.clone(element)
	for c := block.FirstChild; c != nil; c = block.FirstChild {
		move(c, again)
	}
	block.AppendChild(again)
	b.replaceAdopted(element, again, block, mark)
}

// replaceAdopted gives the lists the new formatting element instead of the old one: at the bookmark
// of the list, and in the stack below the block.
func (b *builder) replaceAdopted(element, again, block *html.Node, mark int) {
	f := b.activePlace(element)
	tag := b.formatting[f].tag
	if f < mark {
		mark--
	}
	b.removeActive(f)
	b.formatting = slices.Insert(b.formatting, mark, active{again, tag})
	e := b.stack[b.place(element)]
	e.node = again
	b.removeOpen(b.place(element))
	b.stack = slices.Insert(b.stack, b.place(block)+1, e)
}

// putAdopted puts a node into the common ancestor at a place of the stack, or where that one's
// misplaced content goes.
func (b *builder) putAdopted(n *html.Node, ancestor int) {
	if n.Parent != nil {
		n.Parent.RemoveChild(n)
	}
	if e := b.stack[ancestor]; e.is&fosters == 0 {
		e.node.AppendChild(n)
		return
	}
	parent, before := b.fosterSpot()
	parent.InsertBefore(n, before)
}

// move makes a node the last child of another.
func move(n, parent *html.Node) {
	if n.Parent != nil {
		n.Parent.RemoveChild(n)
	}
	parent.AppendChild(n)
}
