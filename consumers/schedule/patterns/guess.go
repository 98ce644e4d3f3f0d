package patterns

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"millrace/schema"
)

// Conditions under which a URL that nobody named is fetched, to see whether the server has a page
// for any URL of a shape.
const (
	guessTried = 16 // URLs of the shape that were judged before,
	guessOwn   = 16 // and so many that pages of the shape named, at least half of all
	guesses    = 3  // made-up URLs in a row with a new text and new links each show that the server invents pages
	guessRest  = 10 // after one without, the next is made when so many times as many are judged
	guessTries = 8  // ways to make one up that are tried

	guessedRing = 32 // made-up URLs that are remembered
)

// inventions learns whether the server has a page for any URL of a shape.
type inventions struct {
	row    *schema.PatternsRow
	shapes *trie
	history
}

// Guess returns a URL of a page's shape that nobody named and that no real site has, to be fetched
// as evidence; "" = none is needed. It depends on the page's path only (Invent).
func (t *inventions) Guess(source string) string {
	way := t.shapes.whole(source)
	if way == nil || !wonders(way[len(way)-1]) {
		return ""
	}
	g := Invent(source)
	if other := t.shapes.whole(g); g == "" || other == nil || other[len(other)-1] != way[len(way)-1] {
		return ""
	}
	return g
}

// wonders reports whether a URL of a leaf is to be made up: its pages find each other, and it is
// not known yet whether the server invents them.
func wonders(leaf *schema.PatternNode) bool {
	n := tried(leaf)
	switch {
	case leaf.Own < guessOwn || 2*leaf.Own < leaf.Found || leaf.Useful < provenFrom || n < guessTried:
		return false
	case leaf.Invented > 0 && leaf.Invented < guesses:
		return len(leaf.Guesses) < guesses-int(leaf.Invented) || n >= leaf.GuessFrom
	}
	return n >= leaf.GuessFrom
}

// Guessed notes that a URL that Guess made up was let in.
func (t *inventions) Guessed(path string) {
	way := t.shapes.whole(path)
	if way == nil {
		return
	}
	leaf := way[len(way)-1]
	if len(leaf.Guesses) >= guesses { // those before brought no answer
		leaf.Guesses = nil
	}
	leaf.Guesses = append(leaf.Guesses, hash(path))
	leaf.GuessFrom = 2 * tried(leaf)
	t.row.Guessed, t.row.GuessedNext = push(t.row.Guessed, t.row.GuessedNext, guessedRing, hash(path))
	t.turn()
}

// MadeUp reports whether nobody named a URL: Guess made it up. What such a page names is not
// followed.
func (t *inventions) MadeUp(path string) bool { return slices.Contains(t.row.Guessed, hash(path)) }

// What is known of a made-up URL that is not judged yet: the number is added to its hash.
const (
	newText  = 1 // its text is new
	newLinks = 2 // it names new URLs of its own shape
)

// guessed notes what a made-up URL brought; other URLs it leaves alone. Only a new text with new
// links is evidence: a page that says that there is nothing, and names some pages that one may have
// meant, has no such links once those are known.
func (t *inventions) guessed(path string, leaf *schema.PatternNode, useful bool) {
	switch {
	case useful:
		t.half(path, leaf, newText, newLinks)
	case takeOut(leaf, hash(path), hash(path)^newText, hash(path)^newLinks):
		leaf.Invented, leaf.GuessFrom = 0, guessRest*tried(leaf)
		t.turn()
	}
}

// GuessNamed notes the new URLs that a made-up one names. Those with numbers as low as a real page
// has do not count: a page that says that there is nothing may name some.
func (t *inventions) GuessNamed(path string, paths []string) {
	way := t.shapes.whole(path)
	if way == nil || !slices.ContainsFunc(paths, func(p string) bool { return t.shapes.akin(way, p) && asFar(p, path) }) {
		return
	}
	t.half(path, way[len(way)-1], newLinks, newText)
}

