package robots

import (
	"slices"
	"strings"
)

// rule is one compiled Allow or Disallow line.
type rule struct {
	pattern string // normal form, without the final $
	star    int32  // index of the first * in pattern, len(pattern) if none
	length  int32  // bytes of the normal form with its final $: the most specific rule is the longest
	allow   bool
	end     bool // pattern ended with $: the match must reach the end of the path
}

func compile(normal string, allow bool) rule {
	r := rule{pattern: normal, length: int32(len(normal)), allow: allow}
	if strings.HasSuffix(normal, "$") {
		r.pattern, r.end = normal[:len(normal)-1], true
	}
	r.star = int32(len(r.pattern))
	if i := strings.IndexByte(r.pattern, '*'); i >= 0 {
		r.star = int32(i)
	}
	return r
}

// source is the normal form from which the rule was compiled.
func (r *rule) source() string {
	if r.end {
		return r.pattern + "$"
	}
	return r.pattern
}

// order sorts the longest rule first, and allow before disallow of the same length, so that the
// first match decides. Repeated rules are dropped.
func order(rules []rule) []rule {
	slices.SortStableFunc(rules, func(a, b rule) int {
		switch {
		case a.length != b.length:
			return int(b.length - a.length)
		case a.allow != b.allow && a.allow:
			return -1
		case a.allow != b.allow:
			return 1
		}
		return strings.Compare(a.pattern, b.pattern)
	})
	return slices.Clip(slices.CompactFunc(rules, func(a, b rule) bool { return a == b }))
}

// Allowed reports whether path (path and query as in the request, no fragment) may be fetched.
// /robots.txt itself always may.
func (r *Rules) Allowed(path string) bool {
	d := r.decisive(path)
	return d == nil || d.allow
}

// Decisive returns the line that decides about a path, in normal form; "" if none does, and the
// path is allowed.
func (r *Rules) Decisive(path string) string {
	switch d := r.decisive(path); {
	case d == nil:
		return ""
	case d.allow:
		return "Allow: " + d.source()
	default:
		return "Disallow: " + d.source()
	}
}

// decisive returns the rule that decides about a path, nil if none does.
func (r *Rules) decisive(path string) *rule {
	if len(r.rules) == 0 {
		return nil
	}
	path = normalPath(path)
	if path == "/robots.txt" {
		return nil
	}
	for i := range r.rules {
		if r.rules[i].matches(path) {
			return &r.rules[i]
		}
	}
	return nil
}

func (r *rule) matches(path string) bool {
	star := int(r.star)
	if len(path) < star || path[:star] != r.pattern[:star] {
		return false
	}
	if star == len(r.pattern) {
		return !r.end || len(path) == star
	}
	return matchStars(r.pattern[star+1:], path[star:], r.end)
}

// matchStars matches the pieces of a pattern after its first *, each at the earliest position;
// since * is the only special character, the earliest position is never wrong. Only the last piece
// of a pattern with $ must be at the end.
func matchStars(pattern, path string, end bool) bool {
	for {
		piece, rest, more := strings.Cut(pattern, "*")
		if !more {
			if end {
				return strings.HasSuffix(path, piece)
			}
			return strings.Contains(path, piece)
		}
		i := strings.Index(path, piece)
		if i < 0 {
			return false
		}
		pattern, path = rest, path[i+len(piece):]
	}
}

// Target is the part of a URL that rules are matched against: path and query, at least "/", without
// the fragment. URLs may lack a scheme, as in Google's parser.
func Target(url string) string {
	if i := strings.IndexByte(url, '#'); i >= 0 {
		url = url[:i]
	}
	if i := strings.Index(url, "://"); i >= 0 && !strings.ContainsAny(url[:i], "/?;") {
		url = url[i+3:]
	} else {
		url = strings.TrimPrefix(url, "//")
	}
	i := strings.IndexAny(url, "/?;")
	if i < 0 {
		return "/"
	}
	if url[i] != '/' {
		return "/" + url[i:]
	}
	return url[i:]
}
