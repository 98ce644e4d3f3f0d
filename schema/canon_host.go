package schema

import "strconv"

// Bounds of a DNS name in its usual spelling (RFC 1035 section 2.3.4).
const (
	maxHostname = 253
	maxLabel    = 63
)

// appendHost lower-cases a hostname and refuses what the DNS cannot hold. The
// URL standard allows more: empty labels, any length, most punctuation.
func appendHost(dst []byte, host string) ([]byte, string) {
	if host == "" {
		return nil, ErrHost
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
	label := 0 // bytes of the label so far
	for i := 0; i < len(host); i++ {
		c := host[i]
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
