package freshness

import (
	"hash/fnv"
	"slices"
	"strings"

	"millrace/schema"
)

// Limits of what a host's row keeps of the shapes of its URLs.
const (
	mostShapes  = 24
	shapeMemory = 100 // looks that a shape's rate remembers
	shapeTrust  = 3   // number of looks that the host's own rate counts as
)

// ShapeOf is a hash of the kind of URL that a path (":https/news/2024/x.html") is: its first
// directory, its depth, which segments have digits, its suffix, and whether it has a query. It is
// coarser than a shape of package patterns. Pages of one kind are assumed to change at similar
// rates.
func ShapeOf(path string) uint32 {
	path, query, _ := strings.Cut(path[strings.IndexByte(path, '/')+1:], "?")
	hash := fnv.New32a()
	segments := strings.Split(path, "/")
	for i, s := range segments {
		last := i == len(segments)-1
		switch {
		case strings.ContainsAny(s, "0123456789"):
			hash.Write([]byte{'#'})
		case i == 0 && !last:
			hash.Write([]byte(s))
		case s == "":
			hash.Write([]byte{'$'})
		default:
			hash.Write([]byte{'*'})
		}
		if dot := strings.LastIndexByte(s, '.'); last && dot >= 0 && len(s)-dot < 7 {
			hash.Write([]byte(s[dot:]))
		}
		hash.Write([]byte{'/'})
		if i == 6 {
			break
		}
	}
	if query != "" {
		hash.Write([]byte{'?'})
	}
	return max(hash.Sum32(), 1)
}

// shapeRate is the rate for the page's shape: a weighted mean of the host's rate and the looks at
// that shape.
func (h Host) shapeRate(host float64) float64 {
	for _, s := range h.State.Shapes {
		if s.Shape == h.Shape && h.Shape != 0 && s.Weight > 0 && s.RateSum >= 0 {
			return (host*shapeTrust + float64(s.RateSum)) / (shapeTrust + float64(s.Weight))
		}
	}
	return host
}

// learnShape takes in the first second look at a page. If the list is full, the shape with the
// least weight is replaced once its weight is 1 or less.
func (h Host) learnShape(rate float64) {
	if h.Shape == 0 {
		return
	}
	list := h.State.Shapes
	at := slices.IndexFunc(list, func(s *schema.ShapeRate) bool { return s.Shape == h.Shape })
	if at < 0 && len(list) < mostShapes {
		at, list = len(list), append(list, &schema.ShapeRate{Shape: h.Shape})
		h.State.Shapes = list
	}
	if at < 0 {
		at = 0
		for i, s := range list {
			s.Weight, s.RateSum = s.Weight*.98, s.RateSum*.98 // else the first 24 would stay for ever
			if s.Weight < list[at].Weight {
				at = i
			}
		}
		if list[at].Weight > 1 {
			return
		}
		list[at] = &schema.ShapeRate{Shape: h.Shape}
	}
	s := list[at]
	if s.Weight >= shapeMemory {
		s.Weight, s.RateSum = s.Weight*(1-1./shapeMemory), s.RateSum*(1-1./shapeMemory)
	}
	s.Weight, s.RateSum = s.Weight+1, s.RateSum+float32(min(rate, 50))
}
