package world

import (
	"strconv"
	"strings"

	"millrace/ops/simweb/draw"
)

// sections are the first path segments of tree pages.
var sections = [...]string{
	"science", "health", "economy", "nature", "technology", "history", "culture", "sport",
	"education", "food", "travel", "law", "archive-of-places", "people", "projects", "notes",
}

// appendTarget appends path and query of a page.
func (w *World) appendTarget(dst []byte, r Ref) []byte {
	dst = w.appendPath(dst, r.Host, r.Page)
	v := r.Form.Variation()
	switch r.Form & shapeMask {
	case Slash:
		dst = append(dst, '/')
	case Session:
		dst = strconv.AppendUint(append(dst, "?sid="...), v, 16)
	case Tracking:
		dst = strconv.AppendUint(append(dst, "?utm_source="...), v, 10)
	case OrderAB:
		dst = strconv.AppendUint(append(dst, "?a="...), v, 10)
		dst = append(dst, "&b=2"...)
	case OrderBA:
		dst = strconv.AppendUint(append(dst, "?b=2&a="...), v, 10)
	case Index:
		dst = append(dst, "index.html"...)
	}
	return dst
}

func (w *World) appendPath(dst []byte, h Host, p PageID) []byte {
	i := p.Index()
	switch p.Space() {
	case Tree:
		return w.appendTreePath(dst, h, i)
	case Item:
		return numbered(dst, "/news/", i, ".html")
	case Archive:
		return numbered(dst, "/older/", i, ".html")
	case Robots:
		switch i {
		case 0:
			return append(dst, "/robots.txt"...)
		case 1:
			return append(dst, "/robots-moved.txt"...)
		}
		return numbered(dst, "/robots-of-", i-2, ".txt")
	case Feed:
		return append(dst, [...]string{"/feed.rss", "/feed.atom"}[i&1]...)
	case Sitemap:
		return w.appendSitemapPath(dst, h, i)
	case Hop:
		dst = numbered(dst, "/hop/", i>>hopBits, "/")
		return strconv.AppendUint(dst, i&(1<<hopBits-1), 10)
	case Translation:
		dst = append(append(dst, '/'), translationLang(p).Code()...)
		return w.appendTreePath(dst, h, i>>langBits)
	case Calendar:
		return strconv.AppendUint(append(dst, "/calendar?day="...), i, 10)
	case Maze:
		return append(dst, "/maze/0/"...)
	case Facet:
		return append(dst, "/shop"...)
	}
	return append(dst, "/unknown"...)
}

func (w *World) appendSitemapPath(dst []byte, h Host, i uint64) []byte {
	if i == 0 {
		return append(dst, "/sitemap.xml"...)
	}
	dst = numbered(dst, "/sitemap-", i, ".xml")
	if w.trait(h, traitSitemapGzip, w.p.Sitemaps.Gzip) {
		dst = append(dst, ".gz"...)
	}
	return dst
}

func numbered(dst []byte, before string, n uint64, after string) []byte {
	dst = append(dst, before...)
	dst = strconv.AppendUint(dst, n, 10)
	return append(dst, after...)
}

func (w *World) appendTreePath(dst []byte, h Host, i uint64) []byte {
	if i == 0 {
		return append(dst, '/')
	}
	before, after := "", ".html"
	switch w.role(h, i) {
	case Private:
		before = "/private/"
	case PDF:
		before, after = "/files/", ".pdf"
	case Image:
		before, after = "/images/", ".png"
	case Redirect, RedirectOut, RedirectLoop:
		before, after = "/go/", ""
	default:
		dst = append(append(dst, '/'), sections[w.hash(forTopic, uint64(h), i)%uint64(len(sections))]...)
		before = "/"
	}
	return numbered(dst, before, i, after)
}

// Request is a request for a page: the page, the path and query, and the port of
// its authority ("" for the default), which links carry on.
type Request struct {
	Ref    Ref
	Target string
	Port   string
}

// Parse finds the page of a request; what the world does not know becomes a
// page of the space Unknown. ok is false if there is no such host.
func (w *World) Parse(https bool, hostport, target string) (req Request, ok bool) {
	h, f, port, ok := w.ParseHost(hostport)
	if !ok || f&WWW != 0 && w.twins&WWW == 0 {
		return Request{}, false
	}
	if https {
		f |= HTTPS
	}
	target, _, _ = strings.Cut(target, "#")
	r := Ref{Host: h, Form: f}
	path, query, _ := strings.Cut(target, "?")
	var buf [128]byte
	if !w.parsePath(&r, path, query) || r.Page.Derivable() && string(w.appendTarget(buf[:0], r)) != target {
		r.Form = f
		r.Page = ID(Unknown, draw.HashString(w.seed, target))
	}
	return Request{r, target, port}, true
}

// parsePath guesses the page and its form; the caller checks that the guess
// writes the same target.
func (w *World) parsePath(r *Ref, path, query string) bool {
	if w.parseSpecial(r, path, query) {
		return true
	}
	shape, v, ok := parseShape(query)
	if !ok {
		return false
	}
	if path == "/index.html" && w.twins&Index != 0 {
		shape, path = Index, "/"
	}
	if len(path) > 1 && strings.HasSuffix(path, "/") {
		shape, path = Slash, strings.TrimSuffix(path, "/")
	}
	known := shape == 0 || w.twins&shape != 0 || shape == OrderBA && w.twins&OrderAB != 0
	if !known || v > 0xff {
		return false
	}
	r.Form |= shape | Form(v<<variationShift)
	i, ok := lastNumber(path)
	r.Page = ID(Tree, i)
	return ok && i < w.Pages(r.Host)
}

func parseShape(query string) (shape Form, v uint64, ok bool) {
	if query == "" {
		return 0, 0, true
	}
	var err error
	switch {
	case strings.HasPrefix(query, "sid="):
		v, err = strconv.ParseUint(query[4:], 16, 16)
		return Session, v, err == nil
	case strings.HasPrefix(query, "utm_source="):
		v, err = strconv.ParseUint(query[11:], 10, 16)
		return Tracking, v, err == nil
	case strings.HasPrefix(query, "a=") && strings.HasSuffix(query, "&b=2"):
		v, err = strconv.ParseUint(query[2:len(query)-4], 10, 16)
		return OrderAB, v, err == nil
	case strings.HasPrefix(query, "b=2&a="):
		v, err = strconv.ParseUint(query[6:], 10, 16)
		return OrderBA, v, err == nil
	}
	return 0, 0, false
}

// lastNumber reads the number at the path's end, before its extension; "/" is 0.
func lastNumber(path string) (uint64, bool) {
	if path == "/" {
		return 0, true
	}
	name := path[strings.LastIndexByte(path, '/')+1:]
	if dot := strings.IndexByte(name, '.'); dot >= 0 {
		name = name[:dot]
	}
	n, err := strconv.ParseUint(name, 10, spaceShift)
	return n, err == nil
}
