package world

import (
	"strconv"
	"strings"
)

// calendarStart is the day the home page's calendar link names.
const calendarStart = 20000

// mazeWidth is how many doors each page of a maze has.
const mazeWidth = 4

// facets are the filters of a shop; each takes facetValues values.
var facets = [...]string{"color", "size", "brand", "sort"}

const facetValues = 5

// trapLinks are the links that lead on without end.
func (w *World) trapLinks(dst []Link, a *Answer) []Link {
	h, main := a.Ref.Host, w.Main(a.Ref.Host)
	dst = append(dst, Link{To: Ref{h, main, 0}, Nav: true})
	switch a.Ref.Page.Space() {
	case Calendar:
		day := a.Ref.Page.Index()
		dst = append(dst, Link{To: Ref{h, main, ID(Calendar, day+1)}})
		if day > 0 {
			dst = append(dst, Link{To: Ref{h, main, ID(Calendar, day-1)}})
		}
	case Maze:
		for door := range uint64(mazeWidth) {
			target := a.Target + strconv.FormatUint(door, 10) + "/"
			if len(target) <= 1900 { // the length at which servers give up
				dst = append(dst, Link{To: Ref{h, main, ID(Maze, 0)}, Target: target})
			}
		}
	case Facet:
		dst = append(dst, w.facetLinks(h, main, a.Target)...)
	}
	return dst
}

func (w *World) facetLinks(h Host, main Form, target string) []Link {
	var links []Link
	sep := "?"
	if strings.Contains(target, "?") {
		sep = "&"
	}
	for _, f := range facets {
		if strings.Contains(target, f+"=") {
			continue
		}
		for v := range facetValues {
			t := target + sep + f + "=" + strconv.Itoa(v)
			links = append(links, Link{To: Ref{h, main, ID(Facet, 0)}, Target: t})
		}
	}
	return links
}
