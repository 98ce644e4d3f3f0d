package world

import "millrace/ops/simweb/draw"

// Link is one link of a page.
type Link struct {
	To      Ref
	Target  string // path and query if the page number cannot tell them (traps)
	Odd     uint8  // how its href is written; 0 is plainly
	Nav     bool   // in the navigation, else behind the article
	Refresh bool   // a meta refresh instead of an anchor
}

// oddWays is the number of odd ways to write an href.
const oddWays = 5

// Links appends the links of a page at t (ns since 1970): what an answer of the
// page would show. Pages that do not answer with HTML have none.
func (w *World) Links(dst []Link, a *Answer) []Link {
	switch {
	case a.Role == Trap:
		return w.trapLinks(dst, a)
	case a.Role == Listing && a.Ref.Page.Space() == Archive: // a 404 has the role Missing
		return w.archiveLinks(dst, a.Ref.Host, a.Ref.Page.Index(), a.At)
	case !a.HasLinks():
		return dst
	case a.Source.Page.Space() == Item:
		return w.itemLinks(dst, a.Source.Host, a.Source.Page)
	case a.Source.Page.Space() == Translation:
		return append(dst, Link{To: w.Home(a.Source.Host), Nav: true})
	case a.Role == MetaRefresh:
		dst = append(dst, Link{To: w.redirectTarget(a.Ref), Refresh: true})
	}
	return w.treeLinks(dst, a.Source.Host, a.Source.Page, a.At)
}

func (w *World) treeLinks(dst []Link, h Host, id PageID, t int64) []Link {
	i, n, fanout := id.Index(), w.Pages(h), uint64(w.p.Links.Fanout)
	main := w.Main(h)
	for c := i*fanout + 1; c <= i*fanout+fanout && c < n; c++ {
		if w.isBorn(h, c, t) {
			dst = append(dst, Link{To: Ref{h, main, ID(Tree, c)}, Nav: true})
		}
	}
	if i == 0 {
		dst = w.homeLinks(dst, h, t)
	}
	s := draw.NewStream(w.hash(forDegree, uint64(h), i))
	degree := int(s.LogNormal(float64(w.p.Links.Mean), w.p.Links.Sigma))
	for k := int(min(fanout, max(0, n-1))); k < degree && len(dst) < maxLinks; k++ {
		dst = w.randomLink(dst, &s, h, n, main, t)
	}
	return dst
}

// maxLinks bounds the links of a page.
const maxLinks = 2000

func (w *World) isBorn(h Host, i uint64, t int64) bool {
	if w.p.Life.Born == 0 {
		return true
	}
	born, _ := w.life(h, ID(Tree, i))
	return born <= t
}

// randomLink draws a link; one to a page not born yet is left out. Every link
// takes the same number of draws, so that a birth moves no other link.
func (w *World) randomLink(dst []Link, s *draw.Stream, h Host, n uint64, main Form, t int64) []Link {
	where, rank, twist, spell := s.Float(), s.Float(), s.Next(), s.Next()
	to := h
	if where < w.p.Links.External {
		to = Host(w.popular(uint64(w.p.Hosts), where/w.p.Links.External))
		n, main = w.Pages(to), w.Main(to)
	}
	i := w.popular(n, rank)
	if !w.isBorn(to, i, t) {
		return dst
	}
	l := Link{To: Ref{to, main, ID(Tree, i)}}
	if shape, ok := w.shapes.pick(twist); ok {
		l.To = w.twist(l.To, shape, twist)
	}
	if w.p.Links.Odd > 0 && draw.Unit(spell) < w.p.Links.Odd {
		l.Odd = uint8(1 + spell%oddWays)
	}
	return append(dst, l)
}

// twist names a page by another of its URLs.
func (w *World) twist(r Ref, shape Form, bits uint64) Ref {
	v := Form(bits & 0xff << variationShift)
	home := r.Page == ID(Tree, 0)
	switch {
	case shape == HTTPS:
		r.Form ^= HTTPS
	case shape == WWW:
		r.Form |= WWW
	case shape == Index:
		if home {
			r.Form |= Index
		}
	case home: // "/" with a slash behind it or parameters is left alone
	case shape == Slash:
		r.Form |= Slash
	case shape == OrderAB && bits>>8&1 == 1:
		r.Form |= OrderBA | v
	default:
		r.Form |= shape | v
	}
	return r
}

// homeLinks are the newest items, the archive and the traps.
func (w *World) homeLinks(dst []Link, h Host, t int64) []Link {
	main := w.Main(h)
	nav := func(id PageID) { dst = append(dst, Link{To: Ref{h, main, id}, Nav: true}) }
	if w.HasItems(h) {
		var buf [homeItems + maxEvents]event
		for _, e := range w.newest(buf[:0], h, homeItems, t) {
			nav(e.id)
		}
		nav(ID(Archive, w.lastArchive(t)))
	}
	if w.trait(h, traitCalendar, w.p.Traps.Calendar) {
		nav(ID(Calendar, calendarStart))
	}
	if w.trait(h, traitMaze, w.p.Traps.Maze) {
		dst = append(dst, Link{To: Ref{h, main, ID(Maze, 0)}, Target: "/maze/0/", Nav: true})
	}
	if w.trait(h, traitFacets, w.p.Traps.Facets) {
		dst = append(dst, Link{To: Ref{h, main, ID(Facet, 0)}, Target: "/shop", Nav: true})
	}
	return dst
}

// itemLinks are the home page and the item's archive page.
func (w *World) itemLinks(dst []Link, h Host, id PageID) []Link {
	main := w.Main(h)
	return append(dst,
		Link{To: Ref{h, main, 0}, Nav: true},
		Link{To: Ref{h, main, ID(Archive, id.Index()>>itemBits/archiveWindows)}, Nav: true})
}

func (w *World) archiveLinks(dst []Link, h Host, page uint64, t int64) []Link {
	main := w.Main(h)
	dst = append(dst, Link{To: Ref{h, main, 0}, Nav: true})
	if page > 0 {
		dst = append(dst, Link{To: Ref{h, main, ID(Archive, page-1)}, Nav: true})
	}
	for _, e := range w.archived(nil, h, page, t) {
		dst = append(dst, Link{To: Ref{h, main, e.id}})
	}
	return dst
}
