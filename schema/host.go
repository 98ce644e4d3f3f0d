package schema

import (
	"strings"

	"golang.org/x/net/publicsuffix"
)

// PSLVersion names the Public Suffix List behind SiteOf: revision and date of
// the copy in golang.org/x/net/publicsuffix. Provisioning stores it.
const PSLVersion = "d6c92f1bbb7433e5db7b8405c25d4035fb8ff376 2026-02-06"

// Host is a host as it stands in row keys: labels reversed (com.example.www), so
// that a site's hosts are neighbours. IP addresses are not reversed; IPv6
// addresses stand in brackets.
type Host string

// HostOf gives the Host of a canonical hostname (lower case, ASCII).
func HostOf(name string) Host {
	if strings.Count(name, ":") > 1 && name[0] != '[' {
		return Host("[" + name + "]")
	}
	if isAddress(name) || strings.IndexByte(name, '.') < 0 {
		return Host(name)
	}
	var b strings.Builder
	b.Grow(len(name))
	writeReversed(&b, name)
	return Host(b.String())
}

// Name is the host in normal order, as it stands in URLs.
func (h Host) Name() string { return string(HostOf(string(h))) }

// Site is a registrable domain in normal order (example.com), or an IP address,
// or a name that is a public suffix itself or has no dot.
type Site string

// SiteOf gives the site of a canonical hostname, by the list compiled in. Names
// under a top level domain that is not listed are one site per second level:
// python.en.test is of en.test.
func SiteOf(hostname string) Site {
	if isAddress(hostname) {
		return Site(hostname)
	}
	site, err := publicsuffix.EffectiveTLDPlusOne(hostname)
	if err != nil {
		return Site(hostname)
	}
	return Site(site)
}

// isAddress tells addresses from names in either order of labels: a canonical
// name never ends in a label of digits only, because the URL standard reads that
// as an IPv4 address or refuses it.
func isAddress(host string) bool {
	if host == "" {
		return false
	}
	if host[0] == '[' {
		return true
	}
	for i := 0; i < len(host); i++ {
		if c := host[i]; c != '.' && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}

// writeReversed writes the labels of name from last to first; an address as it
// is.
func writeReversed(b *strings.Builder, name string) {
	if isAddress(name) {
		b.WriteString(name)
		return
	}
	for end := len(name); ; {
		dot := strings.LastIndexByte(name[:end], '.')
		b.WriteString(name[dot+1 : end])
		if dot < 0 {
			return
		}
		b.WriteByte('.')
		end = dot
	}
}
