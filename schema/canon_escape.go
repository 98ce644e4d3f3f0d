package schema

// Which ASCII characters stand for themselves, as bit sets of the codes 0-63 and
// 64-127. Path: RFC 3986 pchar without the slash, which the caller handles.
// Query: pchar, slash and question mark, but not the apostrophe and the
// ampersand: the URL standard encodes the former, the caller splits at the
// latter.
const (
	digitBits  uint64 = 0x3ff << '0'
	letterBits uint64 = 0x3ffffff<<('A'-64) | 0x3ffffff<<('a'-64)

	unreservedLo = digitBits | 1<<'-' | 1<<'.'
	unreservedHi = letterBits | 1<<('_'-64) | 1<<('~'-64)

	subDelimsLo = 1<<'!' | 1<<'$' | 1<<'&' | 1<<'\'' | 1<<'(' | 1<<')' | 1<<'*' | 1<<'+' | 1<<',' | 1<<';' | 1<<'='

	pathLo  = unreservedLo | subDelimsLo | 1<<':'
	pathHi  = unreservedHi | 1<<('@'-64)
	queryLo = pathLo&^(1<<'\''|1<<'&') | 1<<'/' | 1<<'?'
	queryHi = pathHi
)

const upperHex = "0123456789ABCDEF"

// literals is a set of ASCII characters that need no escape.
type literals struct{ lo, hi uint64 }

func (l literals) has(c byte) bool {
	if c < 64 {
		return l.lo>>c&1 != 0
	}
	return c < 128 && l.hi>>(c-64)&1 != 0
}

func isUnreserved(c byte) bool { return literals{unreservedLo, unreservedHi}.has(c) }

// appendEscaped writes s with its escapes in normal form.
func (l literals) appendEscaped(dst []byte, s string) []byte {
	for len(s) > 0 {
		n := 0
		for n < len(s) && l.has(s[n]) {
			n++
		}
		dst = append(dst, s[:n]...)
		if s = s[n:]; len(s) == 0 {
			break
		}
		c, width := s[0], 1
		if c == '%' && len(s) > 2 && isHex(s[1]) && isHex(s[2]) {
			c, width = unhex(s[1])<<4|unhex(s[2]), 3
		}
		if width == 3 && isUnreserved(c) {
			dst = append(dst, c)
		} else {
			dst = append(dst, '%', upperHex[c>>4], upperHex[c&15])
		}
		s = s[width:]
	}
	return dst
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f'
}

func unhex(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c | 0x20 - 'a' + 10
}
