package charset

import (
	"bytes"
	"strings"
)

// xmlEncoding returns the encoding of an XML declaration at the very start, "" without one.
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

// metaCharset returns what the first meta element with a charset states. Comments are skipped as in the standard's
// prescan; scripts are not looked into either, for templates print meta elements from there.
func metaCharset(head []byte) string {
	for len(head) > 0 {
		i := bytes.IndexByte(head, '<')
		if i < 0 {
			return ""
		}
		head = head[i:]
		switch {
		case bytes.HasPrefix(head, []byte("<!--")):
			head = after(head[4:], "-->")
		case hasTag(head, "<script"):
			head = after(head, "</script")
		case hasTag(head, "<meta"):
			end := bytes.IndexByte(head, '>')
			if end < 0 {
				end = len(head)
			}
			if label := metaLabel(string(head[:end])); label != "" {
				return label
			}
			head = head[min(end+1, len(head)):]
		default:
			head = head[1:]
		}
	}
	return ""
}

// metaLabel reads <meta charset=X> and <meta http-equiv=content-type content="text/html; charset=X">.
func metaLabel(tag string) string {
	if label := attribute(tag, "charset"); label != "" {
		return label
	}
	content := strings.ToLower(attribute(tag, "content"))
	if _, label, ok := strings.Cut(content, "charset"); ok {
		label = strings.TrimLeft(label, " \t\r\n")
		if label, ok = strings.CutPrefix(label, "="); ok {
			return firstWord(strings.Trim(label, " \t\"'"))
		}
	}
	return ""
}

// attribute returns the value of name="value" in the text of a tag.
func attribute(tag, name string) string {
	lower := strings.ToLower(tag)
	for from := 0; ; {
		i := strings.Index(lower[from:], name)
		if i < 0 {
			return ""
		}
		i += from
		from = i + len(name)
		if i == 0 || !isSpaceOrQuote(lower[i-1]) {
			continue
		}
		rest := strings.TrimLeft(tag[from:], " \t\r\n")
		if rest, ok := strings.CutPrefix(rest, "="); ok {
			return value(strings.TrimLeft(rest, " \t\r\n"))
		}
	}
}

func value(s string) string {
	if s == "" {
		return ""
	}
	if q := s[0]; q == '"' || q == '\'' {
		v, _, _ := strings.Cut(s[1:], string(q))
		return v
	}
	return firstWord(s)
}

func firstWord(s string) string {
	if i := strings.IndexAny(s, " \t\r\n;\"'/>"); i >= 0 {
		return s[:i]
	}
	return s
}

func isSpaceOrQuote(c byte) bool {
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '"' || c == '\'' || c == '/'
}

func hasTag(b []byte, tag string) bool {
	return len(b) > len(tag) && bytes.EqualFold(b[:len(tag)], []byte(tag)) &&
		(isSpaceOrQuote(b[len(tag)]) || b[len(tag)] == '>')
}

// after returns what stands behind the next mark, nothing if there is none.
func after(b []byte, mark string) []byte {
	for i := 0; i+len(mark) <= len(b); i++ {
		if b[i] == mark[0] && bytes.EqualFold(b[i:i+len(mark)], []byte(mark)) {
			return b[i+len(mark):]
		}
	}
	return nil
}
