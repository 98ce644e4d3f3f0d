package tree

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// afterBody is the mode after the end tag of the body (HTML standard, 13.2.6.4.19).
func (b *builder) afterBody() bool {
	switch b.tok.Type {
	case html.ErrorToken:
		return false
	case html.TextToken:
		if onlySpace(b.tok.Data) {
			return b.inBody()
		}
	case html.CommentToken:
		b.commentTo(b.stack[0].node)
		return false
	case html.StartTagToken:
		if b.tok.DataAtom == atom.Html {
			return b.inBody()
		}
	case html.EndTagToken:
		if b.tok.DataAtom == atom.Html {
			b.mode = afterAfterBody
			return false
		}
	}
	return b.become(inBody)
}

// afterAfterBody is the mode after the end tag of html (13.2.6.4.22).
func (b *builder) afterAfterBody() bool {
	switch b.tok.Type {
	case html.ErrorToken, html.DoctypeToken:
		return false
	case html.TextToken:
		if onlySpace(b.tok.Data) {
			return b.inBody()
		}
	case html.CommentToken:
		b.commentTo(b.doc)
		return false
	case html.StartTagToken:
		if b.tok.DataAtom == atom.Html {
			return b.inBody()
		}
	}
	return b.become(inBody)
}

// inFrameset is the mode of a frameset (13.2.6.4.20).
func (b *builder) inFrameset() bool {
	switch b.tok.Type {
	case html.TextToken:
		b.insertText(spaceOf(b.tok.Data))
	case html.CommentToken:
		b.insertComment()
	case html.StartTagToken:
		switch b.tok.DataAtom {
		case atom.Html:
			return b.inBody()
		case atom.Frameset:
			b.insert()
		case atom.Frame:
			b.insertVoid()
		case atom.Noframes:
			return b.inHead()
		}
	case html.EndTagToken:
		if b.tok.DataAtom == atom.Frameset && len(b.stack) > 1 {
			b.pop()
			if b.current() != atom.Frameset {
				b.mode = afterFrameset
			}
		}
	}
	return false
}

// afterFrameset is the mode after the last frameset (13.2.6.4.21).
func (b *builder) afterFrameset() bool {
	switch b.tok.Type {
	case html.TextToken:
		b.insertText(spaceOf(b.tok.Data))
	case html.CommentToken:
		b.insertComment()
	case html.StartTagToken:
		switch b.tok.DataAtom {
		case atom.Html:
			return b.inBody()
		case atom.Noframes:
			return b.inHead()
		}
	case html.EndTagToken:
		if b.tok.DataAtom == atom.Html {
			b.mode = afterAfterFrameset
		}
	}
	return false
}

// afterAfterFrameset is the mode after the end tag of html on a page of frames (13.2.6.4.23).
func (b *builder) afterAfterFrameset() bool {
	switch b.tok.Type {
	case html.CommentToken:
		b.commentTo(b.doc)
	case html.TextToken:
		if s := spaceOf(b.tok.Data); s != "" {
			b.tok.Data = s
			return b.inBody()
		}
	case html.StartTagToken:
		switch b.tok.DataAtom {
		case atom.Html:
			return b.inBody()
		case atom.Noframes:
			return b.inHead()
		}
	}
	return false
}

// spaceOf returns the white space of a text.
func spaceOf(s string) string {
	return strings.Map(func(r rune) rune {
		if r < 0x80 && isSpace(byte(r)) {
			return r
		}
		return -1
	}, s)
}
