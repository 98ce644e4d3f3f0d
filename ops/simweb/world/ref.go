package world

import (
	"strconv"
	"strings"
)

// Host is the number of a host.
type Host uint32

// PageID is the number of a page on its host: a space in the top byte, an index
// below.
type PageID uint64

// Space says what kind of page a PageID numbers.
type Space uint8

// The spaces.
const (
	Tree        Space = iota // index in the tree
	Item                     // window << 8 | item in it
	Archive                  // block of archiveWindows windows
	Robots                   // 0 robots.txt, 1 where it moved, 2+h that of host h
	Feed                     // 0 RSS, 1 Atom
	Sitemap                  // 0 index, 1 items, 2+k part k
	Translation              // page << 2 | language: a page in another language than its host's
	Hop                      // page << 4 | hops left: the middle of a redirect chain
	Calendar                 // day
	Maze                     // hash of the path
	Facet                    // hash of the query
	Unknown                  // hash of the target
)

const spaceShift = 56

// ID builds a page number.
func ID(s Space, index uint64) PageID {
	return PageID(uint64(s)<<spaceShift | index&(1<<spaceShift-1))
}

// Space returns what kind of page it is.
func (p PageID) Space() Space { return Space(p >> spaceShift) }

// Index returns the number within the space.
func (p PageID) Index() uint64 { return uint64(p) & (1<<spaceShift - 1) }

// Derivable says whether the URL can be rebuilt from the number.
func (p PageID) Derivable() bool { return p.Space() < Maze }

// Form is how a URL names its page: scheme, www, and a shape of the path; the
// high byte tells sessions and parameters apart.
type Form uint16

// The forms. A Form is one shape, with or without HTTPS and WWW.
const (
	HTTPS    Form = 1 << iota // https://
	WWW                       // www. before the host
	Slash                     // a slash behind the path
	Session                   // ?sid=
	Tracking                  // ?utm_source=
	OrderAB                   // ?a=1&b=2
	OrderBA                   // ?b=2&a=1
	Index                     // /index.html for /
)

const (
	shapeMask      = Slash | Session | Tracking | OrderAB | OrderBA | Index
	variationShift = 8
)

func shapeOf(name string) Form {
	return map[string]Form{
		"slash": Slash, "session": Session, "tracking": Tracking, "order": OrderAB,
		"www": WWW, "https": HTTPS, "index": Index,
	}[name]
}

// Variation is the number a session, a campaign or a parameter carries.
func (f Form) Variation() uint64 { return uint64(f >> variationShift) }

// Ref is the address of a page under one of its URLs.
type Ref struct {
	Host Host
	Form Form
	Page PageID
}

// Site is the number of the registrable domain a host belongs to.
func (w *World) Site(h Host) uint32 { return uint32(h) / uint32(w.p.HostsPerSite) }

// Main is the form of a host's own URLs: its main scheme.
func (w *World) Main(h Host) Form {
	if w.trait(h, traitHTTPS, w.p.Hosting.HTTPS) {
		return HTTPS
	}
	return 0
}

// Home is the home page of a host.
func (w *World) Home(h Host) Ref { return Ref{Host: h, Form: w.Main(h)} }

// HostName returns the host's name without www.
func (w *World) HostName(h Host) string { return string(w.appendHost(nil, h, 0)) }

// SiteName returns the name of a registrable domain.
func (w *World) SiteName(site uint32) string {
	return "site" + strconv.FormatUint(uint64(site), 10) + ".test"
}

func (w *World) appendHost(dst []byte, h Host, f Form) []byte {
	if f&WWW != 0 {
		dst = append(dst, "www."...)
	}
	dst = append(dst, 'h')
	dst = strconv.AppendUint(dst, uint64(h), 10)
	dst = append(dst, ".site"...)
	dst = strconv.AppendUint(dst, uint64(w.Site(h)), 10)
	return append(dst, ".test"...)
}

// URL returns the absolute URL of a page; port is "" for the scheme's default.
func (w *World) URL(r Ref, port string) string { return string(w.AppendURL(nil, r, port)) }

// AppendURL is URL into a buffer.
func (w *World) AppendURL(dst []byte, r Ref, port string) []byte {
	if r.Form&HTTPS != 0 {
		dst = append(dst, "https://"...)
	} else {
		dst = append(dst, "http://"...)
	}
	dst = w.appendHost(dst, r.Host, r.Form)
	if port != "" {
		dst = append(append(dst, ':'), port...)
	}
	return w.appendTarget(dst, r)
}

// ParseHost reads a host name, with or without www. and port.
func (w *World) ParseHost(hostport string) (h Host, f Form, port string, ok bool) {
	name, port, _ := strings.Cut(strings.ToLower(hostport), ":")
	if rest, has := strings.CutPrefix(name, "www."); has {
		name, f = rest, WWW
	}
	rest, has := strings.CutPrefix(name, "h")
	if !has {
		return 0, 0, port, false
	}
	num, _, _ := strings.Cut(rest, ".")
	n, err := strconv.ParseUint(num, 10, 32)
	var own [64]byte
	if err != nil || n >= uint64(w.p.Hosts) || string(w.appendHost(own[:0], Host(n), 0)) != name {
		return 0, 0, port, false
	}
	return Host(n), f, port, true
}
