package patterns

import (
	"slices"
	"strings"

	"millrace/schema"
)

// Bounds of what is learnt of parameters.
const (
	askedRing  = 1024 // numbers: 512 pairs of a hash of a URL without a parameter and a hash of its text
	maxLearnt  = 12   // parameters that a node keeps
	learnName  = 24   // most bytes of a name; longer ones are ignored
	dropSame   = 12   // a parameter is dropped after so many pairs of equal text,
	dropAbsent = 3    // so many of them with a URL without it,
	dropBases  = 3    // and so many different URLs without it
	probeFrom  = 3    // pairs after which URLs without it are probed
	maxProbes  = 6    // most probes
	control    = 64   // one new URL in so many keeps its dropped parameters
)

// parameters learns what the parameters of a host's URLs do: for the whole host at the root, and
// for one path shape at the node above its leaves.
type parameters struct {
	row    *schema.PatternsRow
	shapes *trie
	history
}

// compare learns from a page's text: it looks for texts of URLs that differ from this one in one
// parameter, and remembers this one. A page that named new pages of another shape is remembered
// only: it is worth what it names, whatever its text.
func (l parameters) compare(path string, way []*schema.PatternNode, x Text) {
	if x.Exact == 0 {
		return
	}
	root, own := l.row.Root, way[len(way)-2]
	base, query, _ := strings.Cut(path, "?")
	if query == "" && len(root.Params) == 0 {
		return
	}
	pair := l.pair
	if (texts{l.row}).brought(path) {
		pair = func(*schema.PatternNode, string, uint32, uint32, bool) {}
	}
	names := map[string]bool{}
	for i, p := range strings.Split(query, "&") {
		name, _, _ := strings.Cut(p, "=")
		if query == "" || i >= maxParams || names[name] || len(name) > learnName {
			continue
		}
		names[name] = true
		rest := without(base, query, name)
		pair(own, name, key("one", name, rest), x.Exact, false)
		pair(own, name, key("all", "", rest), x.Exact, true)
		l.remember(key("one", name, rest), x.Exact)
	}
	for _, p := range own.Params {
		if !names[p.Name] {
			pair(own, p.Name, key("one", p.Name, path), x.Exact, true)
		}
	}
	l.remember(key("all", "", path), x.Exact)
}

// asked reports whether a URL that was compared lately had a text.
func (l parameters) asked(text uint32) bool {
	for i := 1; i < len(l.row.Asked) && text != 0; i += 2 {
		if l.row.Asked[i] == text {
			return true
		}
	}
	return false
}

func (l parameters) remember(k, text uint32) {
	l.row.Asked, l.row.AskedNext = push(l.row.Asked, l.row.AskedNext, askedRing, k, text)
}

// pair compares a text with that of a URL that differs in one parameter only, if such a URL is
// remembered under k. absent says that one of the two does not have the parameter.
func (l parameters) pair(own *schema.PatternNode, name string, k, text uint32, absent bool) {
	had := uint32(0)
	for i := 0; i+1 < len(l.row.Asked); i += 2 {
		if l.row.Asked[i] == k {
			had = l.row.Asked[i+1]
		}
	}
	for _, n := range []*schema.PatternNode{l.row.Root, own} {
		p := param(n, name)
		if p == nil || had == 0 {
			continue
		}
		switch {
		case had != text:
			p.Other++
		default:
			p.Same++
			if absent {
				p.Without++
			}
			p.Bases = noteBase(p.Bases, k)
		}
		l.decide(p)
	}
}

// noteBase adds a URL to a list of different URLs, which is kept short.
func noteBase(list []uint32, k uint32) []uint32 {
	for _, b := range list {
		if b == k {
			return list
		}
	}
	if len(list) <= dropBases {
		list = append(list, k)
	}
	return list
}

// param returns the entry of a parameter at a node. It is created if there is room, else nil.
func param(n *schema.PatternNode, name string) *schema.PatternParam {
	for _, p := range n.Params {
		if p.Name == name {
			return p
		}
	}
	if len(n.Params) >= maxLearnt {
		return nil
	}
	p := &schema.PatternParam{Name: name}
	n.Params = append(n.Params, p)
	return p
}

