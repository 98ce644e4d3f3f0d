package tree

import (
	"errors"
	"strings"

	"golang.org/x/net/html"
)

// maxOpen is the number of elements that may be open at once.
const maxOpen = 512

var errDeep = errors.New("tree: elements are nested deeper than 512")

// Parse returns the tree of a page in UTF-8 as a browser without scripts builds it: the content of
// noscript is part of it.
func Parse(page string) (*html.Node, error) {
	b := &builder{
		z:          newTokenizer(page),
		doc:        &html.Node{Type: html.DocumentNode},
		stack:      make([]open, 0, 32),
		framesetOK: true,
	}
	if err := b.run(); err != nil {
		return nil, err
	}
	for n, text := range b.merged {
		n.Data = string(text)
	}
	return b.doc, nil
}

// builder makes a tree of tokens (HTML standard, 13.2.6).
//
// It is large because it has the state of the standard's machine, whose insertion modes are its
// methods. The method of a mode returns true if the same token is to be processed again, by the
// mode that is then the current one.
type builder struct {
	z      *tokenizer
	tok    html.Token
	closed bool // the tag ends with a slash
	doc    *html.Node

	stack      []open   // of open elements (13.2.4.2); the last one is the current node
	formatting []active // elements (13.2.4.3)
	mode       mode
	original   mode   // where to go back to from the text mode
	templates  []mode // of the open templates; the last one is the current one
	head, form *html.Node
	framesetOK bool
	foster     bool // foster parenting is enabled (13.2.6.1)
	quirks     bool // a table may be in a paragraph

	merged map[*html.Node][]byte // texts that came in several pieces
	slab   []html.Node
	err    error
}

// run processes all tokens, and the end of the page as the last one.
func (b *builder) run() error {
	for {
		b.z.allowCDATA = len(b.stack) > 0 && b.top().is&foreign != 0
		b.tok = b.z.next()
		b.closed = b.tok.Type == html.SelfClosingTagToken
		if b.closed {
			b.tok.Type = html.StartTagToken
		}
		for b.dispatch() {
		}
		if b.err != nil {
			return b.err
		}
		if b.tok.Type == html.ErrorToken {
			return nil
		}
	}
}

// dispatch processes the token by the rules of foreign content or by those of the current mode
// (13.2.6, tree construction dispatcher).
func (b *builder) dispatch() (again bool) {
	if len(b.stack) > 0 && b.top().is&foreign != 0 && b.inForeign() {
		return b.foreignContent()
	}
	return b.process(b.mode)
}

// inForeign reports whether the token is part of the foreign element that is the current node.
func (b *builder) inForeign() bool {
	top := b.top()
	switch b.tok.Type {
	case html.ErrorToken:
		return false
	case html.TextToken:
		return top.is&(mathText|htmlPoint) == 0
	case html.StartTagToken:
		switch {
		case top.is&htmlPoint != 0:
			return false
		case top.is&mathText != 0:
			return b.tok.Data == "mglyph" || b.tok.Data == "malignmark"
		}
		return top.is&annotation == 0 || b.tok.Data != "svg"
	}
	return true
}

// mode is an insertion mode (13.2.4.1).
type mode uint8

const (
	initial mode = iota
	beforeHTML
	beforeHead
	inHead
	inHeadNoscript
	afterHead
	inBody
	text
	inTable
	inCaption
	inColumnGroup
	inTableBody
	inRow
	inCell
	inTemplate
	afterBody
	inFrameset
	afterFrameset
	afterAfterBody
	afterAfterFrameset
	ignored // all tokens are left out: not in the standard
)

// process processes the token by the rules of a mode (13.2.6.4), which need not be the current one.
func (b *builder) process(m mode) (again bool) {
	switch m {
	case initial:
		return b.initial()
	case beforeHTML:
		return b.beforeHTML()
	case beforeHead:
		return b.beforeHead()
	case inHead:
		return b.inHead()
	case inHeadNoscript:
		return b.inHeadNoscript()
	case afterHead:
		return b.afterHead()
	case inBody:
		return b.inBody()
	case text:
		return b.text()
	case inTable:
		return b.inTable()
	case inCaption:
		return b.inCaption()
	case inColumnGroup:
		return b.inColumnGroup()
	case inTableBody:
		return b.inTableBody()
	case inRow:
		return b.inRow()
	case inCell:
		return b.inCell()
	case inTemplate:
		return b.inTemplate()
	case afterBody:
		return b.afterBody()
	case inFrameset:
		return b.inFrameset()
	case afterFrameset:
		return b.afterFrameset()
	case afterAfterBody:
		return b.afterAfterBody()
	case afterAfterFrameset:
		return b.afterAfterFrameset()
	}
	return false // ignored
}

// become makes a mode the current one, in which the token is processed again.
func (b *builder) become(m mode) (again bool) {
	b.mode = m
	return true
}

// normal returns a page with the line ends that the standard gives it before tokens are made.
func normal(page string) string {
	if strings.IndexByte(page, '\r') < 0 {
		return page
	}
	return strings.ReplaceAll(strings.ReplaceAll(page, "\r\n", "\n"), "\r", "\n")
}
