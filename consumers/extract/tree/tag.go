package tree

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// startTag reads a start tag; at is its name. A tag that is not ended is left out, and is the end.
func (z *tokenizer) startTag() html.Token {
	name := z.tagName()
	last := z.attributes(true)
	if z.ended {
		return html.Token{Type: html.ErrorToken}
	}
	t := z.named(html.StartTagToken, name)
	switch t.DataAtom {
	case atom.Iframe, atom.Noembed, atom.Noframes, atom.Noscript, atom.Plaintext, atom.Script, atom.Style, atom.Textarea, atom.Title, atom.Xmp:
		z.rawTag = t.Data
	}
	// A slash before the end closes the tag, unless it is the end of a value: <p a=/>.
	if slash := z.at - 2; z.s[slash] == '/' && slash != last-1 {
		t.Type = html.SelfClosingTagToken
	}
	t.Attr = z.take()
	return t
}

// endTag reads an end tag; its attributes are left out.
func (z *tokenizer) endTag() html.Token {
	name := z.tagName()
	z.attributes(false)
	if z.ended {
		return html.Token{Type: html.ErrorToken}
	}
	return z.named(html.EndTagToken, name)
}

// named returns a tag with a name.
func (z *tokenizer) named(kind html.TokenType, name string) html.Token {
	name = lower(z.withoutNUL(name))
	if a := atom.Lookup([]byte(name)); a != 0 {
		return html.Token{Type: kind, DataAtom: a, Data: a.String()}
	}
	return html.Token{Type: kind, Data: name}
}

// tagName goes behind the name of a tag.
func (z *tokenizer) tagName() string {
	start := z.at
	for z.at++; z.at < len(z.s); z.at++ {
		if c := z.s[z.at]; c == '>' || c == '/' || isSpace(c) {
			return z.s[start:z.at]
		}
	}
	z.ended = true
	return ""
}

// attributes goes behind the end of a tag, and collects its attributes. It returns where the value
// of the last one ends; -1 if there is none.
func (z *tokenizer) attributes(keep bool) (last int) {
	z.attrs, z.values, last = z.attrs[:0], z.values[:0], -1
	for z.skipSpace(); !z.ended; z.skipSpace() {
		if z.s[z.at] == '>' {
			z.at++
			return last
		}
		key := z.key()
		value := z.value()
		if keep && key.start < key.end && !z.hasKey(lower(z.s[key.start:key.end])) {
			z.attrs = append(z.attrs, html.Attribute{Key: lower(z.s[key.start:key.end])})
			z.values = append(z.values, value)
			last = value.end
		}
	}
	return last
}

// skipSpace goes to the next byte that is no white space.
func (z *tokenizer) skipSpace() {
	for ; z.at < len(z.s); z.at++ {
		if !isSpace(z.s[z.at]) {
			return
		}
	}
	z.ended = true
}

// manyKeys is the number of attributes from which their keys are found by a map.
const manyKeys = 16

// hasKey reports whether the tag has the attribute already: the first one counts.
func (z *tokenizer) hasKey(key string) bool {
	if len(z.attrs) < manyKeys {
		for i := range z.attrs {
			if z.attrs[i].Key == key {
				return true
			}
		}
		return false
	}
	if len(z.attrs) == manyKeys {
		z.seen = make(map[string]bool, 2*manyKeys)
		for i := range z.attrs {
			z.seen[z.attrs[i].Key] = true
		}
	}
	had := z.seen[key]
	z.seen[key] = true
	return had
}

// key goes behind the key of an attribute. An equals sign at its beginning is part of it.
func (z *tokenizer) key() span {
	start := z.at
	for ; z.at < len(z.s); z.at++ {
		switch c := z.s[z.at]; {
		case c == '=' && z.at > start, c == '/', c == '>', isSpace(c):
			return span{start, z.at}
		}
	}
	z.ended = true
	return span{start, z.at}
}

// value goes behind the value of an attribute, or a slash.
func (z *tokenizer) value() span {
	none := span{z.at, z.at}
	if z.skipSpace(); z.ended {
		return none
	}
	switch z.s[z.at] {
	case '/':
		z.at++
		return none
	case '=':
		z.at++
	default:
		return none
	}
	if z.skipSpace(); z.ended || z.s[z.at] == '>' {
		return none
	}
	if c := z.s[z.at]; c == '"' || c == '\'' {
		return z.quoted(c)
	}
	start := z.at
	for z.at++; z.at < len(z.s); z.at++ {
		if c := z.s[z.at]; c == '>' || isSpace(c) {
			return span{start, z.at}
		}
	}
	z.ended = true
	return span{start, z.at}
}

func (z *tokenizer) quoted(quote byte) span {
	start := z.at + 1
	i := strings.IndexByte(z.s[start:], quote)
	if i < 0 {
		z.at, z.ended = len(z.s), true
		return span{start, start}
	}
	z.at = start + i + 1
	return span{start, start + i}
}

// take returns the attributes of the tag, in memory of their own.
func (z *tokenizer) take() []html.Attribute {
	n := len(z.attrs)
	if n == 0 {
		return nil
	}
	if len(z.slab) < n {
		z.slab = make([]html.Attribute, max(n, attrSlab))
	}
	out := z.slab[:n:n]
	z.slab = z.slab[n:]
	for i := range out {
		v := z.values[i]
		out[i] = html.Attribute{Key: z.withoutNUL(z.attrs[i].Key), Val: unescapeValue(z.withoutNUL(z.s[v.start:v.end]))}
	}
	return out
}

// lower returns s with A to Z in lower case.
func lower(s string) string {
	for i := 0; i < len(s); i++ {
		if c := s[i]; 'A' <= c && c <= 'Z' {
			b := []byte(s)
			for ; i < len(b); i++ {
				if 'A' <= b[i] && b[i] <= 'Z' {
					b[i] |= 0x20
				}
			}
			return string(b)
		}
	}
	return s
}
