package schema

import (
	"strings"

	whatwgerr "github.com/nlnwa/whatwg-url/errors"
	whatwg "github.com/nlnwa/whatwg-url/url"
)

// splitStandard takes a reference apart with a parser of the WHATWG URL standard.
func splitStandard(base URL, ref string) (parts, string) {
	u, err := whatwg.ParseRef(base.String(), ref)
	if err != nil {
		return parts{}, reasonOf(err)
	}
	return parts{
		scheme: u.Scheme(),
		host:   u.Hostname(),
		port:   u.Port(),
		keep:   "/",
		path:   strings.TrimPrefix(u.Pathname(), "/"),
		query:  u.Query(),
	}, ""
}

// reasonOf sorts the parser's errors into the closed list. All that are neither
// about ports nor about schemes and syntax are about hosts.
func reasonOf(err error) string {
	switch whatwgerr.Type(err) {
	case whatwgerr.PortOutOfRange, whatwgerr.PortInvalid, whatwgerr.PortMissing:
		return ErrPort
	case whatwgerr.MissingSchemeNonRelativeURL:
		return ErrRelative
	case whatwgerr.InvalidURLUnit, whatwgerr.InvalidCredentials, "":
		return ErrSyntax
	}
	return ErrHost
}
