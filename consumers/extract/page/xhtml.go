package page

import (
	"bytes"
	"strings"

	"golang.org/x/net/html/atom"
)

// isXHTML reports whether a browser reads a page of this type as XML, where <title/> and <div/> are
// whole elements. The algorithm for HTML takes them for start tags, and a script or title that is
// not ended takes the rest of the page.
func isXHTML(contentType string) bool {
	kind, _, _ := strings.Cut(contentType, ";")
	return strings.EqualFold(strings.TrimSpace(kind), "application/xhtml+xml")
}

// endEmpty gives every empty element tag of XML (<div/>) an end tag, except for elements that have
// none in HTML either. Comments and CDATA sections stay as they are.
func endEmpty(body []byte) []byte {
	if !bytes.Contains(body, []byte("/>")) {
		return body
	}
	out := make([]byte, 0, len(body)+len(body)/16)
	for {
		i := bytes.IndexByte(body, '<')
		if i < 0 {
			return append(out, body...)
		}
		out, body = append(out, body[:i]...), body[i:]
		n := markupEnd(body)
		if n < 0 {
			return append(out, body...)
		}
		tag := body[:n]
		body = body[n:]
		name := tagName(tag)
		if name == "" || tag[len(tag)-2] != '/' || isVoid(atom.Lookup([]byte(name))) {
			out = append(out, tag...)
			continue
		}
		out = append(append(out, tag[:len(tag)-2]...), '>')
		out = append(append(append(out, "</"...), name...), '>')
	}
}

// markupEnd returns the length of the tag, comment, CDATA section or declaration that b begins
// with; -1 if it does not end.
func markupEnd(b []byte) int {
	for _, m := range [...][2]string{{"<!--", "-->"}, {"<![CDATA[", "]]>"}} {
		if bytes.HasPrefix(b, []byte(m[0])) {
			if i := bytes.Index(b, []byte(m[1])); i >= 0 {
				return i + len(m[1])
			}
			return -1
		}
	}
	var quote byte
	for i, c := range b {
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '>':
			return i + 1
		}
	}
	return -1
}

// tagName returns the name of a start tag in lower case; "" if it is none.
func tagName(tag []byte) string {
	end := 1
	for end < len(tag) && (tag[end] >= 'a' && tag[end] <= 'z' || tag[end] >= 'A' && tag[end] <= 'Z' || end > 1 && (tag[end] >= '0' && tag[end] <= '9' || tag[end] == '-' || tag[end] == ':')) {
		end++
	}
	return strings.ToLower(string(tag[1:end]))
}
