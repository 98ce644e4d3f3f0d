package schema

import (
	"strings"
	"testing"

	whatwgerr "github.com/nlnwa/whatwg-url/errors"
	whatwg "github.com/nlnwa/whatwg-url/url"
	"pgregory.net/rapid"
)

// standardResolve is Resolve with the splitting left to a full implementation of
// the URL standard: ten times slower, and quadratic in slashes and in @ signs.
func standardResolve(c *Canonicalizer, base URL, ref string) (URL, string) {
	if len(ref) > MaxRawURLBytes {
		return URL{}, ErrTooLong
	}
	ref = strip(ref)
	if scheme, _ := cutScheme(ref); scheme != "" && webScheme(scheme) == "" {
		return URL{}, ErrScheme
	}
	u, err := whatwg.ParseRef(base.String(), ref)
	switch {
	case ref == "" && base.IsZero():
		return URL{}, ErrEmpty
	case err == nil:
	case whatwgerr.Type(err) == whatwgerr.PortOutOfRange, whatwgerr.Type(err) == whatwgerr.PortInvalid:
		return URL{}, ErrPort
	case whatwgerr.Type(err) == whatwgerr.MissingSchemeNonRelativeURL:
		return URL{}, ErrRelative
	default:
		return URL{}, ErrHost
	}
	return c.build(parts{
		scheme: u.Scheme(),
		host:   u.Hostname(),
		port:   u.Port(),
		keep:   "/",
		path:   strings.TrimPrefix(u.Pathname(), "/"),
		query:  u.Query(),
	})
}

// asTheStandard holds our splitting to the full implementation.
func asTheStandard(t rapid.TB, c *Canonicalizer, base URL, ref string) {
	ours, reason := c.resolve(base, ref)
	theirs, theirReason := standardResolve(c, base, ref)
	if ours != theirs || (reason == "") != (theirReason == "") {
		t.Fatalf("%q in %q: %q %s, by the standard %q %s", ref, base, ours, reason, theirs, theirReason)
	}
}

func TestSplittingIsTheStandards(t *testing.T) {
	c := byDefault(t)
	rapid.Check(t, func(t *rapid.T) {
		base, _ := c.Parse(rapid.SampledFrom(bases).Draw(t, "base"))
		asTheStandard(t, c, base, drawRaw().Draw(t, "ref"))
	})
}

func FuzzSplit(f *testing.F) {
	for _, piece := range urlPieces {
		f.Add("https://a.b/c/d?e", piece)
		f.Add("", "http://a.b"+piece)
	}
	c := byDefault(f)
	f.Fuzz(func(t *testing.T, rawBase, ref string) {
		base, _ := c.Parse(rawBase)
		asTheStandard(t, c, base, ref)
	})
}

// A page can have thousands of links of 16 KB. Parsers of the standard that
// build strings piece by piece take a second for some of these.
func TestHostileURLsCostNoMoreThanOthers(t *testing.T) {
	c := byDefault(t)
	for _, piece := range []string{"@", "/", `\`, "../", "a/", "a.", "?", "&", "&a", ";", "%", "[", ":", "é", "\xff"} {
		for _, start := range []string{"http://", "http://a/", "http://a?"} {
			raw := start + strings.Repeat(piece, (MaxRawURLBytes-len(start))/len(piece))
			if n := testing.AllocsPerRun(1, func() { c.Parse(raw) }); n > 50 {
				t.Errorf("%s and %d bytes of %q: %v allocations", start, len(raw), piece, n)
			}
		}
	}
}
