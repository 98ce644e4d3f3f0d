package charset

import (
	"bytes"
	"strings"
)

// xmlEncoding returns the encoding in an XML declaration at the very beginning; "" if there is
// none.
func xmlEncoding(head []byte) string {
	head = bytes.TrimLeft(head, " \t\r\n")
	if !bytes.HasPrefix(head, []byte("<?xml")) {
		return ""
	}
	end := bytes.Index(head, []byte("?>"))
	if end < 0 {
		return ""
	}
	return attribute(string(head[:end]), "encoding")
}

// metaCharset returns the first known encoding that a meta element states, as the standard's
// prescan does. It skips comments and tags with quoted attributes, but does not know scripts.
func metaCharset(head []byte) string {
	for {
		i := bytes.IndexByte(head, '<')
		if i < 0 {
			return ""
		}
		head = head[i:]
		switch {
		case bytes.HasPrefix(head, []byte("<!--")):
			head = after(head[2:], "-->")
		case isTag(head):
			end := tagEnd(head)
			if end < 0 {
				return ""
			}
			if hasTag(head, "<meta") {
				if name := Canonical(metaLabel(string(head[:end]))); name != "" {
					return name
				}
			}
			head = head[end:]
		default:
			head = head[1:]
		}
	}
}

// isTag reports whether b begins with a start tag or an end tag.
func isTag(b []byte) bool {
	if len(b) > 1 && b[1] == '/' {
		b = b[1:]
	}
	return len(b) > 1 && isLetter(b[1])
}

// tagEnd returns the index of the > that ends a tag; -1 if there is none. A > in a quoted value
// does not end it.
func tagEnd(b []byte) int {
	var quote, last byte
	for i, c := range b {
		switch {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '>':
			return i
		case (c == '"' || c == '\'') && last == '=':
			quote = c
		}
		if c > ' ' {
			last = c
		}
	}
	return -1
}

// metaLabel reads <meta charset=X> and <meta http-equiv=content-type content="text/html;
// charset=X">.
func metaLabel(tag string) string {
	if label := attribute(tag, "charset"); label != "" {
		return label
	}
	if !strings.EqualFold(attribute(tag, "http-equiv"), "content-type") {
		return ""
	}
	_, label, ok := strings.Cut(strings.ToLower(attribute(tag, "content")), "charset")
	if !ok {
		return ""
	}
	label, ok = strings.CutPrefix(strings.TrimLeft(label, " \t\r\n"), "=")
	if !ok {
		return ""
	}
	return labelIn(strings.TrimLeft(label, " \t\r\n"))
}

// attribute returns the value of an attribute in the text of a tag; "" if there is none, or its
// quotes are not closed.
func attribute(tag, name string) string {
	for i := strings.IndexAny(tag, blanks); i >= 0 && i < len(tag); {
		var key, value string
		key, value, i = nextAttribute(tag, i)
		if strings.EqualFold(key, name) {
			return value
		}
	}
	return ""
}

const blanks = " \t\r\n\f/"

// nextAttribute reads one attribute from i on, and returns where the next may begin.
func nextAttribute(tag string, i int) (key, value string, end int) {
	for i < len(tag) && strings.IndexByte(blanks, tag[i]) >= 0 {
		i++
	}
	start := i
	for i < len(tag) && tag[i] != '=' && strings.IndexByte(blanks, tag[i]) < 0 {
		i++
	}
	key = tag[start:i]
	rest := strings.TrimLeft(tag[i:], blanks[:5])
	if !strings.HasPrefix(rest, "=") {
		return key, "", max(i, start+1)
	}
	rest = strings.TrimLeft(rest[1:], blanks[:5])
	value, after := quoted(rest)
	return key, value, len(tag) - len(after)
}

// quoted splits s after a value, which is in quotes or ends at a space.
func quoted(s string) (value, rest string) {
	if s == "" {
		return "", ""
	}
	if q := s[0]; q == '"' || q == '\'' {
		value, rest, closed := strings.Cut(s[1:], string(q))
		if !closed {
			return "", ""
		}
		return value, rest
	}
	if i := strings.IndexAny(s, blanks[:5]); i >= 0 {
		return s[:i], s[i:]
	}
	return s, ""
}

// labelIn returns the label after "charset=" in a content attribute. It ends at a space, a
// semicolon or its quote.
func labelIn(s string) string {
	if s != "" && s[0] != '"' && s[0] != '\'' {
		if i := strings.IndexAny(s, blanks[:5]+";"); i >= 0 {
			return s[:i]
		}
		return s
	}
	value, _ := quoted(s)
	return value
}

func hasTag(b []byte, tag string) bool {
	return len(b) > len(tag) && bytes.EqualFold(b[:len(tag)], []byte(tag)) &&
		strings.IndexByte(blanks, b[len(tag)]) >= 0
}

// after returns the bytes after the next mark; nil if there is none.
func after(b []byte, mark string) []byte {
	for i := 0; i+len(mark) <= len(b); i++ {
		if b[i] == mark[0] && bytes.EqualFold(b[i:i+len(mark)], []byte(mark)) {
			return b[i+len(mark):]
		}
	}
	return nil
}