// asFar reports whether a URL is as far beyond those of a real site as a made-up one, as far as
// numbers tell.
func asFar(path, guess string) bool {
	a, b := identity(path, strings.IndexByte(path, '/')+1), identity(guess, strings.IndexByte(guess, '/')+1)
	return b.sort != aNumber && b.sort != aYear || a.to-a.from >= b.to-b.from && path[a.from:a.from+1] >= guess[b.from:b.from+1]
}

// half notes one of two facts of a made-up URL; with both the server invented it.
func (t *inventions) half(path string, leaf *schema.PatternNode, fact, other uint32) {
	switch h := hash(path); {
	case takeOut(leaf, h^other):
		leaf.Invented++
		t.turn()
	case takeOut(leaf, h):
		leaf.Guesses = append(leaf.Guesses, h^fact)
	}
}

// takeOut removes values from the made-up URLs of a leaf, and reports whether it had one.
func takeOut(leaf *schema.PatternNode, values ...uint32) bool {
	n := len(leaf.Guesses)
	leaf.Guesses = slices.DeleteFunc(leaf.Guesses, func(g uint32) bool { return slices.Contains(values, g) })
	return len(leaf.Guesses) < n
}

// invents reports whether the server has a new page for any URL of a leaf.
func invents(leaf *schema.PatternNode) bool {
	return leaf.Invented >= guesses && 2*leaf.Own >= leaf.Found
}

// Invent returns a URL that differs from a page's in what seems to identify the page: a far number,
// a drawn identifier, a year in thousands of years, or a word of drawn letters. A server that has
// real pages only answers that there is none. Parts of a URL that do not matter lead to the page's
// own text again. "": nothing identifies the page.
func Invent(path string) string {
	at := strings.IndexByte(path, '/') + 1
	if at == 0 {
		return ""
	}
	p := identity(path, at)
	if p.to <= p.from {
		return ""
	}
	for i := range guessTries {
		draw := func(k, n int) int { return int(hash(fmt.Sprint("guess ", i, k, path)) >> 3 % uint32(n)) }
		if s := path[:p.from] + p.drawn(path[p.from:p.to], draw) + path[p.to:]; s != path && slices.Equal(Tokens(s), Tokens(path)) {
			return s
		}
		if p.sort == aWord { // the tree has one shape for all words that are not proven
			return path[:p.from] + p.drawn(path[p.from:p.to], draw) + path[p.to:]
		}
	}
	return ""
}

// InventHost returns a host of a site that differs from one of its hosts in the first label before
// the site, of drawn letters and digits; "" if the host has none.
func InventHost(h schema.Host, site schema.Site) schema.Host {
	name, ok := strings.CutSuffix(h.Name(), "."+string(site))
	if !ok {
		return ""
	}
	before, label := "", name
	if i := strings.LastIndexByte(name, '.'); i >= 0 {
		before, label = name[:i+1], name[i+1:]
	}
	switch {
	case strings.HasPrefix(label, "xn--"):
		label = "letters-only"
	case len(label) < leastLabel:
		label += "letters"
	}
	drawn := part{sort: anID}.drawn(label, func(k, n int) int { return int(hash(fmt.Sprint("host ", k, h)) >> 3 % uint32(n)) })
	return schema.HostOf(before + drawn + "." + string(site))
}

// leastLabel is the length of a label from which it is not made longer.
const leastLabel = 8

// part is the part of a URL that identifies its page.
type part struct {
	from, to int
	sort     uint8
}

// Sorts of parts.
const (
	aWord uint8 = iota
	aNumber
	aYear
	anID
)

