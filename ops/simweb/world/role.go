package world

import (
	"math"

	"millrace/ops/simweb/profile"
)

// Role is the kind of a page.
type Role uint8

// The roles. Those of the profile come in the order of profile.Roles.
const (
	Plain         Role = iota // HTML of its own
	Copy                      // same title and text as another page of the site
	Near                      // shares a known part of another page's paragraphs
	Alias                     // text of its own, rel=canonical to another page
	CanonicalCopy             // a copy that names its original as canonical
	NoIndex                   // meta robots noindex
	Private                   // below /private/, which ordinary robots files disallow
	PDF                       // a PDF with English text
	Image                     // a PNG
	Huge                      // HTML of the profile's maximal size
	Redirect                  // 301 or 302, at times through a chain
	RedirectOut               // to a page of another host
	RedirectLoop              // to itself
	Missing                   // 404, or a soft one
	Gone                      // 410
	Error                     // 500
	Busy                      // 503 with Retry-After
	SlowDown                  // 429 with Retry-After
	Hang                      // never answers
	Reset                     // closes the connection without an answer
	Cut                       // promises more bytes than it sends
	WrongType                 // HTML sent as application/octet-stream
	WrongCharset              // UTF-8 sent as ISO-8859-1
	BrokenGzip                // gzip that ends in the middle
	MetaRefresh               // 200 with a meta refresh to another page
	LengthShort               // Content-Length is half of what is sent
	LengthLong                // Content-Length is more than what is sent, which is whole
	Listing                   // a page of the archive, feeds, sitemaps, robots: no role of the profile
	Trap                      // a page of a calendar, a maze or a shop
)

func roleOf(name string) Role {
	for i, n := range profile.Roles() {
		if n == name {
			return Plain + 1 + Role(i)
		}
	}
	return Plain
}

// String returns the profile's name of the role.
func (r Role) String() string {
	switch r {
	case Plain:
		return "plain"
	case Listing:
		return "listing"
	case Trap:
		return "trap"
	}
	return profile.Roles()[r-1]
}

// role of a tree page; inner pages are plain.
func (w *World) role(h Host, i uint64) Role {
	if len(w.roles.values) == 0 || i < w.inner(w.Pages(h)) {
		return Plain
	}
	r, _ := w.roles.pick(w.hash(forRole, uint64(h), i))
	return r
}

// isHTML says whether a page of this role answers 200 with a parsable HTML body.
func (r Role) isHTML() bool {
	switch r {
	case Plain, Copy, Near, Alias, CanonicalCopy, NoIndex, Private, Huge, MetaRefresh:
		return true
	}
	return false
}

// hopBits bounds redirect chains.
const hopBits = 3

// chain is the number of pages between a redirecting page and its target: none
// in seven of ten cases, else up to six, which is more than crawlers follow.
func (w *World) chain(h Host, i uint64) uint64 {
	x := w.hash(forRedirect, uint64(h), i)
	if x%10 < 7 {
		return 0
	}
	return 1 + x>>32%6
}

// popular draws the rank of a page or host: n * u^popularity, a power law.
func (w *World) popular(n uint64, u float64) uint64 {
	switch w.p.Links.Popularity {
	case 1:
	case 1.5: // the profile fast: math.Pow would take 3 % of its page
		u *= math.Sqrt(u)
	default:
		u = math.Pow(u, w.p.Links.Popularity)
	}
	return min(uint64(float64(n)*u), n-1)
}
