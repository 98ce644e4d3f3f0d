package schema

import (
	"strconv"

	whatwg "github.com/nlnwa/whatwg-url/url"
)

const (
	// Bounds of a DNS name in its usual spelling (RFC 1035 section 2.3.4).
	maxHostname = 253
	maxLabel    = 63
	// maxRawHost is more than any spelling of a DNS name needs (four labels of 59
	// characters, four bytes each, three characters an escape). It bounds the time
	// spent on hostile input.
	maxRawHost = 4096
)

// appendHost writes a host as the standard reads it: escapes decoded, Unicode in
// ASCII, addresses in their usual form. It refuses what the DNS cannot hold; the
// standard allows more: empty labels, any length, most punctuation.
func appendHost(dst []byte, host string) ([]byte, string) {
	if !plainHost(host) {
		if host = standardHost(host); host == "" {
			return nil, ErrHost
		}
	}
	if host[0] == '[' {
		return append(dst, host...), ""
	}
	if host[len(host)-1] == '.' {
		host = host[:len(host)-1]
	}
	if len(host) > maxHostname {
		return nil, ErrHost
	}
	return appendLabels(dst, host)
}

// standardHost leaves a host that is not plain to a parser of the URL standard,
// ten times slower. The answer is empty if that refuses it.
func standardHost(host string) string {
	if len(host) > maxRawHost {
		return ""
	}
	u, err := whatwg.Parse("http://" + host + "/")
	if err != nil {
		return ""
	}
	return u.Hostname()
}

// plainHost accepts names that mean themselves: letters, digits, - and _ in
// labels that are not empty, a last label that begins with a letter (so it is no
// IPv4 address in any of its spellings), and no punycode, which has rules of its
// own.
func plainHost(host string) bool {
	start := 0
	for i := 0; i < len(host); i++ {
		switch c := host[i]; {
		case c == '.':
			if i == start {
				return false
			}
			start = i + 1
		case c == '-' && i == start+3 && host[i-1] == '-':
			return false
		case !isHostByte(c) && !isLetter(c):
			return false
		}
	}
	return start < len(host) && isLetter(host[start])
}

// appendLabels lower-cases a name and refuses empty and overlong labels.
func appendLabels(dst []byte, name string) ([]byte, string) {
	label := 0 // bytes of the label so far
	for i := 0; i < len(name); i++ {
		c := name[i]
		switch {
		case c == '.':
			if label == 0 {
				return nil, ErrHost
			}
			label = -1
		case 'A' <= c && c <= 'Z':
			c |= 0x20
		case !isHostByte(c):
			return nil, ErrHost
		}
		if label++; label > maxLabel {
			return nil, ErrHost
		}
		dst = append(dst, c)
	}
	if label == 0 {
		return nil, ErrHost
	}
	return dst, ""
}

// isHostByte allows the underscore: such names resolve and are in use.
func isHostByte(c byte) bool {
	return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '-' || c == '_'
}

// appendPort writes a port that is not the default of the scheme. Port 0 cannot
// be dialled.
func appendPort(dst []byte, scheme, port string) ([]byte, string) {
	if port == "" {
		return dst, ""
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil || n == 0 {
		return nil, ErrPort
	}
	if scheme == "http" && n == 80 || scheme == "https" && n == 443 {
		return dst, ""
	}
	return strconv.AppendUint(append(dst, ':'), n, 10), ""
}
