package robots

import "strings"

// Patterns and paths are compared in a normal form (RFC 9309, 2.2.2). Unreserved characters are not
// encoded. Everything outside the ASCII characters of a URI is %XX in capitals. An encoded reserved
// character stays encoded, since %2F and / are different. In a path, * and $ are encoded: in a
// pattern the bare characters are special, and %2A and %24 stand for the characters themselves.

func normalPath(path string) string {
	if path == "" {
		return "/"
	}
	return normalise(path, false)
}

// normalPattern normalises a value of Allow or Disallow. A value that begins with neither / nor *
// gets a / in front.
func normalPattern(value string) string {
	p := normalise(value, true)
	if p[0] != '/' && p[0] != '*' && p != "$" {
		return "/" + p
	}
	return p
}

func normalise(s string, pattern bool) string {
	i := 0
	for i < len(s) && class(s[i], pattern, i == len(s)-1) == plain {
		i++
	}
	if i == len(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	b.WriteString(s[:i])
	for ; i < len(s); i++ {
		switch class(s[i], pattern, i == len(s)-1) {
		case plain:
			b.WriteByte(s[i])
		case encode:
			writeEncoded(&b, s[i])
		case percent:
			i += writePercent(&b, s[i:])
		}
	}
	return b.String()
}

type charClass uint8

const (
	plain   charClass = iota // stands for itself
	encode                   // must be written as %XX
	percent                  // begins an escape
)

func class(c byte, pattern, last bool) charClass {
	switch {
	case c == '%':
		return percent
	case c == '*':
		return pick(pattern)
	case c == '$':
		return pick(pattern && last)
	case isUnreserved(c) || isReserved(c):
		return plain
	}
	return encode
}

func pick(special bool) charClass {
	if special {
		return plain
	}
	return encode
}

// writePercent writes the escape at the head of s in normal form and returns how many bytes after
// the % it used. A lone % is a literal one.
func writePercent(b *strings.Builder, s string) int {
	if len(s) < 3 || unhex(s[1]) < 0 || unhex(s[2]) < 0 {
		writeEncoded(b, '%')
		return 0
	}
	c := byte(unhex(s[1])<<4 | unhex(s[2]))
	if isUnreserved(c) {
		b.WriteByte(c)
	} else {
		writeEncoded(b, c)
	}
	return 2
}

func writeEncoded(b *strings.Builder, c byte) {
	const digits = "0123456789ABCDEF"
	b.WriteByte('%')
	b.WriteByte(digits[c>>4])
	b.WriteByte(digits[c&15])
}

func unhex(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// isUnreserved and isReserved are the sets of RFC 3986, 2.2 and 2.3.
func isUnreserved(c byte) bool {
	return isAlpha(c) || isDigit(c) || c == '-' || c == '.' || c == '_' || c == '~'
}

func isReserved(c byte) bool { return strings.IndexByte(":/?#[]@!$&'()*+,;=", c) >= 0 }
