package tree

import (
	"strings"

	"golang.org/x/net/html"
)

// unescape replaces the character references of a text.
func unescape(s string) string {
	if strings.IndexByte(s, '&') < 0 {
		return s
	}
	return html.UnescapeString(s)
}

// unescapeValue replaces the character references of an attribute's value. There, a name without a
// semicolon counts only as a whole, and not before an equals sign: ?a=1&copy=2 is an address.
func unescapeValue(s string) string {
	i := strings.IndexByte(s, '&')
	if i < 0 {
		return s
	}
	out := make([]byte, 0, len(s)+8)
	for ; i >= 0; i = strings.IndexByte(s, '&') {
		out = append(out, s[:i]...)
		n := reference(s[i:])
		out = append(out, inValue(s[i:i+n], s[i+n:])...)
		s = s[i+n:]
	}
	return string(append(out, s...))
}

// reference returns the length of what may be a character reference: & with a name or number, and a
// semicolon.
func reference(s string) int {
	n := 1
	if n < len(s) && s[n] == '#' {
		n++
		if n < len(s) && s[n]|0x20 == 'x' {
			n++
		}
	}
	for n < len(s) && (isLetter(s[n]) || '0' <= s[n] && s[n] <= '9') {
		n++
	}
	if n < len(s) && s[n] == ';' {
		n++
	}
	return n
}

// inValue replaces one reference; rest is what follows it.
func inValue(ref, rest string) string {
	switch {
	case ref == "&amp;":
		return "&"
	case len(ref) < 3:
		return ref
	case ref[1] == '#':
		return html.UnescapeString(ref)
	}
	text := html.UnescapeString(ref)
	if strings.HasSuffix(ref, ";") {
		if text == ";" || !strings.HasSuffix(text, ";") {
			return text
		}
		return ref // at most its beginning is a name
	}
	if last := text[len(text)-1]; isLetter(last) || '0' <= last && last <= '9' || strings.HasPrefix(rest, "=") {
		return ref
	}
	return text
}
