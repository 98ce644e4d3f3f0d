package tree

import (
	"strings"

	"golang.org/x/net/html"
)

// tokenizer cuts a page into tokens as html.Tokenizer does (HTML standard, 13.2.5).
//
// It is large because it has the state of the standard's machine and the memory of the tags it
// read.
type tokenizer struct {
	s          string
	at         int    // the next byte
	ended      bool   // a byte after the last one was asked for: the next token is the end
	rawTag     string // the element whose content comes next and is no markup; "" if none
	allowCDATA bool   // CDATA sections are text: inside SVG and MathML
	hasNUL     bool   // anywhere on the page

	attrs  []html.Attribute // of the current tag, reused
	values []span           // of the attributes: where they stand
	seen   map[string]bool  // keys of a tag with many attributes
	slab   []html.Attribute
}

// span is a part of the page.
type span struct{ start, end int }

func newTokenizer(page string) *tokenizer {
	page = normal(page)
	return &tokenizer{s: page, hasNUL: strings.IndexByte(page, 0) >= 0}
}

// nextIsNotRawText says that what comes is markup, although the last tag is one whose content is
// text.
func (z *tokenizer) nextIsNotRawText() { z.rawTag = "" }

// next returns the next token; html.ErrorToken at the end.
func (z *tokenizer) next() html.Token {
	if z.ended {
		return html.Token{Type: html.ErrorToken}
	}
	if z.rawTag != "" {
		if t, ok := z.raw(); ok {
			return t
		}
	}
	start := z.at
	for {
		i := strings.IndexByte(z.s[z.at:], '<')
		if i < 0 || z.at+i+1 >= len(z.s) {
			return z.rest(start)
		}
		z.at += i
		c := z.s[z.at+1]
		if !isLetter(c) && c != '/' && c != '!' && c != '?' {
			z.at++
			continue
		}
		if z.at > start {
			return html.Token{Type: html.TextToken, Data: unescape(z.s[start:z.at])}
		}
		if c == '/' && z.at+2 >= len(z.s) {
			return z.rest(start)
		}
		return z.markup(c)
	}
}

// rest returns what is left as a text.
func (z *tokenizer) rest(start int) html.Token {
	z.at, z.ended = len(z.s), true
	if start == len(z.s) {
		return html.Token{Type: html.ErrorToken}
	}
	return html.Token{Type: html.TextToken, Data: unescape(z.s[start:])}
}

// markup returns the token that begins at <; c is the byte after it.
func (z *tokenizer) markup(c byte) html.Token {
	switch {
	case c == '!':
		z.at += 2
		return z.declaration()
	case c == '?':
		z.at++
		return z.comment(z.untilAngle())
	case c != '/':
		z.at++
		return z.startTag()
	}
	z.at += 2
	switch c = z.s[z.at]; {
	case c == '>':
		z.at++
		return html.Token{Type: html.CommentToken}
	case isLetter(c):
		return z.endTag()
	}
	return z.comment(z.untilAngle())
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\f' || c == '\r' }

// comment returns a comment with the data in a part of the page.
func (z *tokenizer) comment(p span) html.Token {
	return html.Token{Type: html.CommentToken, Data: unescape(z.withoutNUL(z.s[p.start:p.end]))}
}

func (z *tokenizer) withoutNUL(s string) string {
	if !z.hasNUL {
		return s
	}
	return strings.ReplaceAll(s, "\x00", "\ufffd")
}

// untilAngle goes behind the next > and returns what is before it.
func (z *tokenizer) untilAngle() span {
	start := z.at
	i := strings.IndexByte(z.s[start:], '>')
	if i < 0 {
		z.at, z.ended = len(z.s), true
		return span{start, len(z.s)}
	}
	z.at = start + i + 1
	return span{start, start + i}
}
