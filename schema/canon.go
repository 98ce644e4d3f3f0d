package schema

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
)

// CanonicalizerVersion names the rules of canonical form. It changes with any
// change that gives some URL another row key.
const CanonicalizerVersion = "1"

// Canonicalizer turns the spellings of a URL into its canonical form: it reads
// like a browser (WHATWG URL standard), then normalises as far as RFC 3986
// section 6.2.2 calls it safe, then drops what only tells visitors apart.
//
//	scheme, host      lower case, IDN in ASCII, no trailing dot, no user
//	port              none if default
//	path              no dot segments, at least "/"
//	escapes           unreserved decoded, hex upper case, all else that RFC 3986
//	                  does not allow encoded, a stray % becomes %25
//	query             none if empty, no empty pieces (a&&b), no tracking
//	fragment          none
//
// Double slashes, default pages (index.html), letter case of paths and empty
// values (a=) stay: servers may tell them apart.
//
// The zero Canonicalizer drops no parameters.
type Canonicalizer struct {
	drop       map[string]struct{}
	dropPrefix []string
	dropHex    map[string]struct{}
	dropPath   map[string]struct{}
	sort       bool
	version    string
}

// NewCanonicalizer fails if the options are not valid.
func NewCanonicalizer(opts CanonOptions) (*Canonicalizer, error) {
	if err := opts.Validate(); err != nil {
		return nil, err
	}
	c := &Canonicalizer{
		drop:     map[string]struct{}{},
		dropHex:  nameSet(opts.DropSessionParams),
		dropPath: nameSet(opts.DropPathParams),
		sort:     opts.SortParams,
	}
	for _, name := range opts.DropParams {
		if prefix, ok := strings.CutSuffix(strings.ToLower(name), "*"); ok {
			c.dropPrefix = append(c.dropPrefix, prefix)
		} else {
			c.drop[prefix] = struct{}{}
		}
	}
	c.version = CanonicalizerVersion + "-" + opts.fingerprint()
	return c, nil
}

// Version names rules and options together: two canonicalizers of one version
// agree on every URL. Provisioning stores it.
func (c *Canonicalizer) Version() string { return c.version }

// Parse canonicalises an absolute URL. The error is a *URLError.
func (c *Canonicalizer) Parse(raw string) (URL, error) { return c.Resolve(URL{}, raw) }

// Resolve canonicalises a reference found in a page with this base. With the
// zero base only absolute URLs are accepted. The error is a *URLError.
func (c *Canonicalizer) Resolve(base URL, ref string) (URL, error) {
	u, reason := c.resolve(base, ref)
	if reason != "" {
		return URL{}, refuse(reason, ref)
	}
	return u, nil
}

// resolve reads and normalises; the string is the reason of a refusal.
func (c *Canonicalizer) resolve(base URL, ref string) (URL, string) {
	if len(ref) > MaxRawURLBytes {
		return URL{}, ErrTooLong
	}
	p, reason := split(base, strip(ref))
	if reason != "" {
		return URL{}, reason
	}
	return c.build(p)
}

// build writes the canonical form of a URL taken apart.
func (c *Canonicalizer) build(p parts) (URL, string) {
	var space [512]byte
	dst := append(append(space[:0], p.scheme...), "://"...)
	dst, reason := appendHost(dst, p.host)
	if reason != "" {
		return URL{}, reason
	}
	hostEnd := len(dst)
	dst, reason = appendPort(dst, p.scheme, p.port)
	if reason != "" {
		return URL{}, reason
	}
	pathStart := len(dst)
	dst = c.appendPath(dst, p.keep, p.path)
	dst = c.appendQuery(dst, p.query)
	if len(dst) > MaxURLBytes {
		return URL{}, ErrTooLong
	}
	return URL{canonical: string(dst), hostEnd: uint16(hostEnd), pathStart: uint16(pathStart)}, ""
}

func nameSet(names []string) map[string]struct{} {
	set := make(map[string]struct{}, len(names))
	for _, name := range names {
		set[strings.ToLower(name)] = struct{}{}
	}
	return set
}

// fingerprint is the same for options that do the same.
func (o CanonOptions) fingerprint() string {
	h := fnv.New64a()
	for _, names := range [][]string{o.DropParams, o.DropSessionParams, o.DropPathParams} {
		sorted := make([]string, len(names))
		for i, name := range names {
			sorted[i] = strings.ToLower(name)
		}
		slices.Sort(sorted)
		fmt.Fprintf(h, "%q\n", slices.Compact(sorted))
	}
	fmt.Fprintln(h, o.SortParams)
	return strconv.FormatUint(h.Sum64(), 16)
}
