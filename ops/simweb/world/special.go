package world

import (
	"strconv"
	"strings"

	"millrace/ops/simweb/draw"
)

// parseSpecial finds the pages that are not in the tree.
func (w *World) parseSpecial(r *Ref, path, query string) bool {
	if query != "" {
		return w.parseTrapQuery(r, path, query)
	}
	switch path {
	case "/robots.txt":
		r.Page = ID(Robots, 0)
		return true
	case "/robots-moved.txt":
		r.Page = ID(Robots, 1)
		return w.robotsKind(r.Host) == "moved"
	case "/feed.rss", "/feed.atom":
		r.Page = ID(Feed, 0)
		if path == "/feed.atom" {
			r.Page = ID(Feed, 1)
		}
		return w.HasItems(r.Host)
	case "/sitemap.xml":
		r.Page = ID(Sitemap, 0)
		return w.HasSitemap(r.Host)
	case "/shop":
		r.Page = ID(Facet, draw.HashString(w.seed, path))
		return w.trait(r.Host, traitFacets, w.p.Traps.Facets)
	}
	return w.parseSpecialPrefix(r, path)
}

func (w *World) parseSpecialPrefix(r *Ref, path string) bool {
	switch {
	case strings.HasPrefix(path, "/news/"):
		return w.HasItems(r.Host) && between(r, Item, path, "/news/", ".html")
	case strings.HasPrefix(path, "/older/"):
		return w.HasItems(r.Host) && between(r, Archive, path, "/older/", ".html")
	case strings.HasPrefix(path, "/robots-of-"):
		if !between(r, Robots, path, "/robots-of-", ".txt") {
			return false
		}
		owner := r.Page.Index()
		r.Page = ID(Robots, 2+owner)
		return owner < uint64(w.p.Hosts) && w.robotsKind(Host(owner)) == "moved_out" &&
			w.robotsElsewhere(Host(owner)) == r.Host
	case strings.HasPrefix(path, "/sitemap-"):
		return w.HasSitemap(r.Host) && between(r, Sitemap, strings.TrimSuffix(path, ".gz"), "/sitemap-", ".xml") &&
			r.Page.Index() > 0 && r.Page.Index() < w.sitemapParts(r.Host)
	case strings.HasPrefix(path, "/hop/"):
		return w.parseHop(r, path[len("/hop/"):])
	case len(path) > 3 && path[3] == '/' && w.parseTranslation(r, path[1:3], path[3:]):
		return true
	case strings.HasPrefix(path, "/maze/"):
		r.Page = ID(Maze, draw.HashString(w.seed, path))
		return w.trait(r.Host, traitMaze, w.p.Traps.Maze)
	}
	return false
}

func (w *World) parseTrapQuery(r *Ref, path, query string) bool {
	switch path {
	case "/calendar":
		day, err := strconv.ParseUint(strings.TrimPrefix(query, "day="), 10, 32)
		r.Page = ID(Calendar, day)
		return err == nil && w.trait(r.Host, traitCalendar, w.p.Traps.Calendar)
	case "/shop":
		r.Page = ID(Facet, draw.HashString(w.seed, path+"?"+query))
		return w.trait(r.Host, traitFacets, w.p.Traps.Facets)
	}
	return false
}

func (w *World) parseHop(r *Ref, rest string) bool {
	page, left, ok := strings.Cut(rest, "/")
	p, err1 := strconv.ParseUint(page, 10, spaceShift-hopBits)
	k, err2 := strconv.ParseUint(left, 10, hopBits)
	r.Page = ID(Hop, p<<hopBits|k)
	return ok && err1 == nil && err2 == nil && p < w.Pages(r.Host) && w.role(r.Host, p) == Redirect && k < w.chain(r.Host, p)
}

func between(r *Ref, s Space, path, before, after string) bool {
	num, ok := strings.CutSuffix(strings.TrimPrefix(path, before), after)
	if !ok {
		return false
	}
	n, err := strconv.ParseUint(num, 10, spaceShift)
	r.Page = ID(s, n)
	return err == nil
}