// decide sets whether a parameter is dropped from new URLs.
func (l parameters) decide(p *schema.PatternParam) {
	drop := p.Other == 0 && p.Same >= dropSame && p.Without >= dropAbsent && len(p.Bases) >= dropBases
	if drop != p.Dropped || p.Same <= dropSame {
		l.turn()
	}
	p.Dropped = drop
}

// addParam adds up the entries of a parameter when nodes are merged.
func addParam(into *schema.PatternNode, q *schema.PatternParam) {
	p := param(into, q.Name)
	if p == nil {
		return
	}
	p.Same, p.Other, p.Without, p.Probes = p.Same+q.Same, p.Other+q.Other, p.Without+q.Without, p.Probes+q.Probes
	for _, b := range q.Bases {
		p.Bases = noteBase(p.Bases, b)
	}
	p.Dropped = p.Other == 0 && (p.Dropped || q.Dropped)
}

// Canonical returns a URL without the parameters that never change the text of its shape. One URL
// of 64 stays as it is, so that a parameter that begins to matter is noticed.
func (l parameters) Canonical(path string) string {
	base, query, found := strings.Cut(path, "?")
	if !found || hash(path)%control == 0 {
		return path
	}
	out := path
	for _, p := range l.learnt(path) {
		if p.Dropped && has(query, p.Name) {
			out = without(base, query, p.Name)
			if base, query, found = strings.Cut(out, "?"); !found {
				break
			}
		}
	}
	return out
}

// Probe returns a URL without a parameter that seems to change nothing, to be fetched as evidence;
// "" = no probe is needed.
func (l parameters) Probe(path string) string {
	base, query, found := strings.Cut(path, "?")
	if !found {
		return ""
	}
	for _, p := range l.learnt(path) {
		if p.Other == 0 && !p.Dropped && p.Same >= probeFrom && p.Without < dropAbsent && p.Probes < maxProbes && has(query, p.Name) {
			return without(base, query, p.Name)
		}
	}
	return ""
}

// Probed counts a URL that Probe made of another one, which has the parameter.
func (l parameters) Probed(from string) {
	_, query, _ := strings.Cut(from, "?")
	for _, p := range l.learnt(from) {
		if p.Same >= probeFrom && !p.Dropped && has(query, p.Name) {
			p.Probes++
			l.turn()
		}
	}
}

// learnt returns the entries of the host's parameters, and those of the shape of a URL.
func (l parameters) learnt(path string) []*schema.PatternParam {
	tokens := Tokens(path)
	list := l.row.Root.Params
	if way := l.shapes.route(tokens); len(way) >= len(tokens) && len(tokens) > 1 {
		list = append(list[:len(list):len(list)], way[len(tokens)-1].Params...)
	}
	return list
}

// without returns a URL without one parameter.
func without(base, query, name string) string {
	var keep []string
	for p := range strings.SplitSeq(query, "&") {
		if n, _, _ := strings.Cut(p, "="); n != name {
			keep = append(keep, p)
		}
	}
	if len(keep) == 0 {
		return base
	}
	return base + "?" + strings.Join(keep, "&")
}

func has(query, name string) bool {
	for p := range strings.SplitSeq(query, "&") {
		if n, _, _ := strings.Cut(p, "="); n == name {
			return true
		}
	}
	return false
}

func key(sort, name, path string) uint32 { return max(1, hash(sort+"\x00"+name+"\x00"+path)) }

func hash(s string) uint32 { return uint32(schema.Murmur2([]byte(s))) }

// Drops reports whether any parameter of the host is left out of new URLs.
func (l parameters) Drops() bool {
	var any func(n *schema.PatternNode) bool
	any = func(n *schema.PatternNode) bool {
		for _, p := range n.Params {
			if p.Dropped {
				return true
			}
		}
		return slices.ContainsFunc(n.Kids, any)
	}
	return any(l.row.Root)
}

// Spellings returns all URLs that a link may have been turned into, at any time: as it is, without
// one known parameter, and without all dropped ones.
func (l parameters) Spellings(path string) []string {
	out := []string{path}
	add := func(p string) {
		if !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	base, query, found := strings.Cut(path, "?")
	if !found {
		return out
	}
	for _, p := range l.learnt(path) {
		if has(query, p.Name) {
			add(without(base, query, p.Name))
		}
	}
	add(l.Canonical(path))
	return out
}
