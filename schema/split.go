package schema

import (
	"strings"
	"unicode/utf8"
)

// parts is a URL taken apart as the URL standard does, before normalisation.
type parts struct {
	scheme string // "http" or "https"
	host   string // ASCII, letters of any case; IPv6 in brackets
	port   string // digits; empty: the default
	keep   string // canonical path taken over from the base; begins with a slash
	path   string // raw, to be resolved against keep
	query  string // raw, without the question mark
}

// strip removes what browsers do not see: white space and control characters at
// both ends, tabs and line ends anywhere.
func strip(raw string) string {
	raw = strings.TrimFunc(raw, func(r rune) bool { return r <= ' ' })
	if strings.IndexAny(raw, "\t\n\r") < 0 {
		return raw
	}
	return strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(raw)
}

// split takes a stripped reference apart: what is written the plain way by
// splitPlain, all else by a parser of the standard, five times slower.
func split(base URL, ref string, plain bool) (parts, string) {
	scheme, rest := cutScheme(ref)
	switch {
	case ref == "" && base.IsZero():
		return parts{}, ErrEmpty
	case scheme == "" && base.IsZero():
		return parts{}, ErrRelative
	case scheme != "" && webScheme(scheme) == "":
		return parts{}, ErrScheme
	}
	if plain {
		if p, ok := splitPlain(base, webScheme(scheme), rest); ok {
			return p, ""
		}
	}
	return splitStandard(base, ref)
}

// cutScheme splits at the colon behind a scheme; without one, all is rest.
func cutScheme(s string) (scheme, rest string) {
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case 'a' <= c|0x20 && c|0x20 <= 'z':
		case i > 0 && c == ':':
			return s[:i], s[i+1:]
		case i > 0 && ('0' <= c && c <= '9' || c == '+' || c == '-' || c == '.'):
		default:
			return "", s
		}
	}
	return "", s
}

// webScheme is the scheme in lower case if it is one that can be crawled.
func webScheme(scheme string) string {
	switch {
	case strings.EqualFold(scheme, "https"):
		return "https"
	case strings.EqualFold(scheme, "http"):
		return "http"
	}
	return ""
}

// splitPlain takes apart what needs no knowledge beyond RFC 3986: an ASCII host
// name, a port, a path, a query. It refuses, rather than guesses, the rest. The
// test TestPlainIsStandard and its fuzz target hold it to splitStandard.
func splitPlain(base URL, scheme, rest string) (parts, bool) {
	rest, _, _ = strings.Cut(rest, "#")
	if !utf8.ValidString(rest) {
		return parts{}, false
	}
	if after, ok := strings.CutPrefix(rest, "//"); ok {
		if scheme == "" {
			scheme = base.Scheme()
		}
		return splitAuthority(scheme, after)
	}
	if scheme != "" || len(rest) > 0 && rest[0] == '\\' || strings.HasPrefix(rest, `/\`) {
		return parts{}, false
	}
	return splitRelative(base, rest), true
}

// splitAuthority takes host[:port][/path][?query] apart.
func splitAuthority(scheme, s string) (parts, bool) {
	p := parts{scheme: scheme, host: s, keep: "/"}
	if end := strings.IndexAny(s, `/\?`); end >= 0 {
		p.host = s[:end]
		if s[end] == '?' {
			p.query = s[end+1:]
		} else {
			p.path, p.query, _ = strings.Cut(s[end+1:], "?")
		}
	}
	p.host, p.port, _ = strings.Cut(p.host, ":")
	return p, plainHost(p.host) && plainPort(p.port)
}

// splitRelative resolves a reference without scheme and authority: empty, a
// query, a path from the root, or one from the base's directory.
func splitRelative(base URL, ref string) parts {
	basePath, baseQuery, _ := strings.Cut(base.PathQuery(), "?")
	p := parts{scheme: base.Scheme(), keep: basePath}
	p.host, p.port = base.hostPort()
	if ref == "" {
		p.query = baseQuery
		return p
	}
	p.path, p.query, _ = strings.Cut(ref, "?")
	switch {
	case p.path == "":
	case p.path[0] == '/':
		p.keep, p.path = "/", p.path[1:]
	default:
		p.keep = basePath[:strings.LastIndexByte(basePath, '/')+1]
	}
	return p
}

func (u URL) hostPort() (host, port string) {
	return u.Hostname(), strings.TrimPrefix(u.canonical[u.hostEnd:u.pathStart], ":")
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
		case !isHostByte(c) && (c < 'A' || c > 'Z'):
			return false
		}
	}
	return start < len(host) && isLetter(host[start])
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// plainPort accepts up to five digits; whether they are a port is for the
// caller to say.
func plainPort(port string) bool {
	if len(port) > 5 {
		return false
	}
	for i := 0; i < len(port); i++ {
		if port[i] < '0' || port[i] > '9' {
			return false
		}
	}
	return true
}
