package patterns

import (
	"slices"
	"strings"

	"millrace/schema"
)

// Bounds of what is learnt of parameters.
const (
	askedRing  = 1024 // numbers: pairs of a URL without one parameter, and its text
	maxLearnt  = 12   // parameters that a node learns of
	learnName  = 24   // bytes of a name that is learnt
	dropSame   = 12   // pairs of equal text after which a parameter is dropped,
	dropAbsent = 3    // of which so many with a URL that does not have it,
	dropBases  = 3    // that have so many different URLs in common
	probeFrom  = 3    // pairs after which URLs without it are tried
	maxProbes  = 6    // of them
	control    = 16   // one new URL of so many keeps a parameter that is dropped
)

// parameters is what is learnt of the parameters in a host's URLs: of the whole host at the
// root, of a shape at the node above its leaf.
type parameters struct {
	row    *schema.PatternsRow
	shapes *trie
	history
}

// compare learns from a page's text what the parameters of its URL do.
func (l parameters) compare(path string, way []*schema.PatternNode, x Text) {
	if x.Exact == 0 {
		return
	}
	root, own := l.row.Root, way[len(way)-2]
	base, query, _ := strings.Cut(path, "?")
	if query == "" && len(root.Params) == 0 {
		return
	}
	names := map[string]bool{}
	for i, p := range strings.Split(query, "&") {
		name, _, _ := strings.Cut(p, "=")
		if query == "" || i >= maxParams || names[name] || len(name) > learnName {
			continue
		}
		names[name] = true
		rest := without(base, query, name)
		l.pair(own, name, key("one", name, rest), x.Exact, false)
		l.pair(own, name, key("all", "", rest), x.Exact, true)
		l.remember(key("one", name, rest), x.Exact)
	}
	for _, p := range own.Params {
		if !names[p.Name] {
			l.pair(own, p.Name, key("one", p.Name, path), x.Exact, true)
		}
	}
	l.remember(key("all", "", path), x.Exact)
}

func (l parameters) remember(k, text uint32) {
	l.row.Asked, l.row.AskedNext = push(l.row.Asked, l.row.AskedNext, askedRing, k, text)
}

// pair compares a text with that of a URL that differs in one parameter only.
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

// param returns what a node knows of a parameter, made if there is room.
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

// decide says whether a parameter is dropped.
func (l parameters) decide(p *schema.PatternParam) {
	drop := p.Other == 0 && p.Same >= dropSame && p.Without >= dropAbsent && len(p.Bases) >= dropBases
	if drop != p.Dropped || p.Same <= dropSame {
		l.turn()
	}
	p.Dropped = drop
}

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

// Canonical is a URL without the parameters that never change the text of its shape. One
// URL of sixteen stays as it is, so that a parameter that begins to matter is noticed.
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

// Probe is a URL without a parameter that seems to change nothing, to be asked for so
// that it is certain; "" = there is nothing to find out.
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

// Probed notes that URLs like the one that Probe returned for a path were made.
func (l parameters) Probed(path string) {
	_, query, _ := strings.Cut(path, "?")
	for _, p := range l.learnt(path) {
		if p.Same >= probeFrom && !p.Dropped && has(query, p.Name) {
			p.Probes++
			l.turn()
		}
	}
}

// learnt is what is known of the parameters of a URL: on its host, and of its shape.
func (l parameters) learnt(path string) []*schema.PatternParam {
	tokens := Tokens(path)
	list := l.row.Root.Params
	if way := l.shapes.route(tokens); len(way) >= len(tokens) && len(tokens) > 1 {
		list = append(list[:len(list):len(list)], way[len(tokens)-1].Params...)
	}
	return list
}

// without is a URL without one parameter.
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

// Drops reports whether any parameter is left out of new URLs.
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

// Spellings are the URLs that a link may have become, by what was known at any time: as
// it is, without one parameter that is learnt of, and without all that are dropped.
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
