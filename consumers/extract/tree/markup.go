package tree

import (
	"strings"

	"golang.org/x/net/html"
)

// declaration reads what begins with <!: a comment, a doctype, a CDATA section.
func (z *tokenizer) declaration() html.Token {
	rest := z.s[z.at:]
	if len(rest) < 2 {
		end := len(z.s)
		if rest == ">" {
			end--
		}
		p := span{z.at, end}
		z.at, z.ended = len(z.s), true
		return z.comment(p)
	}
	switch {
	case strings.HasPrefix(rest, "--"):
		z.at += 2
		return z.comment(z.commentData())
	case len(rest) >= 7 && lower(rest[:7]) == "doctype":
		z.at += 7
		return z.doctype()
	case z.allowCDATA && strings.HasPrefix(rest, "[CDATA["):
		z.at += 7
		return z.cdata()
	}
	return z.comment(z.untilAngle())
}

func (z *tokenizer) doctype() html.Token {
	if z.skipSpace(); z.ended {
		return html.Token{Type: html.DoctypeToken}
	}
	p := z.untilAngle()
	return html.Token{Type: html.DoctypeToken, Data: unescape(z.s[p.start:p.end])}
}

func (z *tokenizer) cdata() html.Token {
	start := z.at
	end := strings.Index(z.s[start:], "]]>")
	if end < 0 {
		end = len(z.s) - start
		z.at, z.ended = len(z.s), true
	} else {
		z.at = start + end + len("]]>")
	}
	return html.Token{Type: html.TextToken, Data: unescape(z.withoutNUL(z.s[start : start+end]))}
}

// commentData goes behind a comment. It ends at --> and --!>, at > at its beginning, and at the end
// of the page.
func (z *tokenizer) commentData() span {
	start := z.at
	dashes, beginning := 0, true
	for z.at < len(z.s) {
		c := z.s[z.at]
		z.at++
		switch {
		case c == '-':
			dashes++
			continue
		case c == '>' && (dashes >= 2 || beginning):
			return span{start, max(start, z.at-len("-->"))}
		case c == '!' && dashes >= 2:
			if z.at >= len(z.s) {
				return z.abrupt(start)
			}
			c = z.s[z.at]
			z.at++
			if c == '>' {
				return span{start, max(start, z.at-len("--!>"))}
			}
			if c == '-' {
				dashes, beginning = 1, false
				continue
			}
		}
		dashes, beginning = 0, false
	}
	return z.abrupt(start)
}

// abrupt ends a comment that the page does not end. A beginning of its end does not count.
func (z *tokenizer) abrupt(start int) span {
	end := len(z.s)
	data := z.s[start:]
	for _, suffix := range [...]string{"--!", "--", "-"} {
		if strings.HasSuffix(data, suffix) {
			end -= len(suffix)
			break
		}
	}
	z.at, z.ended = len(z.s), true
	return span{start, max(start, end)}
}
