package schema

import "strings"

// Bounds of a URL.
const (
	// MaxRawURLBytes bounds what is looked at: longer strings are data: URLs in
	// disguise, or attacks.
	MaxRawURLBytes = 16 << 10
	// MaxURLBytes bounds the canonical form. Servers commonly refuse request
	// lines over 8 KB, sitemaps allow 2,048 characters, and a row key (two bytes
	// shorter than its URL) is a key in three stores.
	MaxURLBytes = 2048
)

// URL is a canonical absolute http or https URL. Two URLs are the same page
// address if they are ==. The zero URL is no URL; all others come from a
// Canonicalizer or from RowKey.
type URL struct {
	canonical string
	hostEnd   uint16 // canonical[len(scheme)+3 : hostEnd] is the host
	pathStart uint16 // canonical[pathStart:] is path and query
}

// IsZero reports whether u is the zero URL.
func (u URL) IsZero() bool { return u.canonical == "" }

// String is the canonical form.
func (u URL) String() string { return u.canonical }

// Scheme is "http" or "https".
func (u URL) Scheme() string {
	if u.IsZero() {
		return ""
	}
	return u.canonical[:u.schemeLen()]
}

// Hostname is the host in normal order, IPv6 in brackets.
func (u URL) Hostname() string {
	if u.IsZero() {
		return ""
	}
	return u.canonical[u.schemeLen()+len("://") : u.hostEnd]
}

// Authority is the host with its port, if that is not the scheme's default:
// with the scheme, what a robots.txt stands for.
func (u URL) Authority() string {
	if u.IsZero() {
		return ""
	}
	return u.canonical[u.schemeLen()+len("://") : u.pathStart]
}

// PathQuery is the path and query, as they stand in a request line; it begins with "/".
func (u URL) PathQuery() string { return u.canonical[u.pathStart:] }

// Host is the host as it stands in row keys.
func (u URL) Host() Host { return HostOf(u.Hostname()) }

// Site is the registrable domain by the list compiled in. Only whoever sees a
// host first may ask; all others carry the answer.
func (u URL) Site() Site { return SiteOf(u.Hostname()) }

// RowKey is the same URL ordered by site. RowKey().Host() is cheaper than
// another call of Host.
func (u URL) RowKey() RowKey {
	if u.IsZero() {
		return ""
	}
	var b strings.Builder
	b.Grow(len(u.canonical) - len("//"))
	writeReversed(&b, u.Hostname())
	b.WriteByte(':')
	b.WriteString(u.Scheme())
	b.WriteString(u.canonical[u.hostEnd:])
	return RowKey(b.String())
}

func (u URL) schemeLen() int {
	if u.canonical[4] == 's' {
		return len("https")
	}
	return len("http")
}
