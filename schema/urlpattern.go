package schema

import (
	"bytes"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// URLPattern is an RE2 expression over canonical URLs. People write URLs as browsers show them,
// with ü and spaces; in canonical form these are escapes, and punycode in the host. So an
// expression with such characters is also tried on the form that people read.
type URLPattern struct {
	*regexp.Regexp
	readable bool
}

// CompileURLPattern compiles an expression. The case of the hex digits of escapes in it does not
// matter. The error is that of package regexp.
func CompileURLPattern(expr string) (URLPattern, error) {
	re, err := regexp.Compile(upperEscapes(expr))
	return URLPattern{re, AsPeopleRead(expr)}, err
}

// Match reports whether a canonical URL has a match.
func (p URLPattern) Match(url string) bool {
	return p.MatchString(url) || p.readable && p.MatchString(readable(url))
}

// AsPeopleRead reports whether a text holds what stands in no canonical URL: letters beyond ASCII,
// or spaces.
func AsPeopleRead(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return r > unicode.MaxASCII || r == ' ' })
}

// upperEscapes writes the hex digits of escapes as canonical URLs have them.
func upperEscapes(expr string) string {
	if strings.IndexByte(expr, '%') < 0 {
		return expr
	}
	b := []byte(expr)
	for i := range b {
		if b[i] == '%' && i+2 < len(b) && isHex(b[i+1]) && isHex(b[i+2]) {
			copy(b[i+1:], bytes.ToUpper(b[i+1:i+3]))
		}
	}
	return string(b)
}

// readable is a canonical URL as people write it: escapes of letters beyond ASCII and of spaces are
// decoded, and so is punycode in the host (RFC 3987, section 3.2; RFC 3492). What is no valid
// UTF-8, or would not be visible, stays an escape.
func readable(url string) string {
	if !strings.Contains(url, "%") && !strings.Contains(url, "xn--") {
		return url
	}
	scheme, rest, _ := strings.Cut(url, "://")
	host, path := rest, ""
	if i := strings.IndexByte(rest, '/'); i >= 0 {
		host, path = rest[:i], rest[i:]
	}
	if name, err := idna.Punycode.ToUnicode(host); err == nil {
		host = name
	}
	var b strings.Builder
	b.WriteString(scheme + "://" + host)
	for len(path) > 0 {
		raw := unescaped(path)
		if r, n := utf8.DecodeRune(raw); n > 0 && (n > 1 && unicode.IsGraphic(r) && !unicode.IsSpace(r) || r == ' ') {
			b.WriteRune(r)
			path = path[len("%00")*n:]
			continue
		}
		b.WriteByte(path[0])
		path = path[1:]
	}
	return b.String()
}

// unescaped is the bytes that the escapes at the beginning of s stand for, at most one character's.
func unescaped(s string) []byte {
	var out []byte
	for len(out) < utf8.UTFMax && len(s) > 2 && s[0] == '%' {
		if !isHex(s[1]) || !isHex(s[2]) {
			break
		}
		out = append(out, unhex(s[1])<<4|unhex(s[2]))
		s = s[3:]
	}
	return out
}
