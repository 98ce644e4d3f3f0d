package schema

import (
	"strings"
	"unicode/utf8"
)

// parts is a URL taken apart as the URL standard does, before normalisation.
type parts struct {
	scheme string // "http" or "https"
	host   string // as written, perhaps with escapes and Unicode
	port   string // as written; empty: the default
	keep   string // canonical path taken over from the base; begins with a slash
	path   string // as written, to be resolved against keep
	query  string // as written, without the question mark
}

// strip removes what browsers do not see: white space and control characters at
// both ends, tabs and line ends anywhere. Bytes that are no UTF-8 become U+FFFD.
func strip(raw string) string {
	for raw != "" && raw[0] <= ' ' {
		raw = raw[1:]
	}
	for raw != "" && raw[len(raw)-1] <= ' ' {
		raw = raw[:len(raw)-1]
	}
	unseen, ascii := false, true
	for i := 0; i < len(raw); i++ {
		c := raw[i]
		unseen = unseen || c == '\t' || c == '\n' || c == '\r'
		ascii = ascii && c < utf8.RuneSelf
	}
	if unseen {
		raw = strings.NewReplacer("\t", "", "\n", "", "\r", "").Replace(raw)
	}
	if !ascii && !utf8.ValidString(raw) {
		raw = string([]rune(raw))
	}
	return raw
}

// split takes a stripped reference apart. It is the state machine of the URL
// standard (https://url.spec.whatwg.org/#url-parsing) for the two schemes of the
// web, in one pass over the string; the tests hold it to a full implementation.
func split(base URL, ref string) (parts, string) {
	scheme, rest := cutScheme(ref)
	switch {
	case ref == "" && base.IsZero():
		return parts{}, ErrEmpty
	case scheme == "" && base.IsZero():
		return parts{}, ErrRelative
	}
	if scheme == "" {
		scheme = base.Scheme()
	} else if scheme = webScheme(scheme); scheme == "" {
		return parts{}, ErrScheme
	}
	rest, _, _ = strings.Cut(rest, "#")
	slashes := 0
	for slashes < len(rest) && isSlash(rest[slashes]) {
		slashes++
	}
	// https:a has a host, unless it stands in a page that is https itself.
	if slashes >= 2 || scheme != base.Scheme() {
		return splitAuthority(scheme, rest[slashes:]), ""
	}
	return splitRelative(base, rest), ""
}

// cutScheme splits at the colon behind a scheme; without one, all is rest.
func cutScheme(s string) (scheme, rest string) {
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case isLetter(c):
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

// splitAuthority takes [user@]host[:port][/path][?query] apart.
func splitAuthority(scheme, s string) parts {
	p := parts{scheme: scheme, keep: "/"}
	end := 0
	for end < len(s) && !isSlash(s[end]) && s[end] != '?' {
		end++
	}
	p.host, p.port = splitHostPort(s[:end])
	if end < len(s) && s[end] != '?' {
		end++ // the root's slash is in keep
	}
	p.path, p.query, _ = strings.Cut(s[end:], "?")
	return p
}

// splitHostPort drops the user, which ends at the last @, and splits at the first
// colon that is not in brackets.
func splitHostPort(authority string) (host, port string) {
	authority = authority[strings.LastIndexByte(authority, '@')+1:]
	brackets := false
	for i := 0; i < len(authority); i++ {
		switch authority[i] {
		case '[':
			brackets = true
		case ']':
			brackets = false
		case ':':
			if !brackets {
				return authority[:i], authority[i+1:]
			}
		}
	}
	return authority, ""
}

// splitRelative resolves a reference without an authority: empty, a query, a path
// from the root, or one from the base's directory.
func splitRelative(base URL, ref string) parts {
	basePath, baseQuery, _ := strings.Cut(base.PathQuery(), "?")
	p := parts{scheme: base.Scheme(), host: base.Hostname(), keep: basePath}
	p.port = strings.TrimPrefix(base.canonical[base.hostEnd:base.pathStart], ":")
	if ref == "" {
		p.query = baseQuery
		return p
	}
	p.path, p.query, _ = strings.Cut(ref, "?")
	switch {
	case p.path == "":
	case isSlash(p.path[0]):
		p.keep, p.path = "/", p.path[1:]
	default:
		p.keep = basePath[:strings.LastIndexByte(basePath, '/')+1]
	}
	return p
}

// isSlash: in URLs of the web a backslash before the query is a slash.
func isSlash(c byte) bool { return c == '/' || c == '\\' }

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
