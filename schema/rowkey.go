package schema

import "strings"

// RowKey is a URL ordered by site: Host + path, where the path begins with a
// colon and the scheme.
//
//	com.example.www:https/about?x=1
//	com.example.www:https:8443/about
//	192.0.2.1:http/
//	[2001:db8::1]:http/
type RowKey string

// DocID is the row key of the page that stands for a document: the
// representative of a cluster of pages with the same text.
type DocID string

// JoinRowKey puts a host and a path (as Path gives it) together.
func JoinRowKey(host Host, path string) RowKey { return RowKey(string(host) + path) }

// ParseRowKey accepts exactly the keys of canonical URLs. Which parameters are
// dropped is a matter of options, and so of no concern here.
func ParseRowKey(s string) (RowKey, error) {
	key := RowKey(s)
	path := key.Path()
	if path == "" || len(s)+len("//") > MaxURLBytes {
		return "", refuse(ErrSyntax, s)
	}
	var keepAll Canonicalizer
	u, err := keepAll.Parse(key.URL())
	if err != nil {
		return "", err
	}
	if u.RowKey() != key {
		return "", refuse(ErrSyntax, s)
	}
	return key, nil
}

// Host is the key's host, the key of the record about it.
func (k RowKey) Host() Host { return Host(k[:k.hostLen()]) }

// Path is the rest: scheme, port, path and query, as in ":https/about?x=1".
func (k RowKey) Path() string { return string(k[k.hostLen():]) }

// URL is the URL in its usual spelling; empty if k is not of the form of a key.
func (k RowKey) URL() string {
	rest := strings.TrimPrefix(k.Path(), ":")
	end := strings.IndexAny(rest, ":/")
	if end < 0 {
		return ""
	}
	var b strings.Builder
	b.Grow(len(k) + len("//"))
	b.WriteString(rest[:end])
	b.WriteString("://")
	writeReversed(&b, string(k.Host()))
	b.WriteString(rest[end:])
	return b.String()
}

// hostLen is the length of the key's host. Only an IPv6 address has colons of
// its own.
func (k RowKey) hostLen() int {
	from := strings.IndexByte(string(k), ']') + 1
	if len(k) == 0 || k[0] != '[' {
		from = 0
	}
	if colon := strings.IndexByte(string(k[from:]), ':'); colon >= 0 {
		return from + colon
	}
	return len(k)
}