// identity finds what identifies a page, from a place in its URL on: an identifier, the year of a
// date, with signs or without, else the longest number, else the last word of the path.
func identity(path string, at int) part {
	best := part{}
	for from := at; from < len(path); from++ {
		to := from
		for to < len(path) && alnum(path[to]) {
			to++
		}
		if s := path[from:to]; identifier(s) {
			best = part{from, to, anID}
		}
		from = to
	}
	if best.sort == anID {
		return best
	}
	for from := at; from < len(path); from++ {
		to := from
		for to < len(path) && digit(path[to]) {
			to++
		}
		switch year, _ := strconv.Atoi(path[from:to]); {
		case to == from:
			continue
		case to-from == 4 && year >= 1900 && year < 2100 && strings.ContainsAny(path[to:], "0123456789"):
			return part{from, to, aYear}
		case compactDate(path[from:to]):
			return part{from, from + 4, aYear}
		case to-from >= best.to-best.from:
			best = part{from, to, aNumber}
		}
		from = to
	}
	if best.sort == aNumber {
		return best
	}
	end := len(path)
	if i := strings.IndexByte(path, '?'); i >= 0 {
		end = i
	}
	from := max(at, strings.LastIndexByte(strings.TrimSuffix(path[:end], "/"), '/')+1)
	if i := strings.LastIndexByte(path[from:end], '.'); i > 0 {
		end = from + i
	}
	if end-from < 6 {
		return part{}
	}
	return part{from, end, aWord}
}

// compareIdentity compares what identifies two pages, if that is an identifier or a number of both:
// 1 if the first is higher, -1 if it is lower, else 0.
func compareIdentity(path, other string) int {
	a, b := identity(path, strings.IndexByte(path, '/')+1), identity(other, strings.IndexByte(other, '/')+1)
	if a.sort != b.sort || a.sort != anID && a.sort != aNumber {
		return 0
	}
	x, y := path[a.from:a.to], other[b.from:b.to]
	if a.sort == aNumber {
		x, y = strings.TrimLeft(x, "0"), strings.TrimLeft(y, "0")
	}
	if d := cmp.Compare(len(x), len(y)); d != 0 {
		if a.sort == anID {
			return 0
		}
		return d
	}
	return strings.Compare(x, y)
}

// compactDate reports whether digits may be a month (202605), a day (20260512), or a day and a time
// without signs in between.
func compactDate(s string) bool {
	if n := len(s); n != 6 && n != 8 && n != 12 && n != 14 {
		return false
	}
	year, month, day := s[:4], s[4:6], "01"
	if len(s) > 6 {
		day = s[6:8]
	}
	return year >= "1900" && year < "2100" && month >= "01" && month <= "12" && day >= "01" && day <= "31"
}

// drawn returns another value for a part; draw(k, n) is the k-th drawn number below n.
func (p part) drawn(s string, draw func(k, n int) int) string {
	var b strings.Builder
	switch p.sort {
	case aYear:
		year := 3004 + 4*draw(0, 1499) // a leap year: it has a 29 February
		if year%100 == 0 {
			year += 4
		}
		return strconv.Itoa(year)
	case aNumber: // far beyond the numbers of a site, and within 32 bits for most
		b.WriteByte('1')
		for k := range max(len(s)+2, 7) - 1 {
			b.WriteByte(byte('0' + draw(k, 10)))
		}
		return b.String()
	}
	hex := strings.Trim(strings.ToLower(s), "0123456789abcdef") == ""
	for k := range len(s) {
		switch c := s[k]; {
		case digit(c):
			b.WriteByte(byte('0' + draw(k, 10)))
		case c >= 'a' && c <= 'z' && hex:
			b.WriteByte(byte('a' + draw(k, 6)))
		case c >= 'A' && c <= 'Z' && hex:
			b.WriteByte(byte('A' + draw(k, 6)))
		case c >= 'a' && c <= 'z':
			b.WriteByte(byte('a' + draw(k, 26)))
		case c >= 'A' && c <= 'Z':
			b.WriteByte(byte('A' + draw(k, 26)))
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

func digit(c byte) bool { return c >= '0' && c <= '9' }

func alnum(c byte) bool { return digit(c) || c|0x20 >= 'a' && c|0x20 <= 'z' }
